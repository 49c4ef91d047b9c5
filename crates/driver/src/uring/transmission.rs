//! The sends of connections: one at a time, the others wait in the queue.

use io_uring::opcode;
use io_uring::squeue::Flags;
use io_uring::types::Fd;

use crate::driver::{Event, What};
use crate::fault::Fault;
use crate::queue::Piece;
use crate::uring::Uring;
use crate::uring::sends::{NO_SEND, SCRIPT_SEND};
use crate::uring::tags::{Op, tag};

impl Uring {
    /// Submits the rest of a slot's range of the script.
    #[inline]
    pub(super) fn submit_script(&mut self, slot: u32, flags: Flags) {
        let state = &self.slots[slot as usize];
        let (from, to) = state.unsent;
        let bytes = &self.script[from as usize..to as usize];
        let entry = opcode::Send::new(Fd(state.fd), bytes.as_ptr(), bytes.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .flags(flags)
            .user_data(tag(slot, state.generation, Op::Send));
        self.queues.push(&entry);
    }

    pub(super) fn sent(&mut self, slot: u32, result: i32) -> Option<What> {
        let state = &mut self.slots[slot as usize];
        state.in_flight = NO_SEND;
        if result < 0 {
            return Some(What::Failed(Fault::from_errno(-result)));
        }
        state.unsent.0 += result as u32;
        if state.unsent.0 < state.unsent.1 {
            self.await_script(slot);
            return None;
        }
        self.send_next(slot)
    }

    /// Submits the rest of a slot's range of the script, whose completion is awaited.
    #[cold]
    pub(super) fn await_script(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        (state.in_flight, state.sending) = (SCRIPT_SEND, true);
        self.submit_script(slot, Flags::empty());
    }

    #[inline]
    pub(super) fn begin_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>) {
        let state = &mut self.slots[slot as usize];
        state.in_flight = self.sends.begin(slot, state.generation, bytes);
        self.submit_bytes(slot);
    }

    /// Submits the rest of a slot's send of bytes.
    fn submit_bytes(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        let (entry, short) = self.sends.entry(state.in_flight, state.fd);
        state.sending |= !short;
        self.queues.push(&entry);
    }

    /// A send ended: sends what waits.
    #[inline]
    fn send_next(&mut self, slot: u32) -> Option<What> {
        let state = &mut self.slots[slot as usize];
        if !state.queue.is_empty() {
            self.send_queued(slot);
            return None;
        }
        std::mem::take(&mut state.sending).then_some(What::Sent)
    }

    #[cold]
    fn send_queued(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        match state.queue.pop() {
            Some(Piece::Script(from, to)) => {
                state.unsent = (from as u32, to as u32);
                self.await_script(slot);
            }
            Some(Piece::Bytes(mut bytes, _)) => self.begin_bytes(slot, &mut bytes),
            None => {}
        }
    }

    /// Handles the completion of a send of bytes. No event if its connection was closed meanwhile.
    pub(super) fn bytes_sent(&mut self, number: u32, result: i32) -> Option<Event> {
        let (slot, generation) = self.sends.owner(number);
        let state = &mut self.slots[slot as usize];
        if state.generation != generation {
            self.sends.end(number);
            return None;
        }
        if result >= 0 && self.sends.advance(number, result as usize) {
            self.submit_bytes(slot);
            return None;
        }
        state.in_flight = NO_SEND;
        let what = if result < 0 {
            self.sends.end(number);
            What::Failed(Fault::from_errno(-result))
        } else {
            self.send_next(slot)?
        };
        Some(Event { slot, what })
    }
}
