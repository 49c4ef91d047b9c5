//! The driver on `io_uring`: one system call a turn submits all sends and brings all that arrived.
//!
//! Receiving is one operation for the first bytes of a connection, which leaves nothing to cancel where these are all,
//! and a multishot one for the rest, into buffers that the kernel picks from a ring; sending asks the kernel for all of
//! the range (`MSG_WAITALL`) and, where that is short, for no completion when it succeeds.
//! Completions carry the slot, its generation and the operation; those of a former generation are dropped.

use std::io;
use std::os::fd::IntoRawFd;
use std::sync::Arc;

use io_uring::squeue::Flags;
use io_uring::types::{Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};

use socket2::SockAddr;

use crate::driver::{Driver, Event, What};
use crate::{Clock, Fault, Nanos, Route};

mod buffers;
mod flights;
mod slot;
mod tags;

use buffers::Buffers;
use flights::{Flights, GROUNDED};
use slot::{CLOSED, Slot};
use tags::{GENERATION_MASK, Op, flight_tag, tag, untag};

/// Submissions a turn; more are handed over in several calls.
const SUBMISSIONS: u32 = 1024;
/// Completions that fit before the kernel has to keep them aside.
const COMPLETIONS: u32 = 16 * 1024;

/// A longer send may have to wait for the peer, so that its end is of interest: 8 KiB, half of what the kernel's
/// smallest default send buffer takes at once.
const SHORT_SEND: usize = 8 * 1024;

/// Connections by `io_uring`.
pub struct Uring {
    clock: Clock,
    ring: IoUring,
    script: Arc<[u8]>,
    #[expect(
        clippy::vec_box,
        reason = "the kernel holds pointers to them while the list grows"
    )]
    peers: Vec<Box<SockAddr>>,
    slots: Vec<Slot>,
    buffers: Buffers,
    flights: Flights,
    /// The buffer that [`Driver::received`] shows, and how much of it is filled.
    shown: Option<(u16, usize)>,
    /// Connections whose receiving ended: the first time, and where no buffer was free.
    starved: Vec<u64>,
}

/// The kernel waits for bytes before it looks for them (`IORING_RECVSEND_POLL_FIRST`).
const POLL_FIRST: u16 = 1;

impl Uring {
    /// A driver that sends ranges of `script`, for so many connections.
    ///
    /// # Errors
    /// When the kernel or the container forbids `io_uring`, or lacks a feature this driver needs (Linux 6.1).
    pub fn new(clock: Clock, script: Arc<[u8]>, connections: usize) -> io::Result<Self> {
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_clamp()
            .setup_cqsize(COMPLETIONS)
            .build(SUBMISSIONS)
            .map_err(|e| said("io_uring_setup", &e))?;
        let buffers =
            Buffers::register(&ring, connections).map_err(|e| said("a ring of buffers", &e))?;
        Ok(Self {
            clock,
            ring,
            script,
            peers: Vec::new(),
            slots: Vec::new(),
            buffers,
            flights: Flights::default(),
            shown: None,
            starved: Vec::new(),
        })
    }

