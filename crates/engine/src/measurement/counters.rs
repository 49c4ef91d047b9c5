//! The counters and histograms of one thread: how every call ended and how long it took. All threads' are merged at the
//! end of a run.

pub mod endpoints;
mod in_flight;
mod merging;
mod offered;

use driver::{Datagrams, Handshakes, Nanos};
use tally::{Calls, ErrorClass, Failure, Intervals, Statuses, Times};

use crate::measurement::call::{Call, Reply};
use crate::measurement::connections::ConnectionCounts;
use crate::measurement::counters::endpoints::Endpoints;
use crate::measurement::counters::in_flight::InFlight;
use crate::measurement::counters::offered::Offered;
use crate::measurement::counts::{ByteCounts, ReplyBytes, SessionCounts, SessionEnds};
use crate::measurement::evidence::Evidence;
use crate::measurement::grpc::GrpcCounts;
use crate::measurement::http2::Http2Counts;
use crate::measurement::kernel::Kernel;
use crate::measurement::records::Records;
use crate::measurement::usage::Usage;
use crate::measurement::window::Window;

/// The counters of one thread, or of several that were merged.
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
    /// The times of handshakes; `None` until there is one.
    pub tls: Option<Times>,
    pub handshakes: Option<Handshakes>,
    /// `None`: the connections are of TCP.
    pub datagrams: Option<Datagrams>,
    pub intervals: Intervals,
    pub connections: ConnectionCounts,
    /// `None`: the connections are of HTTP/1.
    pub http2: Option<Box<Http2Counts>>,
    /// `None`: no request is of gRPC.
    pub grpc: Option<Box<GrpcCounts>>,
    pub sessions: SessionCounts,
    /// `None` until a measured session has ended.
    pub session_ends: Option<Box<SessionEnds>>,
    pub bytes: ByteCounts,
    /// `None` if the plan has only one endpoint.
    pub endpoints: Option<Box<Endpoints>>,
    pub replies: ReplyBytes,
    /// The records of single calls. They are not merged with the counters; see [`Records::join`].
    pub records: Records,
    pub first_failure: Option<String>,
    /// The end of the last measured call.
    pub last_end: Nanos,
    /// The time at which the thread stopped waiting for replies.
    pub ended: Nanos,
    pub usage: Usage,
    /// The thread was so busy that it returned to ordinary priority; see `run/low_latency.rs`.
    pub gave_up_priority: bool,
    /// The count was reached before the end of the duration.
    pub counted_out: bool,
    /// The whole count had fallen due before the end of the duration.
    pub all_due: bool,
    pub evidence: Evidence,
    /// The evidence of the other threads that were merged into these counters.
    pub others: Vec<Evidence>,
    offered: Offered,
    in_flight: InFlight,
}

