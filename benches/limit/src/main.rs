//! The bare limit of a closed loop: sends a request, waits for so many bytes, sends it again; by `io_uring`, and
//! nothing else. No reply is parsed, no time is taken, nothing but replies is counted: what a load engine costs more
//! than this is its own doing, the rest is the kernel's.
//!
//! `limit ADDRESS PATH CONNECTIONS BURST SECONDS [CALLS]`; pin it with `taskset`. Prints the number of replies. With
//! CALLS, a connection is closed and a new one opened after so many (`reconnect`).

mod reconnect;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use io_uring::squeue::Flags;
use io_uring::types::{BufRingEntry, Fd};
use io_uring::{IoUring, cqueue, opcode};

type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "usage: limit ADDRESS PATH CONNECTIONS BURST SECONDS [CALLS]";
const SIZE: usize = 32 * 1024;
const STRIDE: usize = SIZE + 5 * 64;
const BUFFERS: u16 = 256;
const SEND: u64 = 1 << 32;

/// Receive buffers that the kernel takes from a ring.
struct Buffers {
    ring: Box<[BufRingEntry]>,
    memory: Vec<u8>,
    tail: u16,
}

impl Buffers {
    fn give_back(&mut self, id: u16) {
        let address = self.memory[usize::from(id) * STRIDE..].as_ptr() as u64;
        let entry = &mut self.ring[usize::from(self.tail % BUFFERS)];
        entry.set_addr(address);
        entry.set_len(SIZE as u32);
        entry.set_bid(id);
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the tail lies inside the ring's first entry; the kernel reads it, only this thread writes it.
        unsafe {
            let tail =
                BufRingEntry::tail(self.ring.as_ptr()).cast::<std::sync::atomic::AtomicU16>();
            (*tail).store(self.tail, std::sync::atomic::Ordering::Release);
        }
    }
}

/// A page-aligned ring of zeroed entries.
#[expect(clippy::cast_ptr_alignment, reason = "the layout asks for a page")]
fn entries() -> Box<[BufRingEntry]> {
    let layout =
        std::alloc::Layout::from_size_align(usize::from(BUFFERS) * size_of::<BufRingEntry>(), 4096);
    // SAFETY: the entries are plain numbers, for which zero is a value; the slice has the size that was allocated,
    // and is never freed before the program ends.
    unsafe {
        let memory = std::alloc::alloc_zeroed(
            layout.unwrap_or_else(|_| std::alloc::Layout::new::<BufRingEntry>()),
        );
        let slice =
            std::ptr::slice_from_raw_parts_mut(memory.cast::<BufRingEntry>(), usize::from(BUFFERS));
        Box::from_raw(slice)
    }
}

/// The bytes of one reply, by asking once.
fn reply_length(address: &str, request: &[u8]) -> Result<usize, Failure> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_millis(300)))?;
    stream.write_all(request)?;
    let (mut total, mut piece) = (0, vec![0; 65536]);
    while let Ok(1..) = stream.read(&mut piece).inspect(|length| total += length) {}
    if total == 0 {
        return Err("no reply".into());
    }
    Ok(total)
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, path, connections, burst, seconds, calls @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let (connections, burst): (usize, usize) = (connections.parse()?, burst.parse()?);
    let one = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let wanted = reply_length(address, one.as_bytes())? * burst;
    let request = one.repeat(burst).into_bytes();
    let duration = Duration::from_secs_f64(seconds.parse()?);
    let replies = match calls.first() {
        None => exchange(address, &request, wanted, connections, duration)?,
        Some(calls) => {
            let work =
                reconnect::Work::new(address, request, wanted, calls.parse::<usize>()? / burst)?;
            reconnect::exchange(&work, connections, duration)?
        }
    };
    writeln!(std::io::stdout(), "{}", replies * burst as u64)?;
    // The kernel closes the sockets and the ring; nothing else is to be done.
    std::process::exit(0);
}

/// A ring as the engine sets one up, with its receive buffers.
fn set_up() -> Result<(IoUring, Buffers), Failure> {
    let ring: IoUring = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_taskrun_flag()
        .setup_clamp()
        .setup_cqsize(16 * 1024)
        .build(1024)?;
    let mut buffers = Buffers {
        ring: entries(),
        memory: vec![0; usize::from(BUFFERS) * STRIDE],
        tail: 0,
    };
    // SAFETY: the ring of buffers is page-aligned, has this many entries, and lives until the program ends.
    unsafe {
        ring.submitter().register_buf_ring_with_flags(
            buffers.ring.as_ptr() as u64,
            BUFFERS,
            0,
            0,
        )?;
    }
    (0..BUFFERS).for_each(|id| buffers.give_back(id));
    Ok((ring, buffers))
}

/// Requests and replies on all connections until time is up; how many replies came whole.
fn exchange(
    address: &str,
    request: &[u8],
    wanted: usize,
    connections: usize,
    duration: Duration,
) -> Result<u64, Failure> {
    let (mut ring, mut buffers) = set_up()?;
    let sockets = (0..connections)
        .map(|_| TcpStream::connect(address))
        .collect::<Result<Vec<_>, _>>()?;
    for socket in &sockets {
        socket.set_nodelay(true)?;
    }
    let receive = |index: usize| {
        opcode::RecvMulti::new(Fd(sockets[index].as_raw_fd()), 0)
            .build()
            .user_data(index as u64)
    };
    let send = |index: usize| {
        opcode::Send::new(
            Fd(sockets[index].as_raw_fd()),
            request.as_ptr(),
            request.len() as u32,
        )
        .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
        .build()
        .flags(Flags::SKIP_SUCCESS)
        .user_data(SEND | index as u64)
    };
    for index in 0..connections {
        push(&mut ring, &receive(index));
        push(&mut ring, &send(index));
    }
    let mut missing = vec![wanted; connections];
    let (mut replies, begin) = (0, Instant::now());
    while begin.elapsed() < duration {
        ring.submit_and_wait(1)?;
        while let Some(completion) = { ring.completion().next() } {
            let index = completion.user_data() as usize & 0xffff_ffff;
            if completion.user_data() & SEND != 0 || completion.result() == 0 {
                return Err(format!("connection {index} ended: {}", completion.result()).into());
            }
            if let Some(id) = cqueue::buffer_select(completion.flags()) {
                buffers.give_back(id);
            }
            if !cqueue::more(completion.flags()) {
                push(&mut ring, &receive(index));
            }
            missing[index] = missing[index].saturating_sub(completion.result().max(0) as usize);
            if missing[index] == 0 {
                missing[index] = wanted;
                replies += 1;
                push(&mut ring, &send(index));
            }
        }
    }
    Ok(replies)
}

/// Queues an operation; a full queue is submitted first.
fn push(ring: &mut IoUring, entry: &io_uring::squeue::Entry) {
    // SAFETY: what entries point to (the request, the buffers) lives until the program ends.
    while unsafe { ring.submission().push(entry) }.is_err() {
        let _ = ring.submit();
    }
}