    fn slot(&mut self, slot: u32) -> &mut Slot {
        let index = slot as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, Slot::default);
        }
        &mut self.slots[index]
    }

    /// Queues one operation; hands the queue over first when it is full.
    fn push(&mut self, entry: &squeue::Entry) {
        loop {
            // SAFETY: what an entry points to lives as long as the driver: the script, the addresses (boxed), the
            // buffers; the bytes of a flight until its completion, and the driver's end cancels those that fly.
            if unsafe { self.ring.submission().push(entry) }.is_ok() {
                return;
            }
            // A full queue empties by being submitted; EBUSY and EINTR pass.
            let _ = self.ring.submit();
        }
    }

    /// The driver's own copy of an address, which stays where it is: the kernel reads it when `open` is submitted.
    fn peer(&mut self, route: &Route) -> &SockAddr {
        let known = self.peers.iter().position(|peer| **peer == *route.peer());
        let index = known.unwrap_or_else(|| {
            self.peers.push(Box::new(route.peer().clone()));
            self.peers.len() - 1
        });
        &self.peers[index]
    }

    /// Receives once: nobody has asked for anything yet.
    fn receive_first(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        state.receiving = true;
        let entry = opcode::Recv::new(Fd(state.fd), std::ptr::null_mut(), 0)
            .ioprio(POLL_FIRST)
            .buf_group(Buffers::GROUP)
            .build()
            .flags(Flags::BUFFER_SELECT)
            .user_data(tag(slot, state.generation, Op::Receive));
        self.push(&entry);
    }

    fn receive(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        state.receiving = true;
        let entry = opcode::RecvMulti::new(Fd(state.fd), Buffers::GROUP)
            .build()
            .user_data(tag(slot, state.generation, Op::Receive));
        self.push(&entry);
    }

    fn transmit(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        let (from, to) = state.unsent;
        let bytes = &self.script[from..to];
        state.sending = bytes.len() > SHORT_SEND;
        let flags = if state.sending {
            Flags::empty()
        } else {
            Flags::SKIP_SUCCESS
        };
        let entry = opcode::Send::new(Fd(state.fd), bytes.as_ptr(), bytes.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_WAITALL)
            .build()
            .flags(flags)
            .user_data(tag(slot, state.generation, Op::Send));
        self.push(&entry);
    }

    /// What a completion means, if anything.
    fn take(&mut self, completion: &cqueue::Entry) -> Option<Event> {
        let (slot, generation, op) = untag(completion.user_data());
        if op == Op::Fly {
            return self.landed(slot, completion.result());
        }
        let buffer = cqueue::buffer_select(completion.flags());
        let state = &mut self.slots[slot as usize];
        if state.generation & GENERATION_MASK != generation {
            if let Some(id) = buffer {
                self.buffers.give_back(id);
            }
            return None;
        }
        let result = completion.result();
        let what = match op {
            Op::Connect => Some(self.connected(slot, result)),
            Op::Receive => {
                let more = cqueue::more(completion.flags());
                self.arrived(slot, result, buffer, more)
            }
            Op::Send => self.sent(slot, result),
            Op::Fly | Op::Cancel | Op::Close => None,
        };
        what.map(|what| Event { slot, what })
    }

    fn connected(&mut self, slot: u32, result: i32) -> What {
        self.slots[slot as usize].connecting = false;
        if result < 0 {
            return What::Failed(Fault::from_errno(-result));
        }
        self.receive_first(slot);
        What::Connected
    }

    fn arrived(&mut self, slot: u32, result: i32, buffer: Option<u16>, more: bool) -> Option<What> {
        self.slots[slot as usize].receiving = more;
        match (result, buffer) {
            (1.., Some(id)) => {
                self.shown = Some((id, result as usize));
                if !more {
                    self.starve(slot);
                }
                Some(What::Received)
            }
            (_, Some(id)) => {
                self.buffers.give_back(id);
                Some(What::Ended)
            }
            (0.., None) => Some(What::Ended),
            (failure, None) if failure == -libc::ENOBUFS => {
                self.starve(slot);
                None
            }
            (failure, None) => Some(What::Failed(Fault::from_errno(-failure))),
        }
    }

    /// Receives again once the buffers shown so far are back.
    fn starve(&mut self, slot: u32) {
        let generation = self.slots[slot as usize].generation;
        self.starved.push(tag(slot, generation, Op::Receive));
    }

    fn feed_starved(&mut self) {
        while let Some(user_data) = self.starved.pop() {
            let (slot, generation, _) = untag(user_data);
            let state = &self.slots[slot as usize];
            if state.generation & GENERATION_MASK == generation && !state.receiving {
                self.receive(slot);
            }
        }
    }

    fn sent(&mut self, slot: u32, result: i32) -> Option<What> {
        if result < 0 {
            return Some(What::Failed(Fault::from_errno(-result)));
        }
        let state = &mut self.slots[slot as usize];
        state.sending = false;
        state.unsent.0 += result as usize;
        if state.unsent.0 < state.unsent.1 {
            self.transmit(slot);
        }
        None
    }

    fn give_back_shown(&mut self) {
        if let Some((id, _)) = self.shown.take() {
            self.buffers.give_back(id);
        }
    }
}