impl Counters {
    /// Counters of zero for a run with this window.
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
            datagrams: None,
            intervals: Intervals::new(),
            connections: ConnectionCounts::default(),
            http2: None,
            grpc: None,
            sessions: SessionCounts::default(),
            session_ends: None,
            bytes: ByteCounts::default(),
            endpoints: None,
            replies: ReplyBytes::default(),
            records: Records::default(),
            first_failure: None,
            last_end: window.start,
            ended: window.start,
            usage: Usage::default(),
            gave_up_priority: false,
            counted_out: false,
            all_due: false,
            evidence: Evidence::new(window.start),
            others: Vec::new(),
            offered: Offered::default(),
            in_flight: InFlight::default(),
        }
    }

    /// The counters of a run that was stopped before it started.
    pub fn empty() -> Self {
        Self::new(Window::new(0, 0, Some(0), 0))
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

    /// `count` calls were begun at `at`.
    #[inline]
    pub fn begun(&mut self, count: u64, at: Nanos, measured: bool) {
        self.side(measured).sent += count;
        self.intervals.sent(self.window.second(at), count);
        self.in_flight.begun(count, at, &self.window);
    }

    /// Calls begun so far, those of the warm-up too.
    pub fn calls_begun(&self) -> u64 {
        self.calls.sent + self.warm_up.sent
    }

    /// A burst or a session of the schedule was begun at `at`.
    #[inline]
    pub fn arrived(&mut self, at: Nanos, measured: bool) {
        if measured {
            self.evidence.arrived(at);
        }
    }

    /// A call that found a free connection was begun `lag` after it was due.
    #[inline]
    pub fn late(&mut self, lag: Nanos, measured: bool) {
        if measured {
            self.lag.record(lag);
        }
    }

    /// `count` calls found no free connection when they were due.
    #[inline]
    pub fn waited(&mut self, count: u64, measured: bool) {
        self.side(measured).waited += count;
    }

    /// A connection was established after `took`.
    pub fn reached(&mut self, took: Nanos, at: Nanos) {
        if self.window.contains(at) {
            self.connect.record(took);
        }
    }

    /// A TLS handshake was completed after `took`.
    pub fn secured(&mut self, took: Nanos, at: Nanos) {
        if self.window.contains(at) {
            self.tls.get_or_insert_default().record(took);
        }
    }

    /// Bytes of requests were handed to the kernel at `at`.
    #[inline]
    pub fn transmitted(&mut self, bytes: u64, at: Nanos) {
        self.bytes.sent += if self.window.contains(at) { bytes } else { 0 };
    }

    /// Bytes of replies came at `at`.
    #[inline]
    pub fn received(&mut self, bytes: u64, at: Nanos) {
        self.bytes.received += if self.window.contains(at) { bytes } else { 0 };
    }

    /// A call was answered at `at` with a body of this size.
    #[inline]
    pub fn replied(&mut self, call: &Call, reply: Reply, body: u64, at: Nanos) {
        self.bytes.bodies += if self.window.contains(at) { body } else { 0 };
        if let Some(endpoints) = &mut self.endpoints {
            endpoints.replied(call, reply, body, at, &self.window);
        }
        self.in_flight.ended(at, &self.window);
        self.statuses_add(call);
        if let Some(failure) = reply.failure() {
            return self.replied_wrong(call, failure, at);
        }
        self.side(call.measured).ok += 1;
        let response = at - call.due;
        self.intervals.ok(self.window.second(at), response);
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

    #[cold]
    fn replied_wrong(&mut self, call: &Call, failure: Failure, at: Nanos) {
        let side = self.side(call.measured);
        match failure {
            Failure::WrongStatus => side.wrong_status += 1,
            Failure::WrongBody => side.wrong_body += 1,
            Failure::Error(class) => side.error(class),
        }
        self.intervals.failed(self.window.second(at), failure, 1);
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

    /// A call ended in an error. Calls that timed out stay in the response times, at their age.
    pub fn failed(&mut self, call: &Call, class: ErrorClass, at: Nanos) {
        if let Some(endpoints) = &mut self.endpoints {
            endpoints.failed(call, class, at, &self.window);
        }
        self.in_flight.ended(at, &self.window);
        self.side(call.measured).errors[class as usize] += 1;
        self.intervals
            .failed(self.window.second(at), Failure::Error(class), 1);
        if call.measured && is_timeout(class) {
            self.response.record_censored(at - call.due, 1);
            self.intervals.timed_out(at - call.due);
        }
        self.note_end(call, at);
    }

    /// A call was unanswered when the run ended.
    pub fn left_in_flight(&mut self, call: &Call, at: Nanos) {
        if let Some(endpoints) = &mut self.endpoints {
            endpoints.left_in_flight(call, at);
        }
        self.in_flight.ended(at, &self.window);
        self.side(call.measured).in_flight += 1;
        if call.measured {
            self.response.record_censored(at - call.due, 1);
        }
    }

    /// `count` calls that were due at `due` will never be begun.
    pub fn unsent(&mut self, count: u64, measured: bool) {
        self.side(measured).unsent += count;
    }

    /// `count` calls waited from `due` to the stop for a connection.
    pub fn left_waiting(&mut self, count: u64, due: Nanos, at: Nanos, measured: bool) {
        if measured {
            self.response.record_censored(at - due, count);
        }
    }

    /// A measured session that began at `began` was complete at `at`.
    pub fn session_completed(&mut self, began: Nanos, at: Nanos, replies: u32, connections: u32) {
        self.intervals.session(self.window.second(at));
        self.sessions.completed += 1;
        self.sessions.connections += u64::from(connections);
        let ends = self.session_ends.get_or_insert_default();
        ends.lifetime.record(at - began);
        ends.add_length(replies);
    }

    /// `count` calls are sent again, because the server closed their connection.
    pub fn resent(&mut self, count: u32, measured: bool) {
        self.sessions.resent += if measured { u64::from(count) } else { 0 };
    }

    /// A measured session failed after `lasted`.
    pub fn session_failed(&mut self, lasted: Nanos, replies: u32) {
        self.sessions.failed += 1;
        let ends = self.session_ends.get_or_insert_default();
        ends.fail_time.record(lasted);
        ends.add_length(replies);
    }

    /// Keeps the message of the first failed measured call.
    pub fn explain(&mut self, call: &Call, message: impl FnOnce() -> String) {
        if call.measured && self.first_failure.is_none() {
            self.first_failure = Some(message());
        }
    }

    /// Calls begun and not ended.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        self.in_flight.calls()
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
        self.in_flight.area()
    }

    /// The evidence of each thread for the validity tests.
    pub fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        std::iter::once(&self.evidence).chain(&self.others)
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
