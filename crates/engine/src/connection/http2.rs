//! The connections of HTTP/2 and HTTP/3. Each has several lanes, and a lane carries one call at a time, on a stream of its own.
//!
//! ```text
//! lane 0 ┐
//! lane 1 ├─ seat 0 ─► link: takes calls, until its server says GOAWAY or it has carried all its calls
//! lane 2 ┘    └─────► its successor; the link before it closes when its last stream has ended
//! ```
//! The engine knows a lane by the number that a load gives to a connection of HTTP/1.

use std::collections::VecDeque;

use driver::Nanos;
use wire::StreamClient;
use wire::h2::{ErrorCode, Stream};

use crate::connection::State;
use crate::measurement::http2::Http2Counts;
use crate::plan::http2::Http2;

/// Bytes that wait to be sent before no more streams are opened: a peer that reads nothing must not use up memory.
const MOST_OUTPUT: usize = 256 * 1024;
/// Bytes of bodies that are put into one send.
const PIECE: usize = 64 * 1024;
/// Bytes of one body among them, so that bodies take turns.
const PART: usize = 16 * 1024;

/// The connections of one thread.
#[derive(Debug)]
pub struct Links {
    /// Lanes of a seat.
    streams: u32,
    /// By the slot of the driver.
    pub by_slot: Vec<Link>,
    /// Slots that may be used again.
    closed: Vec<u32>,
    /// The link of each seat that takes calls.
    seats: Vec<Option<u32>>,
    pub lanes: Vec<Lane>,
    /// The links that may have something to send.
    pending: Vec<u32>,
}

/// The place of one call at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lane {
    pub phase: Phase,
    /// The link of its call.
    pub link: u32,
    /// When its call began to wait for a stream of an open connection, if it did.
    pub since: Option<Nanos>,
    /// Bytes of the body of its call that were sent.
    sent: usize,
    /// When its body began to wait for a window, if it does.
    blocked: Option<Nanos>,
    /// The number of its call, if that is sent again.
    pub resent: Option<u64>,
}

/// The phase of a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    #[default]
    Idle,
    /// Its call waits for a stream, or for the connection.
    Waiting,
    Open(Stream),
}

/// A connection of HTTP/2 or HTTP/3.
#[derive(Debug)]
pub struct Link {
    /// `Securing`: until it is known how many streams the server allows.
    pub state: State,
    pub client: StreamClient,
    pub seat: u32,
    /// Its number among the connections of its thread.
    pub number: u32,
    /// When connecting began.
    pub began: Nanos,
    /// When it was ready for calls; 0: not yet.
    pub ready: Nanos,
    /// When connecting started, or the handshake.
    pub connect_began: Nanos,
    /// Streams opened on it, and replies received.
    pub served: u32,
    pub answered: u32,
    /// The code of the server's GOAWAY.
    pub goaway: Option<ErrorCode>,
    /// The lane of each stream, by the lane of the stream.
    pub lanes: Vec<u32>,
    /// Lanes that wait for a stream, in their order.
    pub waiting: VecDeque<u32>,
    /// Lanes that have more of a body to send, and those of which a window is used up.
    bodies: VecDeque<u32>,
    blocked: VecDeque<u32>,
    is_pending: bool,
}

