//! The driver for kernels or containers without `io_uring`: epoll tells what is ready, plain calls move the bytes.
//!
//! Each connection is added once, edge-triggered, for reading and writing, and never changed: an edge says that
//! something new came, so a short read means that all has been taken, and only a full buffer is read again.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::Arc;

use socket2::Socket;

use crate::driver::{Driver, Event, What};
use crate::stamps::Stamps;
use crate::{Clock, Fault, Interest, Nanos, Poller, ReadyEvent, Route, Wall};

/// Large enough that most replies are one read, small enough to stay in the processor's cache.
const BUFFER: usize = 64 * 1024;

/// Connections by epoll.
pub struct Epoll {
    clock: Clock,
    poller: Poller,
    script: Arc<[u8]>,
    slots: Vec<Slot>,
    ready: VecDeque<ReadyEvent>,
    /// Sends that failed at once, to be told like everything else.
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
    /// What of the script is still to be sent: from, to.
    unsent: Option<(usize, usize)>,
}

impl Epoll {
    /// A driver that sends ranges of `script`.
    ///
    /// # Errors
    /// When the kernel gives no epoll set.
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

    /// The same with the kernel's stamps of what leaves and arrives; `wall` is how far its clock is from the run's.
    ///
    /// # Errors
    /// When the kernel gives no stamps.
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

    /// Sends what is left; true when all went or the kernel's buffer is full.
    fn push(&mut self, slot: u32) -> Result<(), Fault> {
        let state = &mut self.slots[slot as usize];
        let (Some((from, to)), Some(socket)) = (state.unsent, &state.socket) else {
            return Ok(());
        };
        let (begin, mut from, mut full) = (from, from, false);
        while from < to && !full {
            match socket.send_with_flags(&self.script[from..to], libc::MSG_NOSIGNAL) {
                Ok(sent) => from += sent,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => full = true,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Fault::from(&e)),
            }
        }
        if let Some(stamps) = &mut self.stamps {
            stamps.sent(slot, from - begin, socket);
        }
        state.unsent = (from < to).then_some((from, to));
        Ok(())
    }

    /// What one readiness means; `None` when it is used up.
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
            && state.unsent.is_some()
            && let Err(fault) = self.push(slot)
        {
            return Some(What::Failed(fault));
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

    /// Whether a readiness has more to tell after what it just told.
    fn more_behind(&self, ready: ReadyEvent, what: What) -> bool {
        match what {
            // The edge of the first bytes may have come together with that of the connection.
            What::Connected => ready.readable,
            What::Received => self.received == self.buffer.len() || ready.closed,
            What::Ended | What::Failed(_) => false,
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
        state.unsent = None;
        Ok(())
    }

    fn send(&mut self, slot: u32, from: usize, to: usize) {
        self.slot(slot).unsent = Some((from, to));
        if let Err(fault) = self.push(slot) {
            let generation = self.slots[slot as usize].generation;
            self.failed.push((key(slot, generation), fault));
        }
    }

    #[inline]
    fn sending(&self, slot: u32) -> bool {
        self.slots[slot as usize].unsent.is_some()
    }

    fn close(&mut self, slot: u32) {
        let state = self.slot(slot);
        state.generation = state.generation.wrapping_add(1);
        state.unsent = None;
        // Closing the last descriptor takes it out of the epoll set.
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
                // Behind the others: a peer that never stops sending must leave them their turn.
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

fn key(slot: u32, generation: u32) -> u64 {
    u64::from(generation) << 32 | u64::from(slot)
}

fn slot_of(key: u64) -> u32 {
    key as u32
}
