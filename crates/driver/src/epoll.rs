//! The driver for kernels and containers without `io_uring`: epoll reports readiness, plain calls move the bytes.
//!
//! Each connection is registered once, edge-triggered, for reading and writing. An edge means new data, so a short read
//! has emptied the socket, and no further call is needed to learn that. The driver reads again only after a full
//! buffer, a close, or TCP urgent data, at which a read stops.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::Arc;

use socket2::Socket;

use crate::clock::{Clock, Nanos};
use crate::driver::{Driver, Event, What};
use crate::fault::Fault;
use crate::queue::SendQueue;
use crate::route::Route;
use crate::wall::Wall;

pub mod poller;
mod stamps;

use poller::{Interest, Poller, ReadyEvent};
use stamps::Stamps;

/// Large enough to read most replies at once, small enough for the processor's cache.
const BUFFER: usize = 64 * 1024;

/// Connections by epoll.
pub struct Epoll {
    clock: Clock,
    poller: Poller,
    script: Arc<[u8]>,
    slots: Vec<Slot>,
    ready: VecDeque<ReadyEvent>,
    /// Sends that failed at once, to be reported as events.
    failed: Vec<(u64, Fault)>,
    buffer: Box<[u8]>,
    received: usize,
    stamps: Option<Stamps>,
}

#[derive(Default)]
struct Slot {
    generation: u32,
    socket: Option<Socket>,
    connecting: bool,
    /// The pieces that the kernel has not taken yet.
    queue: SendQueue,
}

impl Epoll {
    /// Creates a driver that sends ranges of `script`.
    ///
    /// # Errors
    /// When the kernel provides no epoll instance.
    pub fn new(clock: Clock, script: Arc<[u8]>) -> io::Result<Self> {
        Ok(Self {
            clock,
            poller: Poller::new()?,
            script,
            slots: Vec::new(),
            ready: VecDeque::with_capacity(1024),
            failed: Vec::new(),
            buffer: vec![0; BUFFER].into_boxed_slice(),
            received: 0,
            stamps: None,
        })
    }

    /// Adds the kernel's timestamps of what is sent and received; `wall`: offset between its clock and the run's.
    ///
    /// # Errors
    /// When the kernel provides no timestamps.
    pub fn stamping(mut self, wall: Wall) -> io::Result<Self> {
        self.stamps = Some(Stamps::new(wall)?);
        Ok(self)
    }

    fn slot(&mut self, slot: u32) -> &mut Slot {
        let index = slot as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, Slot::default);
        }
        &mut self.slots[index]
    }

    /// Sends what waits, as much as the kernel takes.
    fn send_rest(&mut self, slot: u32) -> Option<What> {
        let state = &mut self.slots[slot as usize];
        let socket = state.socket.as_ref()?;
        while let Some(rest) = state.queue.front(&self.script) {
            let length = rest.len();
            match write(slot, socket, &mut self.stamps, rest) {
                Ok(sent) => {
                    state.queue.advance(sent);
                    if sent < length {
                        return None;
                    }
                }
                Err(fault) => return Some(What::Failed(fault)),
            }
        }
        Some(What::Sent)
    }

    fn fail(&mut self, slot: u32, fault: Fault) {
        let generation = self.slots[slot as usize].generation;
        self.failed.push((key(slot, generation), fault));
    }

    /// Turns a readiness into an event; `None`: nothing is left to report.
    fn take(&mut self, ready: ReadyEvent) -> Option<What> {
        let slot = slot_of(ready.key);
        let state = &mut self.slots[slot as usize];
        if key(slot, state.generation) != ready.key {
            return None;
        }
        let socket = state.socket.as_ref()?;
        if state.connecting {
            if !ready.writable {
                return None;
            }
            state.connecting = false;
            return Some(match socket.take_error() {
                Ok(None) => {
                    if let Some(stamps) = &mut self.stamps {
                        stamps.begin(slot, socket);
                    }
                    What::Connected
                }
                Ok(Some(e)) | Err(e) => What::Failed(Fault::from(&e)),
            });
        }
        if ready.writable
            && !state.queue.is_empty()
            && let Some(what) = self.send_rest(slot)
        {
            return Some(what);
        }
        if ready.readable {
            self.read(slot)
        } else {
            None
        }
    }

    fn read(&mut self, slot: u32) -> Option<What> {
        let mut socket = self.slots[slot as usize].socket.as_ref()?;
        loop {
            let taken = match &mut self.stamps {
                None => socket.read(&mut self.buffer),
                Some(stamps) => stamps.receive(socket, &mut self.buffer),
            };
            match taken {
                Ok(0) => return Some(What::Ended),
                Ok(count) => {
                    self.received = count;
                    return Some(What::Received);
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return None,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Some(What::Failed(Fault::from(&e))),
            }
        }
    }

    /// True if a readiness may hold another event after this one.
    fn more_behind(&self, ready: ReadyEvent, what: What) -> bool {
        match what {
            // The edge of the first bytes may have come with that of the connection.
            What::Connected | What::Reached | What::Sent => ready.readable,
            What::Received => self.received == self.buffer.len() || ready.closed || ready.urgent,
            What::Ended | What::Cut | What::Failed(_) => false,
        }
    }
}

