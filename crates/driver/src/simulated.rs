//! A driver with virtual time and a scripted server, to test schedules and timeouts without waiting.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;

use crate::clock::Nanos;
use crate::driver::{Driver, Event, What};
use crate::fault::Fault;
use crate::route::Route;

/// An act of a simulated server on a connection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// Bytes arrive at the client.
    Reply(Vec<u8>),
    /// The server closes.
    End,
    /// The server resets the connection.
    Reset,
}

/// A simulated server. Delays are nanoseconds from `at`.
pub trait Scene {
    /// A client connects. Returns the delay of the answer, and whether it is accepted.
    fn connect(&mut self, at: Nanos, connection: u64) -> (Nanos, bool);

    /// Bytes arrive on a connection. Returns the acts that follow, each with its delay.
    fn receive(&mut self, at: Nanos, connection: u64, bytes: &[u8]) -> Vec<(Nanos, Act)>;
}

/// Connections to a [`Scene`], in virtual time.
pub struct Simulated<S> {
    now: Nanos,
    script: Arc<[u8]>,
    scene: S,
    /// The current connection of each slot.
    slots: Vec<Option<u64>>,
    opened: u64,
    order: u64,
    coming: BinaryHeap<Reverse<Planned>>,
    received: Vec<u8>,
}

/// Time, order among equal times, slot, connection, event.
type Planned = (Nanos, u64, u32, u64, Coming);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Coming {
    Connected,
    Refused,
    Act(Act),
}

impl<S: Scene> Simulated<S> {
    /// Creates a driver at time zero.
    pub fn new(script: Arc<[u8]>, scene: S) -> Self {
        Self {
            now: 0,
            script,
            scene,
            slots: Vec::new(),
            opened: 0,
            order: 0,
            coming: BinaryHeap::new(),
            received: Vec::new(),
        }
    }

    /// The simulated server.
    pub fn scene(&self) -> &S {
        &self.scene
    }

    fn deliver(&mut self, slot: u32, bytes: &[u8]) {
        let Some(connection) = self.slots[slot as usize] else {
            return;
        };
        for (delay, act) in self.scene.receive(self.now, connection, bytes) {
            self.plan(delay, slot, connection, Coming::Act(act));
        }
    }

    fn plan(&mut self, delay: Nanos, slot: u32, connection: u64, coming: Coming) {
        self.order += 1;
        let at = self.now + delay;
        self.coming
            .push(Reverse((at, self.order, slot, connection, coming)));
    }
}

impl<S: Scene> Driver for Simulated<S> {
    fn now(&self) -> Nanos {
        self.now
    }

    fn open(&mut self, slot: u32, _route: &Route) -> Result<(), Fault> {
        if slot as usize >= self.slots.len() {
            self.slots.resize(slot as usize + 1, None);
        }
        self.opened += 1;
        let connection = self.opened;
        self.slots[slot as usize] = Some(connection);
        let (delay, accepted) = self.scene.connect(self.now, connection);
        let coming = if accepted {
            Coming::Connected
        } else {
            Coming::Refused
        };
        self.plan(delay, slot, connection, coming);
        Ok(())
    }

    fn send(&mut self, slot: u32, from: usize, to: usize) {
        let script = Arc::clone(&self.script);
        self.deliver(slot, &script[from..to]);
    }

    fn send_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>) {
        self.deliver(slot, bytes);
        bytes.clear();
    }

    fn sending(&self, _slot: u32) -> bool {
        false
    }

    fn close(&mut self, slot: u32) {
        self.slots[slot as usize] = None;
    }

    fn wait(&mut self, until: Nanos) -> io::Result<()> {
        let next = self.coming.peek().map_or(until, |Reverse(first)| first.0);
        self.now = self.now.max(next.min(until));
        Ok(())
    }

    fn next(&mut self) -> Option<Event> {
        while let Some(Reverse(first)) = self.coming.peek() {
            if first.0 > self.now {
                return None;
            }
            let Reverse((_, _, slot, connection, coming)) = self.coming.pop()?;
            if self.slots[slot as usize] != Some(connection) {
                continue;
            }
            let what = match coming {
                Coming::Connected => What::Connected,
                Coming::Refused => What::Failed(Fault::Refused),
                Coming::Act(Act::Reply(bytes)) => {
                    self.received = bytes;
                    What::Received
                }
                Coming::Act(Act::End) => What::Ended,
                Coming::Act(Act::Reset) => What::Failed(Fault::Reset),
            };
            return Some(Event { slot, what });
        }
        None
    }

    fn received(&self) -> &[u8] {
        &self.received
    }
}
