//! The tag of a submission, which comes back with its completion: the operation in the highest byte, then the generation
//! of the slot, then the slot. A send of bytes has its number in place of both.

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Connect = 1,
    Receive = 2,
    Send = 3,
    Cancel = 4,
    Close = 5,
    SendBytes = 6,
}

pub const GENERATION_MASK: u32 = 0x00ff_ffff;

pub fn tag(slot: u32, generation: u32, op: Op) -> u64 {
    (op as u64) << 56 | u64::from(generation & GENERATION_MASK) << 32 | u64::from(slot)
}

/// The tag of a send of bytes. Its number is not reused before its completion.
pub fn bytes_tag(send: u32) -> u64 {
    tag(send, 0, Op::SendBytes)
}

pub fn untag(user_data: u64) -> (u32, u32, Op) {
    let op = match user_data >> 56 {
        1 => Op::Connect,
        2 => Op::Receive,
        3 => Op::Send,
        4 => Op::Cancel,
        6 => Op::SendBytes,
        _ => Op::Close,
    };
    let generation = (user_data >> 32) as u32 & GENERATION_MASK;
    (user_data as u32, generation, op)
}
