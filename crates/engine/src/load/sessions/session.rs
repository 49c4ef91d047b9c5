//! One session: what of its current step is still to be sent, and what is counted of it.

use std::collections::VecDeque;

use driver::{Driver, Nanos};

use crate::connection::pool::Pool;
use crate::measurement::call::Call;
use crate::plan::scripts::Step;

/// After so many retries for each call of a step, the session fails.
const MOST_RETRIES: u32 = 100;

/// A session under way.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts about a session, each independent of the others"
)]
pub struct Session {
    pub measured: bool,
    /// The run stopped before its last call.
    pub cut: bool,
    /// The server closes connections after a reply, so each carries one call at a time.
    pub closing: bool,
    /// It is over, and its place is not used for a while.
    pub resting: bool,
    /// The first call of the step is alone, until its reply is complete.
    alone: bool,
    pub began: Nanos,
    /// The pause after the current step.
    pub think: Nanos,
    /// The index of the step that comes next, if the session has a script.
    pub next_step: u32,
    /// Calls not begun yet, and those of them that belong to the current step.
    pub remaining: u32,
    ahead: u32,
    /// The place in the rotation of the first call that is ahead.
    place: usize,
    /// Calls begun, retries included.
    pub begun: u32,
    /// Connections with calls under way.
    pub busy: u32,
    /// Connections opened.
    pub connections: u32,
    retries_left: u32,
    /// Calls of the step that are sent again, one at a time.
    again: VecDeque<Again>,
}

/// A call that is sent again.
#[derive(Debug)]
pub enum Again {
    /// A new call of the request at this place.
    Retry(usize),
    /// The same call.
    Unanswered(Call),
}

/// The next calls for one connection.
pub enum Next {
    /// A burst of calls from this place on.
    Burst { place: usize, calls: u32 },
    /// A call that is sent again: [`Session::take_again`] returns it.
    Again,
}

impl Session {
    /// A session with this number of calls.
    pub fn new(calls: u32, first_step: u32, began: Nanos, measured: bool) -> Self {
        Self {
            measured,
            began,
            next_step: first_step,
            remaining: calls,
            ..Self::default()
        }
    }

    /// Begins a step.
    pub fn begin_step(&mut self, step: Step) {
        self.next_step += 1;
        self.place = step.place;
        self.ahead = step.calls;
        self.think = step.think;
        self.alone = step.first_alone && step.calls > 1;
        self.retries_left = MOST_RETRIES.saturating_mul(step.calls);
    }

    /// Takes the next calls for one connection, at most `most` of them.
    #[inline]
    pub fn take(&mut self, most: u32) -> Option<Next> {
        if self.alone && self.busy > 0 {
            return None;
        }
        if !self.again.is_empty() {
            return Some(Next::Again);
        }
        if self.ahead == 0 {
            return None;
        }
        let single = self.alone || self.closing;
        let calls = self.ahead.min(if single { 1 } else { most });
        let place = self.place;
        self.place += calls as usize;
        self.ahead -= calls;
        self.remaining -= calls;
        self.begun += calls;
        self.busy += 1;
        Some(Next::Burst { place, calls })
    }

    /// Takes the next call that is sent again.
    pub fn take_again(&mut self) -> Option<Again> {
        let again = self.again.pop_front()?;
        self.begun += u32::from(matches!(again, Again::Retry(_)));
        self.busy += 1;
        Some(again)
    }

    /// All calls on one of its connections are answered.
    #[inline]
    pub fn answered(&mut self) {
        self.busy -= 1;
        self.alone &= !self.again.is_empty();
    }

    /// The call at `place` is to be sent again. False: it was sent too often.
    pub fn retry(&mut self, place: usize) -> bool {
        let left = self.retries_left.checked_sub(1);
        self.retries_left = left.unwrap_or(0);
        self.again.push_back(Again::Retry(place));
        left.is_some()
    }

    /// The server closed one of its connections before it answered these calls: they are to be sent again.
    pub fn resend(&mut self, calls: impl Iterator<Item = Call>) {
        self.busy -= 1;
        self.again.extend(calls.map(Again::Unanswered));
    }

    /// True if all calls of the current step are answered.
    #[inline]
    pub fn step_is_done(&self) -> bool {
        self.busy == 0 && self.ahead == 0 && self.again.is_empty()
    }

    /// Drops all calls that are not begun, and returns their number.
    pub fn drop_remaining(&mut self) -> u32 {
        self.ahead = 0;
        std::mem::take(&mut self.remaining)
    }

    /// Gives up the calls that wait to be sent again. Returns the number of those that were begun; retries were not.
    pub fn give_up<D: Driver>(&mut self, pool: &mut Pool<D>) -> u32 {
        let now = pool.now();
        let mut count = 0;
        while let Some(again) = self.again.pop_front() {
            if let Again::Unanswered(call) = again {
                let counters = &mut pool.thread.counters;
                counters.left_in_flight(&call, now);
                count += 1;
            }
        }
        count
    }
}
