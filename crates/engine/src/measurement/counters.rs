//! The books of one thread: where every call went and how long it took. Merged with the others' at the end.

use driver::{Handshakes, Nanos};
use tally::{Calls, ErrorClass, Intervals, Statuses, Times};

use crate::measurement::call::{Call, Reply};
use crate::measurement::evidence::Evidence;
use crate::measurement::kernel::Kernel;
use crate::measurement::offered::Offered;
use crate::measurement::usage::Usage;
use crate::measurement::window::Window;

/// What became of connections.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectionCounts {
    pub opened: u64,
    pub failed: u64,
    pub closed_by_server: u64,
    pub open: u64,
    pub peak_open: u64,
}

/// What became of sessions.
#[derive(Clone, Copy, Debug, Default)]
pub struct SessionCounts {
    pub due: u64,
    pub started: u64,
    pub completed: u64,
    pub failed: u64,
}

/// One thread's books.
#[derive(Clone, Debug)]
pub struct Counters {
    pub window: Window,
    pub calls: Calls,
    pub warm_up: Calls,
    pub completed_in_window: u64,
    pub statuses: Statuses,
    pub response: Times,
    pub service: Times,
    pub first_byte: Times,
    pub lag: Times,
    pub connect: Times,
    pub kernel: Option<Box<Kernel>>,
    /// The handshakes' times; `None` until there is one.
    pub tls: Option<Times>,
    pub handshakes: Option<Handshakes>,
    pub intervals: Intervals,
    pub connections: ConnectionCounts,
    pub sessions: SessionCounts,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub body_bytes: u64,
    pub first_failure: Option<String>,
    /// When the last measured call ended.
    pub last_end: Nanos,
    /// When the thread stopped waiting.
    pub ended: Nanos,
    pub usage: Usage,
    /// The count was reached before the time was over.
    pub counted_out: bool,
    /// The whole count had fallen due before the time was over.
    pub all_due: bool,
    pub evidence: Evidence,
    /// The evidence of the threads whose books were added to these.
    pub others: Vec<Evidence>,
    offered: Offered,
    flight: Flight,
}

/// Calls begun and not ended, and their integral over the window (Little's N).
#[derive(Clone, Copy, Debug, Default)]
struct Flight {
    calls: u64,
    since: Nanos,
    area: f64,
}

impl Counters {
    /// Empty books for a run with these edges.
    pub fn new(window: Window) -> Self {
        Self {
            window,
            calls: Calls::default(),
            warm_up: Calls::default(),
            completed_in_window: 0,
            statuses: Statuses::new(),
            response: Times::new(),
            service: Times::new(),
            first_byte: Times::new(),
            lag: Times::new(),
            connect: Times::new(),
            kernel: None,
            tls: None,
            handshakes: None,
            intervals: Intervals::new(),
            connections: ConnectionCounts::default(),
            sessions: SessionCounts::default(),
            bytes_sent: 0,
            bytes_received: 0,
            body_bytes: 0,
            first_failure: None,
            last_end: window.start,
            ended: window.start,
            usage: Usage::default(),
            counted_out: false,
            all_due: false,
            evidence: Evidence::new(window.start),
            others: Vec::new(),
            offered: Offered::default(),
            flight: Flight::default(),
        }
    }

    #[inline]
    fn side(&mut self, measured: bool) -> &mut Calls {
        if measured {
            &mut self.calls
        } else {
            &mut self.warm_up
        }
    }

    /// `count` calls fell due at `at`.
    #[inline]
    pub fn due(&mut self, count: u64, at: Nanos, measured: bool) {
        self.side(measured).due += count;
        if measured {
            self.offered.add(count, at);
        }
        self.intervals.due(self.window.second(at), count);
    }

    /// `count` calls were begun at `at`, `lag` after they could have been.
    #[inline]
    pub fn begun(&mut self, count: u64, at: Nanos, measured: bool) {
        self.side(measured).sent += count;
        self.intervals.sent(self.window.second(at), count);
        self.fly(at);
        self.flight.calls += count;
    }

    /// A burst or session of the schedule was begun at `at`.
    #[inline]
    pub fn arrived(&mut self, at: Nanos, measured: bool) {
        if measured {
            self.evidence.arrived(at);
        }
    }

    /// How late the generator itself was with one measured call.
    #[inline]
    pub fn late(&mut self, lag: Nanos, measured: bool) {
        if measured {
            self.lag.record(lag);
        }
    }

    /// A call found no connection free when it was due.
    #[inline]
    pub fn waited(&mut self, count: u64, measured: bool) {
        self.side(measured).waited += count;
    }

    /// The server's kernel answered after so long.
    pub fn reached(&mut self, took: Nanos, at: Nanos) {
        if self.window.contains(at) {
            self.connect.record(took);
        }
    }

    /// A handshake was completed; it took so long.
    pub fn secured(&mut self, took: Nanos, at: Nanos) {
        if self.window.contains(at) {
            self.tls.get_or_insert_default().record(took);
        }
    }

    /// A connection was made.
    pub fn connected(&mut self) {
        self.connections.opened += 1;
        self.connections.open += 1;
        self.connections.peak_open = self.connections.peak_open.max(self.connections.open);
    }

    /// A reply is complete.
    #[inline]
    pub fn replied(&mut self, call: &Call, reply: Reply, at: Nanos) {
        self.landed(at);
        self.statuses_add(call);
        let response = at - call.due;
        let side = self.side(call.measured);
        match reply {
            Reply::Right => side.ok += 1,
            Reply::WrongStatus => side.wrong_status += 1,
            Reply::WrongBody => side.wrong_body += 1,
        }
        let second = self.window.second(at);
        if reply != Reply::Right {
            self.intervals.failed(second, 1);
            self.note_end(call, at);
            return;
        }
        self.intervals.ok(second, response);
        if self.window.contains(at) {
            self.completed_in_window += 1;
        }
        if call.measured {
            self.response.record(response);
            self.evidence.replied(response, at);
            self.service.record(at - call.sent);
            self.first_byte.record(call.first - call.sent);
        }
        self.note_end(call, at);
    }

