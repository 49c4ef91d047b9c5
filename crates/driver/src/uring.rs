//! The driver on `io_uring`: one system call per turn submits all sends and returns all completions.
//!
//! - Receive: a single-shot operation for the first bytes of a connection, so that short connections have nothing to
//!   cancel, then a multishot one. The kernel picks the buffers from a ring.
//! - Send: the kernel sends the whole piece (`MSG_WAITALL`), one at a time. A short range of the script that waits for no
//!   other asks for no completion on success.
//! - Completions carry slot, generation and operation; those of an earlier generation are dropped.

use std::io;
use std::os::fd::IntoRawFd;
use std::sync::Arc;

use io_uring::squeue::Flags;
use io_uring::types::Fd;
use io_uring::{cqueue, opcode};
use socket2::SockAddr;

use crate::clock::{Clock, Nanos};
use crate::driver::{Driver, Event, What};
use crate::fault::Fault;
use crate::route::Route;

mod buffers;
mod queues;
mod sends;
mod slot;
mod tags;
mod transmission;

use buffers::Buffers;
use queues::Queues;
use sends::{NO_SEND, SHORT_SEND, Sends};
use slot::{CLOSED, Slot};
use tags::{GENERATION_MASK, Op, tag, untag};

/// Connections by `io_uring`.
pub struct Uring {
    clock: Clock,
    queues: Queues,
    script: Arc<[u8]>,
    #[expect(
        clippy::vec_box,
        reason = "the kernel holds pointers to them while the list grows"
    )]
    peers: Vec<Box<SockAddr>>,
    slots: Vec<Slot>,
    buffers: Buffers,
    sends: Sends,
    /// The buffer that [`Driver::received`] returns, and its filled length.
    shown: Option<(u16, usize)>,
    /// Connections that need a new receive: after their first bytes, and after a lack of buffers.
    starved: Vec<u64>,
}

/// `IORING_RECVSEND_POLL_FIRST`: the kernel polls before it tries to receive.
const POLL_FIRST: u16 = 1;

impl Uring {
    /// Creates a driver that sends ranges of `script`, for this number of connections.
    ///
    /// # Errors
    /// When the kernel or the container forbids `io_uring`, or lacks a feature this driver needs (Linux 6.1).
    pub fn new(clock: Clock, script: Arc<[u8]>, connections: usize) -> io::Result<Self> {
        let queues = Queues::new()?;
        let buffers = Buffers::register(queues.ring(), connections)
            .map_err(|e| named("a ring of buffers", &e))?;
        Ok(Self {
            clock,
            queues,
            script,
            peers: Vec::new(),
            slots: Vec::new(),
            buffers,
            sends: Sends::default(),
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

    /// The driver's own copy of an address, at a fixed place: the kernel reads it when the connect is submitted.
    fn peer(&mut self, route: &Route) -> &SockAddr {
        let known = self.peers.iter().position(|peer| **peer == *route.peer());
        let index = known.unwrap_or_else(|| {
            self.peers.push(Box::new(route.peer().clone()));
            self.peers.len() - 1
        });
        &self.peers[index]
    }

    /// Submits the first receive of a connection, a single-shot one.
    fn receive_first(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        state.receiving = true;
        let entry = opcode::Recv::new(Fd(state.fd), std::ptr::null_mut(), 0)
            .ioprio(POLL_FIRST)
            .buf_group(Buffers::GROUP)
            .build()
            .flags(Flags::BUFFER_SELECT)
            .user_data(tag(slot, state.generation, Op::Receive));
        self.queues.push(&entry);
    }

    fn receive(&mut self, slot: u32) {
        let state = &mut self.slots[slot as usize];
        state.receiving = true;
        let entry = opcode::RecvMulti::new(Fd(state.fd), Buffers::GROUP)
            .build()
            .user_data(tag(slot, state.generation, Op::Receive));
        self.queues.push(&entry);
    }

    /// Turns a completion into an event, if it is one.
    fn take(&mut self, completion: &cqueue::Entry) -> Option<Event> {
        let (slot, generation, op) = untag(completion.user_data());
        if op == Op::SendBytes {
            return self.bytes_sent(slot, completion.result());
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
            Op::SendBytes | Op::Cancel | Op::Close => None,
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

    /// Schedules another receive, for when the buffers shown so far are given back.
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
        // Blocking on purpose: on a non-blocking socket io_uring returns EAGAIN instead of waiting.
        let fd = route.socket(false)?.into_raw_fd();
        let state = self.slot(slot);
        state.generation = state.generation.wrapping_add(1);
        state.fd = fd;
        state.connecting = true;
        state.receiving = false;
        state.sending = false;
        state.in_flight = NO_SEND;
        let user_data = tag(slot, state.generation, Op::Connect);
        let peer = self.peer(route);
        let entry = opcode::Connect::new(Fd(fd), peer.as_ptr().cast(), peer.len())
            .build()
            .user_data(user_data);
        self.queues.push(&entry);
        Ok(())
    }

    fn send(&mut self, slot: u32, from: usize, to: usize) {
        let state = &mut self.slots[slot as usize];
        if state.in_flight == NO_SEND {
            state.unsent = (from as u32, to as u32);
            if to - from > SHORT_SEND {
                self.await_script(slot);
            } else {
                self.submit_script(slot, Flags::SKIP_SUCCESS);
            }
        } else {
            state.sending = true;
            state.queue.push_script(from, to);
        }
    }

    fn send_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>) {
        let state = &mut self.slots[slot as usize];
        if state.fd != CLOSED {
            if state.in_flight == NO_SEND {
                self.begin_bytes(slot, bytes);
            } else {
                state.sending = true;
                state.queue.push_bytes(bytes, 0);
            }
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
        let under_way = state.under_way(slot);
        state.fd = CLOSED;
        state.in_flight = NO_SEND;
        state.queue.clear();
        state.generation = generation.wrapping_add(1);
        for target in under_way.into_iter().flatten() {
            let cancel = opcode::AsyncCancel::new(target)
                .build()
                .flags(Flags::SKIP_SUCCESS)
                .user_data(tag(slot, generation, Op::Cancel));
            self.queues.push(&cancel);
        }
        let close = opcode::Close::new(Fd(fd))
            .build()
            .flags(Flags::SKIP_SUCCESS)
            .user_data(tag(slot, generation, Op::Close));
        self.queues.push(&close);
    }

    fn wait(&mut self, until: Nanos) -> io::Result<()> {
        self.give_back_shown();
        self.feed_starved();
        self.queues.submit_and_wait(self.clock, until)
    }

    fn next(&mut self) -> Option<Event> {
        self.give_back_shown();
        loop {
            let completion = self.queues.next()?;
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
        self.queues.submit();
    }
}

fn named(what: &str, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{what}: {error}"))
}