impl Links {
    /// No connections yet.
    pub fn new(plan: &Http2) -> Self {
        Self {
            streams: plan.streams,
            by_slot: Vec::new(),
            closed: Vec::new(),
            seats: Vec::new(),
            lanes: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Adds a lane, and a seat for the first of several.
    pub fn add_lane(&mut self) {
        if (self.lanes.len() as u32).is_multiple_of(self.streams) {
            self.seats.push(None);
        }
        self.lanes.push(Lane::default());
    }

    /// The seat of a lane.
    pub fn seat(&self, lane: u32) -> u32 {
        lane / self.streams
    }

    /// The link that takes the calls of a seat.
    pub fn taken_by(&self, seat: u32) -> Option<u32> {
        self.seats[seat as usize]
    }

    /// Prepares a link for a seat, and returns its slot.
    pub fn begin(&mut self, seat: u32, number: u32, plan: &Http2, now: Nanos) -> u32 {
        let slot = self.closed.pop().unwrap_or_else(|| {
            self.by_slot.push(Link::new(plan));
            self.by_slot.len() as u32 - 1
        });
        self.seats[seat as usize] = Some(slot);
        self.by_slot[slot as usize].begin(seat, number, now);
        slot
    }

    /// A link takes no more calls.
    pub fn detach(&mut self, slot: u32) {
        let seat = &mut self.seats[self.by_slot[slot as usize].seat as usize];
        seat.take_if(|current| *current == slot);
    }

    /// True if a link takes no more calls, or the seat has no link.
    pub fn is_detached(&self, slot: u32) -> bool {
        self.seats[self.by_slot[slot as usize].seat as usize] != Some(slot)
    }

    /// A link was closed.
    pub fn end(&mut self, slot: u32) {
        self.detach(slot);
        self.by_slot[slot as usize].state = State::Closed;
        self.closed.push(slot);
    }

    /// The lanes with open streams on a link.
    pub fn open_lanes(&self, slot: u32) -> Vec<u32> {
        let first = self.by_slot[slot as usize].seat * self.streams;
        let is_open = |number: &u32| {
            let lane = &self.lanes[*number as usize];
            lane.link == slot && matches!(lane.phase, Phase::Open(_))
        };
        (first..first + self.streams).filter(is_open).collect()
    }

    /// A link may have something to send.
    #[inline]
    pub fn mark(&mut self, slot: u32) {
        let link = &mut self.by_slot[slot as usize];
        if !std::mem::replace(&mut link.is_pending, true) {
            self.pending.push(slot);
        }
    }

    /// Takes one of the links that may have something to send.
    #[inline]
    pub fn next_pending(&mut self) -> Option<u32> {
        let slot = self.pending.pop()?;
        self.by_slot[slot as usize].is_pending = false;
        Some(slot)
    }
}

impl Link {
    fn new(plan: &Http2) -> Self {
        Self {
            state: State::Closed,
            client: plan.client(),
            seat: 0,
            number: 0,
            began: 0,
            ready: 0,
            connect_began: 0,
            served: 0,
            answered: 0,
            goaway: None,
            lanes: vec![0; plan.streams as usize],
            waiting: VecDeque::new(),
            bodies: VecDeque::new(),
            blocked: VecDeque::new(),
            is_pending: false,
        }
    }

    fn begin(&mut self, seat: u32, number: u32, now: Nanos) {
        self.state = State::Connecting;
        (self.seat, self.number) = (seat, number);
        (self.began, self.ready, self.connect_began) = (now, 0, now);
        (self.served, self.answered) = (0, 0);
        self.goaway = None;
        self.waiting.clear();
        self.bodies.clear();
        self.blocked.clear();
    }

    /// True if a stream may be opened now. `most`: calls that a connection may carry.
    #[inline]
    pub fn has_room(&mut self, most: u32) -> bool {
        self.state == State::Open
            && self.served < most
            && self.client.room() > 0
            && self.client.output().len() < MOST_OUTPUT
    }

    /// True if it can carry no more calls.
    pub fn is_spent(&self, most: u32) -> bool {
        self.served >= most || self.client.is_spent()
    }

    /// A stream was opened for the call of a lane.
    #[inline]
    pub fn opened(&mut self, number: u32, lane: &mut Lane, stream: Stream, has_body: bool) {
        self.served += 1;
        self.lanes[stream.lane as usize] = number;
        (lane.phase, lane.sent, lane.blocked) = (Phase::Open(stream), 0, None);
        if has_body {
            self.bodies.push_back(number);
        }
    }

    /// The lane of a stream.
    #[inline]
    pub fn lane_of(&self, stream: Stream) -> u32 {
        self.lanes[stream.lane as usize]
    }

    /// The call of a lane has ended, though perhaps not all of its body was sent.
    #[inline]
    pub fn forget(&mut self, lane: u32) {
        if !(self.bodies.is_empty() && self.blocked.is_empty()) {
            self.bodies.retain(|one| *one != lane);
            self.blocked.retain(|one| *one != lane);
        }
    }

    /// A window was widened: that of a lane, or that of the connection.
    pub fn widened(&mut self, lane: Option<u32>) {
        match lane {
            None => self.bodies.append(&mut self.blocked),
            Some(lane) if self.blocked.contains(&lane) => {
                self.blocked.retain(|one| *one != lane);
                self.bodies.push_back(lane);
            }
            Some(_) => {}
        }
    }

    /// Puts bodies into the output, as much as the windows and one send allow.
    pub fn fill<'a>(
        &mut self,
        lanes: &mut [Lane],
        call: impl Fn(u32) -> (&'a [u8], bool),
        counts: &mut Http2Counts,
        now: Nanos,
    ) {
        while self.client.output().len() < PIECE
            && let Some(number) = self.bodies.pop_front()
        {
            let lane = &mut lanes[number as usize];
            let Phase::Open(stream) = lane.phase else {
                continue;
            };
            let (body, measured) = call(number);
            let rest = &body[lane.sent..];
            let part = &rest[..rest.len().min(PART)];
            let is_last = part.len() == rest.len();
            let taken = self.client.send(stream, part, is_last);
            lane.sent += taken;
            if taken > 0
                && let Some(since) = lane.blocked.take()
            {
                counts.got_window(now - since, measured);
            }
            if taken < part.len() {
                if lane.blocked.is_none() {
                    lane.blocked = Some(now);
                    counts.blocked_on_window += 1;
                }
                self.blocked.push_back(number);
            } else if !is_last {
                self.bodies.push_back(number);
            }
        }
    }

    /// True if bodies wait only for their turn.
    pub fn has_bodies(&self) -> bool {
        !self.bodies.is_empty()
    }
}
