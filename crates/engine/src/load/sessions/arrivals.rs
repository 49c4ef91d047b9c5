//! The arrivals of sessions: when the next one is due, and how many calls it has.

use driver::{Driver, Nanos};

use crate::connection::pool::Pool;
use crate::load::due_times::DueTimes;
use crate::load::share::{Left, Share};
use crate::measurement::window::Window;
use crate::plan::compiled::CompiledPlan;
use crate::plan::scripts::Script;
use crate::plan::sessions::SessionsLoad;

/// The sessions of one thread that have not begun.
pub struct SessionArrivals {
    /// `None`: each session begins when one ends.
    due_times: Option<DueTimes>,
    /// The number of the next session, among those of all threads of all parts, and the distance to the one after.
    number: u64,
    stride: u64,
    calls: u32,
    left: Left,
}

impl SessionArrivals {
    pub fn new(plan: &CompiledPlan, load: &SessionsLoad, share: Share, begin: Nanos) -> Self {
        let left = Left::new(plan, share);
        let (number, stride) = plan.part.numbers(share.thread, share.threads);
        let due_times = load.arrivals.as_ref().map(|arrivals| {
            let schedule = plan
                .part
                .schedule(arrivals, plan.seed)
                .every(u64::from(share.threads), u64::from(share.thread));
            DueTimes::new(schedule, begin, !left.is_nothing())
        });
        Self {
            due_times,
            number,
            stride,
            calls: load.calls,
            left,
        }
    }

    /// True if sessions arrive by a schedule.
    pub fn are_scheduled(&self) -> bool {
        self.due_times.is_some()
    }

    /// The due time of the next session, if there is one.
    pub fn next(&self, now: Nanos) -> Option<Nanos> {
        match &self.due_times {
            _ if self.all_due() => None,
            Some(times) => times.next(),
            None => Some(now),
        }
    }

    /// Advances to the session after the next.
    pub fn advance(&mut self) {
        if let Some(times) = &mut self.due_times {
            times.advance();
        }
    }

    /// Takes the next group of sessions that are due before the window stops, as [`DueTimes::take_group`] does.
    pub fn take_group(&mut self, window: &Window) -> Option<(Nanos, u64)> {
        self.due_times.as_mut()?.take_group(window)
    }

    /// The number of the next session.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The script of the next session, in which only the number of calls counts if the plan has none.
    pub fn script(&self, plan: &CompiledPlan) -> Script {
        match &plan.scripts {
            Some(scripts) => scripts.script(self.number),
            None => Script {
                first: 0,
                calls: self.calls,
            },
        }
    }

    /// Calls in the first burst of the next session.
    pub fn first_burst(&self, plan: &CompiledPlan) -> u64 {
        let burst = match &plan.scripts {
            Some(scripts) => scripts.step(self.script(plan).first).calls,
            None => plan.burst.min(self.calls),
        };
        u64::from(burst)
    }

    /// Counts the next sessions as due. Returns their number and that of their calls, and true if they are measured.
    pub fn count_due<D: Driver>(
        &mut self,
        due: Nanos,
        sessions: u64,
        pool: &mut Pool<D>,
    ) -> (u64, u64, bool) {
        let measured = pool.window().measures(due);
        let sessions = self.left.take(sessions, measured);
        if let (true, Some(times)) = (self.left.is_nothing(), &mut self.due_times) {
            times.end();
        }
        let plan = &pool.thread.plan;
        let calls = match &plan.scripts {
            Some(scripts) if sessions > 1 => scripts.average_calls(sessions),
            _ => u64::from(self.script(plan).calls) * sessions,
        };
        self.number += sessions * self.stride;
        let counters = &mut pool.thread.counters;
        counters.due(calls, due, measured);
        if measured {
            counters.sessions.due += sessions;
        }
        (sessions, calls, measured)
    }

    pub fn all_due(&self) -> bool {
        self.left.is_nothing()
    }
}