impl Driver for Epoll {
    #[inline]
    fn now(&self) -> Nanos {
        self.clock.now()
    }

    fn open(&mut self, slot: u32, route: &Route) -> Result<(), Fault> {
        let socket = route.socket(true)?;
        let generation = {
            let state = self.slot(slot);
            state.generation = state.generation.wrapping_add(1);
            state.generation
        };
        match socket.connect(route.peer()) {
            Ok(()) => {}
            Err(e) if e.raw_os_error() == Some(libc::EINPROGRESS) => {}
            Err(e) => return Err(Fault::from(&e)),
        }
        self.poller
            .add(socket.as_fd(), key(slot, generation), Interest::BOTH, true)
            .map_err(|e| Fault::from(&e))?;
        let state = self.slot(slot);
        state.socket = Some(socket);
        state.connecting = true;
        state.queue.clear();
        Ok(())
    }

    fn send(&mut self, slot: u32, from: usize, to: usize) {
        let state = &mut self.slots[slot as usize];
        if !state.queue.is_empty() {
            return state.queue.push_script(from, to);
        }
        let Some(socket) = &state.socket else {
            return;
        };
        match write(slot, socket, &mut self.stamps, &self.script[from..to]) {
            Ok(sent) if from + sent == to => {}
            Ok(sent) => state.queue.push_script(from + sent, to),
            Err(fault) => self.fail(slot, fault),
        }
    }

    fn send_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>) {
        let state = &mut self.slots[slot as usize];
        if !state.queue.is_empty() {
            return state.queue.push_bytes(bytes, 0);
        }
        let Some(socket) = &state.socket else {
            bytes.clear();
            return;
        };
        match write(slot, socket, &mut self.stamps, bytes) {
            Ok(sent) if sent == bytes.len() => bytes.clear(),
            Ok(sent) => state.queue.push_bytes(bytes, sent),
            Err(fault) => {
                bytes.clear();
                self.fail(slot, fault);
            }
        }
    }

    #[inline]
    fn sending(&self, slot: u32) -> bool {
        !self.slots[slot as usize].queue.is_empty()
    }

    fn close(&mut self, slot: u32) {
        let state = self.slot(slot);
        state.generation = state.generation.wrapping_add(1);
        state.queue.clear();
        // Closing the last descriptor removes it from the epoll set.
        state.socket = None;
    }

    fn wait(&mut self, until: Nanos) -> io::Result<()> {
        let timeout = if self.failed.is_empty() && self.ready.is_empty() {
            self.clock.until(until)
        } else {
            std::time::Duration::ZERO
        };
        let ready = self.poller.wait(Some(timeout))?;
        self.ready.extend(ready);
        Ok(())
    }

    fn next(&mut self) -> Option<Event> {
        while let Some((failed, fault)) = self.failed.pop() {
            let slot = slot_of(failed);
            if key(slot, self.slots[slot as usize].generation) == failed {
                let what = What::Failed(fault);
                return Some(Event { slot, what });
            }
        }
        while let Some(ready) = self.ready.pop_front() {
            let Some(what) = self.take(ready) else {
                continue;
            };
            if self.more_behind(ready, what) {
                // At the end of the queue: a peer that never stops sending must not starve the others.
                self.ready.push_back(ready);
            }
            let slot = slot_of(ready.key);
            return Some(Event { slot, what });
        }
        None
    }

    fn received(&self) -> &[u8] {
        &self.buffer[..self.received]
    }

    fn received_at(&self) -> Option<Nanos> {
        self.stamps.as_ref()?.arrived()
    }

    fn left_at(&mut self, slot: u32) -> Option<Nanos> {
        let socket = self.slots[slot as usize].socket.as_ref()?;
        self.stamps.as_mut()?.left(slot, socket)
    }
}

/// Sends bytes until done or the kernel's buffer is full; returns how many.
fn write(
    slot: u32,
    socket: &Socket,
    stamps: &mut Option<Stamps>,
    bytes: &[u8],
) -> Result<usize, Fault> {
    let mut sent = 0;
    while sent < bytes.len() {
        match socket.send_with_flags(&bytes[sent..], libc::MSG_NOSIGNAL) {
            Ok(count) => sent += count,
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Fault::from(&e)),
        }
    }
    if let Some(stamps) = stamps {
        stamps.sent(slot, sent, socket);
    }
    Ok(sent)
}

fn key(slot: u32, generation: u32) -> u64 {
    u64::from(generation) << 32 | u64::from(slot)
}

fn slot_of(key: u64) -> u32 {
    key as u32
}