    #[inline]
    fn statuses_add(&mut self, call: &Call) {
        if call.measured {
            self.statuses.record(call.status);
        }
    }

    #[inline]
    fn note_end(&mut self, call: &Call, at: Nanos) {
        if call.measured {
            self.last_end = at;
        }
    }

    /// A call ended in an error. Those that never came back stay in the tail, at their age.
    pub fn failed(&mut self, call: &Call, class: ErrorClass, at: Nanos) {
        self.landed(at);
        self.side(call.measured).errors[class as usize] += 1;
        self.intervals.failed(self.window.second(at), 1);
        if call.measured && is_timeout(class) {
            self.response.record_censored(at - call.due);
        }
        self.note_end(call, at);
    }

    /// A call was still under way when the waiting ended.
    pub fn left_in_flight(&mut self, call: &Call, at: Nanos) {
        self.landed(at);
        self.side(call.measured).in_flight += 1;
        if call.measured {
            self.response.record_censored(at - call.due);
        }
    }

    /// `count` calls that were due at `due` will never be begun.
    pub fn unsent(&mut self, count: u64, measured: bool) {
        self.side(measured).unsent += count;
    }

    /// A call waited from `due` to the stop for a connection.
    pub fn left_waiting(&mut self, due: Nanos, at: Nanos, measured: bool) {
        if measured {
            self.response.record_censored(at - due);
        }
    }

    /// Keeps the first failure of a measured call, in words.
    pub fn explain(&mut self, words: impl FnOnce() -> String) {
        if self.first_failure.is_none() {
            self.first_failure = Some(words());
        }
    }

    /// Calls begun and not ended.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.flight.calls
    }

    #[inline]
    fn landed(&mut self, at: Nanos) {
        self.fly(at);
        self.flight.calls -= 1;
    }

    /// Adds the time since the last change to the integral, as far as it lies in the window.
    #[inline]
    fn fly(&mut self, at: Nanos) {
        let from = self.flight.since.max(self.window.start);
        let to = at.min(self.window.stop);
        if to > from {
            self.flight.area += (to - from) as f64 * self.flight.calls as f64;
        }
        self.flight.since = at;
    }

    /// The rate at which measured calls fell due.
    pub fn offered_per_s(&self) -> f64 {
        let window_s = (self.window.stop - self.window.start).max(1) as f64 / 1e9;
        let by_schedule = self.offered.per_s(self.calls.due);
        by_schedule
            .filter(|_| self.counted_out || self.all_due)
            .unwrap_or(self.calls.due as f64 / window_s)
    }

    /// The integral of the calls in flight over the window, in call-nanoseconds.
    pub fn flight_area(&self) -> f64 {
        self.flight.area
    }

    /// What each thread kept for the tests of validity.
    pub fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        std::iter::once(&self.evidence).chain(&self.others)
    }

    /// Adds another thread's books.
    pub fn merge(&mut self, other: &Self) {
        self.calls.merge(&other.calls);
        self.warm_up.merge(&other.warm_up);
        self.completed_in_window += other.completed_in_window;
        self.statuses.merge(&other.statuses);
        for (mine, theirs) in [
            (&mut self.response, &other.response),
            (&mut self.service, &other.service),
            (&mut self.first_byte, &other.first_byte),
            (&mut self.lag, &other.lag),
            (&mut self.connect, &other.connect),
        ] {
            mine.merge(theirs);
        }
        let kernels = self.kernel.iter_mut().zip(&other.kernel);
        kernels.for_each(|(mine, theirs)| mine.merge(theirs));
        if let Some(theirs) = &other.tls {
            self.tls.get_or_insert_default().merge(theirs);
        }
        self.intervals.merge(&other.intervals);
        self.others.extend(other.evidence().cloned());
        self.merge_counts(other);
    }

    fn merge_counts(&mut self, other: &Self) {
        if let Some(theirs) = &other.handshakes {
            self.handshakes.get_or_insert_default().merge(theirs);
        }
        self.connections.opened += other.connections.opened;
        self.connections.failed += other.connections.failed;
        self.connections.closed_by_server += other.connections.closed_by_server;
        self.connections.peak_open += other.connections.peak_open;
        self.sessions.due += other.sessions.due;
        self.sessions.started += other.sessions.started;
        self.sessions.completed += other.sessions.completed;
        self.sessions.failed += other.sessions.failed;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.body_bytes += other.body_bytes;
        if self.first_failure.is_none() {
            self.first_failure.clone_from(&other.first_failure);
        }
        self.last_end = self.last_end.max(other.last_end);
        self.ended = self.ended.max(other.ended);
        self.window.stop = self.window.stop.max(other.window.stop);
        self.usage.user_s += other.usage.user_s;
        self.usage.system_s += other.usage.system_s;
        self.usage.busy_share = self.usage.busy_share.max(other.usage.busy_share);
        self.usage.voluntary_switches += other.usage.voluntary_switches;
        self.usage.involuntary_switches += other.usage.involuntary_switches;
        self.counted_out &= other.counted_out;
        self.all_due &= other.all_due;
        self.offered.merge(&other.offered);
        self.flight.area += other.flight.area;
    }
}

fn is_timeout(class: ErrorClass) -> bool {
    matches!(
        class,
        ErrorClass::ConnectTimeout
            | ErrorClass::FirstByteTimeout
            | ErrorClass::ReplyTimeout
            | ErrorClass::SocketTimeout
    )
}
