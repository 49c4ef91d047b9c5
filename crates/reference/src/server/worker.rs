//! One server thread: its listening socket, connections and timers, and its event loop.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use driver::{Interest, Poller, ReadyEvent, Waker};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};

use crate::duration::nanoseconds;
use crate::server::connection::{Connection, Fate};
use crate::server::state::ThreadState;
use crate::server::timers::Timers;

/// Keys that are not connections. The key of a connection is its generation (high bits) and its slot (low bits).
const LISTENER: u64 = u64::MAX;
const WAKER: u64 = u64::MAX - 1;
/// Most connections accepted before open ones are served again.
const MOST_ACCEPTED: usize = 64;
/// The time before a due reply when the thread stops sleeping and polls. Waking an idle CPU of a virtual machine takes
/// up to 100 µs, and the kernel may prolong a wait by 0.1 %. Requests that arrive while polling are read at once, too.
const AWAKE_BEFORE: Duration = Duration::from_millis(12);
/// Pause of accepting when no descriptor is left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// A slot for one connection. The generation identifies late events of the previous connection.
#[derive(Default)]
struct Slot {
    generation: u32,
    connection: Option<Connection>,
}

pub(crate) struct Worker {
    poller: Poller,
    listener: OwnedFd,
    waker: Arc<Waker>,
    state: ThreadState,
    slots: Vec<Slot>,
    free: Vec<u32>,
    timers: Timers,
    events: Vec<ReadyEvent>,
}

impl Worker {
    pub(crate) fn new(
        listener: OwnedFd,
        waker: Arc<Waker>,
        state: ThreadState,
    ) -> io::Result<Self> {
        let poller = Poller::new()?;
        poller.add(listener.as_fd(), LISTENER, Interest::READ, false)?;
        poller.add(waker.as_fd(), WAKER, Interest::READ, false)?;
        Ok(Self {
            poller,
            listener,
            waker,
            state,
            slots: Vec::new(),
            free: Vec::new(),
            timers: Timers::default(),
            events: Vec::new(),
        })
    }

    /// Serves until the server stops.
    pub(crate) fn run(mut self) -> io::Result<()> {
        while !self.state.is_stopping() {
            let timeout = self.timeout();
            self.events.clear();
            self.events.extend_from_slice(self.poller.wait(timeout)?);
            let events = std::mem::take(&mut self.events);
            for event in &events {
                self.state.sit_out_stall();
                self.take(*event)?;
            }
            self.events = events;
            self.fire_timers()?;
        }
        Ok(())
    }

    /// The time to sleep: until shortly before the next timer, to poll the rest. When arrivals are recorded, none: they
    /// would be the times of waking up.
    fn timeout(&self) -> Option<Duration> {
        if self.state.keeps_arrivals() {
            return Some(Duration::ZERO);
        }
        if self.timers.is_empty() {
            return None;
        }
        let wait = self.timers.wait_from(self.state.now_ns())?;
        Some(wait.saturating_sub(AWAKE_BEFORE))
    }

    fn take(&mut self, event: ReadyEvent) -> io::Result<()> {
        match event.key {
            LISTENER => self.accept(),
            WAKER => self.waker.reset(),
            key => {
                if let Some(connection) = self.find(key) {
                    connection.note(&event);
                    self.pump(key);
                }
                Ok(())
            }
        }
    }

    fn fire_timers(&mut self) -> io::Result<()> {
        while !self.timers.is_empty() {
            self.state.sit_out_stall();
            match self.timers.pop_due(self.state.now_ns()) {
                None => break,
                Some(LISTENER) => {
                    self.poller
                        .modify(self.listener.as_fd(), LISTENER, Interest::READ, false)?;
                }
                Some(key) => self.pump(key),
            }
        }
        Ok(())
    }

    fn accept(&mut self) -> io::Result<()> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        for _ in 0..MOST_ACCEPTED {
            match accept_with(&self.listener, flags) {
                Ok(socket) => self.welcome(Connection::new(socket))?,
                Err(Errno::AGAIN) => break,
                Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                    return self.pause_accepting();
                }
                // This connection failed in the queue; try the next one.
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// New connections stay in the kernel's queue without waking the loop.
    fn pause_accepting(&mut self) -> io::Result<()> {
        let nothing = Interest {
            read: false,
            write: false,
        };
        self.poller
            .modify(self.listener.as_fd(), LISTENER, nothing, false)?;
        self.timers
            .arm(self.state.now_ns() + nanoseconds(ACCEPT_PAUSE), LISTENER);
        Ok(())
    }

    /// Serves what has already arrived. A connection that ends here is never added to the poller.
    fn welcome(&mut self, mut connection: Connection) -> io::Result<()> {
        if connection.pump(&mut self.state) != Ok(Fate::Open) {
            return Ok(());
        }
        let place = self.free.pop().unwrap_or(self.slots.len() as u32);
        if place as usize == self.slots.len() {
            self.slots.push(Slot::default());
        }
        let slot = &mut self.slots[place as usize];
        let key = u64::from(slot.generation) << 32 | u64::from(place);
        self.poller
            .add(connection.as_fd(), key, Interest::BOTH, true)?;
        arm(&mut connection, key, &mut self.timers);
        slot.connection = Some(connection);
        Ok(())
    }

    fn find(&mut self, key: u64) -> Option<&mut Connection> {
        let slot = self.slots.get_mut(key as u32 as usize)?;
        if slot.generation == (key >> 32) as u32 {
            slot.connection.as_mut()
        } else {
            None
        }
    }

    fn pump(&mut self, key: u64) {
        let place = key as u32;
        let Some(slot) = self.slots.get_mut(place as usize) else {
            return;
        };
        if slot.generation != (key >> 32) as u32 {
            return;
        }
        let Some(connection) = &mut slot.connection else {
            return;
        };
        if connection.pump(&mut self.state) == Ok(Fate::Open) {
            arm(connection, key, &mut self.timers);
        } else {
            // Dropping closes the socket, which removes it from the poller.
            slot.connection = None;
            slot.generation = slot.generation.wrapping_add(1) & (u32::MAX >> 1);
            self.free.push(place);
        }
    }
}

/// Arms a timer for the next step of a connection, unless it is armed already.
fn arm(connection: &mut Connection, key: u64, timers: &mut Timers) {
    if let Some(due_ns) = connection.next_due_ns()
        && due_ns != connection.armed_ns
    {
        connection.armed_ns = due_ns;
        timers.arm(due_ns, key);
    }
}
