//! The counters of each endpoint: measured calls by the request that they sent.

use std::sync::Arc;

use driver::Nanos;
use serde::{Serialize, Serializer};
use tally::{Blocks, Damaged, ErrorClass, Errors, Failure, Packed, Statuses, Times, pack, packed};

use crate::measurement::call::{Call, Reply};
use crate::measurement::counters::is_timeout;
use crate::measurement::window::Window;
use crate::plan::endpoints::{self, MOST_ENDPOINTS};
use crate::plan::rotation::Rotation;

/// The counters of all endpoints of a plan that has several.
#[derive(Clone, Debug)]
pub struct Endpoints {
    /// The index of the endpoint of each request; empty in counters that were read.
    of: Arc<[u32]>,
    pub each: Vec<Endpoint>,
}

/// The counters of one endpoint.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub calls: EndpointCalls,
    pub completed_in_window: u64,
    pub body_bytes: u64,
    pub statuses: Statuses,
    pub response: Times,
    pub service: Times,
    pub blocks: Blocks,
}

/// Counts of the measured calls of an endpoint, by their outcome.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EndpointCalls {
    pub ok: u64,
    pub wrong_status: u64,
    pub wrong_body: u64,
    #[serde(serialize_with = "by_class")]
    pub errors: [u64; ErrorClass::COUNT],
    pub in_flight: u64,
    /// Calls that found no free connection before the stop.
    pub unsent: u64,
}

impl Endpoints {
    /// Counters of zero for the endpoints of a plan; `in_steps`: its rate changes.
    pub fn new(endpoints: &endpoints::Endpoints, in_steps: bool) -> Self {
        let count = endpoints.names.len();
        let blocks = || {
            if in_steps {
                Blocks::fine(count)
            } else {
                Blocks::default()
            }
        };
        Self {
            of: Arc::clone(&endpoints.of),
            // Clones would touch all their memory.
            each: (0..count).map(|_| Endpoint::new(blocks())).collect(),
        }
    }

    fn of_request(&mut self, request: u32) -> &mut Endpoint {
        &mut self.each[self.of[request as usize] as usize]
    }

    /// A call was answered at `at` with a body of this size. Apart from its caller: most plans have one endpoint.
    #[inline(never)]
    pub fn replied(&mut self, call: &Call, reply: Reply, body: u64, at: Nanos, window: &Window) {
        let endpoint = self.of_request(call.request);
        let right = reply == Reply::Right;
        if window.contains(at) {
            endpoint.body_bytes += body;
            endpoint.completed_in_window += u64::from(right);
        }
        if !call.measured {
            return;
        }
        endpoint.statuses.record(call.status);
        let calls = &mut endpoint.calls;
        match reply.failure() {
            None => calls.ok += 1,
            Some(Failure::WrongStatus) => calls.wrong_status += 1,
            Some(Failure::WrongBody) => calls.wrong_body += 1,
            Some(Failure::Error(class)) => calls.errors[class as usize] += 1,
        }
        let since = at.saturating_sub(window.start);
        if right {
            let response = at - call.due;
            endpoint.response.record(response);
            endpoint.service.record(at - call.sent);
            endpoint.blocks.replied(since, response, body);
        } else {
            endpoint.blocks.failed(since, body);
        }
    }

    /// A call ended in an error. Calls that timed out stay in the response times, at their age.
    pub fn failed(&mut self, call: &Call, class: ErrorClass, at: Nanos, window: &Window) {
        if call.measured {
            let endpoint = self.of_request(call.request);
            endpoint.calls.errors[class as usize] += 1;
            let (since, age) = (at.saturating_sub(window.start), at - call.due);
            if is_timeout(class) {
                endpoint.response.record_censored(age, 1);
                endpoint.blocks.timed_out(since, age);
            } else {
                endpoint.blocks.failed(since, 0);
            }
        }
    }

    /// A call was unanswered when the run ended.
    pub fn left_in_flight(&mut self, call: &Call, at: Nanos) {
        if call.measured {
            let endpoint = self.of_request(call.request);
            endpoint.calls.in_flight += 1;
            endpoint.response.record_censored(at - call.due, 1);
        }
    }

    /// `count` measured calls, whose requests follow one another from `place` on, will never be begun. They waited for
    /// `age`.
    pub fn left_waiting(&mut self, rotation: &Rotation, place: usize, count: u64, age: Nanos) {
        let length = rotation.len();
        let rounds = count / length as u64;
        let rest = (count % length as u64) as usize;
        for (after, place) in (place..place + length).enumerate() {
            let times = rounds + u64::from(after < rest);
            if times == 0 {
                return;
            }
            let endpoint = self.of_request(rotation.request(place % length));
            endpoint.calls.unsent += times;
            endpoint.response.record_censored(age, times);
        }
    }

    /// Adds the counters of another thread.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.each.iter_mut().zip(&other.each) {
            mine.merge(theirs);
        }
    }
}

impl Endpoint {
    fn new(blocks: Blocks) -> Self {
        Self {
            calls: EndpointCalls::default(),
            completed_in_window: 0,
            body_bytes: 0,
            statuses: Statuses::new(),
            response: Times::new(),
            service: Times::new(),
            blocks,
        }
    }

    fn merge(&mut self, other: &Self) {
        self.calls.merge(&other.calls);
        self.completed_in_window += other.completed_in_window;
        self.body_bytes += other.body_bytes;
        self.statuses.merge(&other.statuses);
        self.response.merge(&other.response);
        self.service.merge(&other.service);
        self.blocks.merge(&other.blocks);
    }
}

impl EndpointCalls {
    fn merge(&mut self, other: &Self) {
        self.ok += other.ok;
        self.wrong_status += other.wrong_status;
        self.wrong_body += other.wrong_body;
        self.in_flight += other.in_flight;
        self.unsent += other.unsent;
        for (mine, theirs) in self.errors.iter_mut().zip(other.errors) {
            *mine += theirs;
        }
    }
}

fn by_class<S: Serializer>(
    errors: &[u64; ErrorClass::COUNT],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Errors(errors).serialize(serializer)
}

packed!(EndpointCalls {
    ok,
    wrong_status,
    wrong_body,
    errors,
    in_flight,
    unsent
});
packed!(Endpoint {
    calls,
    completed_in_window,
    body_bytes,
    statuses,
    response,
    service,
    blocks
});

impl Packed for Endpoints {
    fn pack(&self, to: &mut Vec<u8>) {
        self.each.pack(to);
    }

    fn unpack(from: &mut &[u8]) -> Result<Self, Damaged> {
        // Each takes far more memory than bytes.
        let count = pack::length(from, MOST_ENDPOINTS + 1)?;
        let each = (0..count).map(|_| Endpoint::unpack(from));
        Ok(Self {
            of: Arc::default(),
            each: each.collect::<Result<_, _>>()?,
        })
    }
}