impl Driver for Uring {
    #[inline]
    fn now(&self) -> Nanos {
        self.clock.now()
    }

    fn open(&mut self, slot: u32, route: &Route) -> Result<(), Fault> {
        // Blocking on purpose: on a non-blocking socket io_uring answers EAGAIN instead of waiting.
        let fd = route.socket(false)?.into_raw_fd();
        let state = self.slot(slot);
        state.generation = state.generation.wrapping_add(1);
        state.fd = fd;
        state.connecting = true;
        state.receiving = false;
        state.sending = false;
        state.flight = GROUNDED;
        let user_data = tag(slot, state.generation, Op::Connect);
        let peer = self.peer(route);
        let entry = opcode::Connect::new(Fd(fd), peer.as_ptr().cast(), peer.len())
            .build()
            .user_data(user_data);
        self.push(&entry);
        Ok(())
    }

    fn send(&mut self, slot: u32, from: usize, to: usize) {
        self.slots[slot as usize].unsent = (from, to);
        self.transmit(slot);
    }

    fn send_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>) {
        if self.slots[slot as usize].fd != CLOSED {
            self.send_flight(slot, bytes);
        }
        bytes.clear();
    }

    #[inline]
    fn sending(&self, slot: u32) -> bool {
        self.slots[slot as usize].sending
    }

    fn close(&mut self, slot: u32) {
        let state = self.slot(slot);
        if state.fd == CLOSED {
            return;
        }
        let (fd, generation) = (state.fd, state.generation);
        let flying = state.flight != GROUNDED;
        let pending = [
            (state.connecting, tag(slot, generation, Op::Connect)),
            (state.receiving, tag(slot, generation, Op::Receive)),
            (state.sending && !flying, tag(slot, generation, Op::Send)),
            (flying, flight_tag(state.flight)),
        ];
        state.fd = CLOSED;
        state.flight = GROUNDED;
        state.generation = generation.wrapping_add(1);
        for (_, target) in pending.into_iter().filter(|(under_way, _)| *under_way) {
            let cancel = opcode::AsyncCancel::new(target)
                .build()
                .flags(Flags::SKIP_SUCCESS)
                .user_data(tag(slot, generation, Op::Cancel));
            self.push(&cancel);
        }
        let close = opcode::Close::new(Fd(fd))
            .build()
            .flags(Flags::SKIP_SUCCESS)
            .user_data(tag(slot, generation, Op::Close));
        self.push(&close);
    }

    fn wait(&mut self, until: Nanos) -> io::Result<()> {
        self.give_back_shown();
        self.feed_starved();
        let left = self.clock.until(until);
        let submitter = self.ring.submitter();
        let answer = if left.is_zero() {
            // Only looking: hand over what there is and run what the kernel has put off, without its timer.
            submitter.submit_with_args(0, &SubmitArgs::new())
        } else {
            let timeout = Timespec::from(left);
            submitter.submit_with_args(1, &SubmitArgs::new().timespec(&timeout))
        };
        match answer {
            Ok(_) => Ok(()),
            Err(e) if passes(&e) => Ok(()),
            Err(e) => Err(e),
        }
    }

    fn next(&mut self) -> Option<Event> {
        self.give_back_shown();
        loop {
            let completion = self.ring.completion().next()?;
            if let Some(event) = self.take(&completion) {
                return Some(event);
            }
        }
    }

    fn received(&self) -> &[u8] {
        self.shown
            .map_or(&[], |(id, length)| self.buffers.filled(id, length))
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        for slot in 0..self.slots.len() as u32 {
            self.close(slot);
        }
        let _ = self.ring.submit();
    }
}

/// Time ran out, a signal came, or the kernel is behind with completions: the next turn goes on.
fn passes(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN)
    )
}

fn said(what: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}
