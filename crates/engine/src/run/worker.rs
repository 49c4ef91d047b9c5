//! The loop of one thread of a run: send what is due, wait, handle events, until the run is over.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use driver::{
    Driver, NEVER, Nanos, Route, Scene, Simulated, ThreadUsage, thread_cpu_wait, thread_usage,
};

use crate::connection::pool::Pool;
use crate::connection::turns::Turns;
use crate::load::Shape;
use crate::load::share::Share;
use crate::measurement::counters::Counters;
use crate::measurement::records::Records;
use crate::measurement::usage::Usage;
use crate::measurement::window::Window;
use crate::plan::compiled::CompiledPlan;
use crate::run::low_latency::{EarlyWake, PriorityGuard};
use crate::run::progress::{Phase, Seconds, Snapshot};
use crate::run::state::RunState;

/// Interval at which a worker checks for stop requests and publishes its progress: 100 ms.
const CHECK_IN: Nanos = 100_000_000;
/// Most events handled before deadlines and the end of the run are checked again: a server that never stops sending
/// must not hold them up.
const MOST_EVENTS: usize = 1024;
/// With `spin`, a worker does not sleep while it waits for a reply, nor this long before a due time: 100 µs.
const SPIN: Nanos = 100_000;
/// A thread that runs on so long after it was to wake up stood still: 5 ms.
const STANDSTILL: Nanos = 5_000_000;
/// Interval at which a worker copies its histograms for the check of precision: 1 s.
const COPY_EVERY: Nanos = 1_000_000_000;
/// When a worker copies them first: the check needs this many whole seconds.
const FIRST_COPY: Nanos = 5 * COPY_EVERY;

/// One thread of a run.
pub struct Worker<D> {
    pool: Pool<D>,
    shape: Shape,
    state: Arc<RunState>,
    number: usize,
    spin: bool,
    early: Option<EarlyWake>,
    priority: Option<PriorityGuard>,
    seconds: Seconds,
    next_check_in: Nanos,
    next_copy: Nanos,
    measuring_since: Option<(Nanos, ThreadUsage)>,
    waited_before: Option<Duration>,
    /// The latest end of the wait under way.
    wakes_by: Nanos,
    /// The time for which it stood still in the window.
    stood_still: Nanos,
    stopped: bool,
}

impl<D: Driver> Worker<D> {
    /// A worker that starts at `window.begin`.
    pub fn new(
        driver: D,
        plan: &Arc<CompiledPlan>,
        routes: Arc<[Route]>,
        window: Window,
        share: Share,
        most_open: u32,
        state: Arc<RunState>,
    ) -> Self {
        let mut pool = Pool::new(driver, Arc::clone(plan), routes, window);
        pool.thread.turns = Turns::of(plan, share.thread, share.threads);
        pool.thread.counters.records = Records::new(plan, share.threads);
        let thread = u64::from(plan.part.index) << 40 | u64::from(share.thread) << 24;
        pool.thread
            .checker
            .seed(plan.seed.wrapping_mul(0x9E37_79B9) ^ thread);
        if let Some(rate) = plan.arrivals_per_s() {
            let evidence = &mut pool.thread.counters.evidence;
            evidence.expect(rate, share.threads);
        }
        Self {
            pool,
            shape: Shape::new(plan, share, window.begin, most_open),
            state,
            number: share.thread as usize,
            spin: plan.spin,
            early: plan.wakes_early.then(EarlyWake::default),
            priority: plan.wakes_early.then(PriorityGuard::default),
            seconds: Seconds::starting_at(window.first_whole_second()),
            next_check_in: 0,
            next_copy: window.start + FIRST_COPY,
            measuring_since: None,
            waited_before: None,
            wakes_by: NEVER,
            stood_still: 0,
            stopped: false,
        }
    }

    /// Works until the run is over, and returns the counters.
    ///
    /// # Errors
    /// The driver fails as a whole.
    pub fn run(mut self) -> io::Result<Counters> {
        while !self.turn()? {}
        self.finish();
        Ok(self.pool.thread.counters)
    }

    /// One iteration of the loop; returns true after the last.
    fn turn(&mut self) -> io::Result<bool> {
        let now = self.pool.tick();
        self.pool.thread.counters.connections.turn();
        if let Some(early) = &mut self.early {
            early.runs(now);
        }
        let late = now.saturating_sub(self.wakes_by);
        if late > STANDSTILL && self.measuring_since.is_some() {
            self.stood_still += late;
        }
        self.update_phase(now);
        if !self.stopped {
            self.shape.release(&mut self.pool);
            self.settle();
        }
        if self.over(now) {
            return Ok(true);
        }
        let wake = self.wake();
        if let Some(early) = &mut self.early {
            early.waits(wake, self.pool.now());
        }
        self.wakes_by = wake;
        self.pool.wait(wake)?;
        for _ in 0..MOST_EVENTS {
            let Some(event) = self.pool.driver.next() else {
                break;
            };
            if let Some(early) = &mut self.early {
                early.interrupted();
            }
            self.pool.on_event(event);
            self.settle();
        }
        while self.pool.expire() {
            self.settle();
        }
        Ok(false)
    }

    /// Lets the load decide what free connections do next.
    fn settle(&mut self) {
        while let Some(freed) = self.pool.next_freed() {
            self.shape.freed(freed, &mut self.pool);
        }
    }

    fn update_phase(&mut self, now: Nanos) {
        let window = *self.pool.window();
        if self.measuring_since.is_none() && now >= window.start {
            self.measuring_since = Some((now, thread_usage()));
            self.waited_before = thread_cpu_wait();
            self.state.reach(Phase::Measuring);
        } else if self.measuring_since.is_none() {
            self.state.reach(Phase::WarmUp);
        }
        if now >= self.next_check_in {
            self.next_check_in = now + CHECK_IN;
            self.check_in(now);
        }
        if !self.stopped && now >= self.pool.window().stop {
            self.stop(now);
        }
    }

    fn check_in(&mut self, now: Nanos) {
        if let Some(priority) = &mut self.priority {
            self.pool.thread.counters.gave_up_priority = priority.check(now, thread_usage());
        }
        let plan = Arc::clone(&self.pool.thread.plan);
        match self.state.stops() {
            0 if !self.state.precision.reached() => {}
            0 | 1 => self.pool.thread.counters.window.end(now, plan.drain),
            _ => self.pool.thread.counters.window.end(now, 0),
        }
        let counters = &mut self.pool.thread.counters;
        let under_way = counters.window.second(now);
        self.seconds.read(&mut counters.intervals, under_way);
        let snapshot = Snapshot {
            calls: counters.calls.clone(),
            window_ns: now
                .min(counters.window.stop)
                .saturating_sub(counters.window.start),
            in_flight: counters.in_flight(),
            open_connections: counters.connections.open,
            last_second: Arc::clone(&self.seconds.last),
            lag_p99_ns: counters.lag.quantile(0.99),
        };
        let seconds = &mut self.seconds;
        self.state.publish(self.number, snapshot, seconds);
        if plan.until.is_some() && now >= self.next_copy {
            self.next_copy = now + COPY_EVERY;
            self.state.precision.copy(self.number, counters);
        }
    }

    /// Stops sending requests.
    fn stop(&mut self, now: Nanos) {
        self.stopped = true;
        self.shape.stop(&mut self.pool);
        self.pool.thread.counters.all_due = self.shape.all_due();
        self.close_usage(now);
        self.state.reach(Phase::Draining);
    }

    fn close_usage(&mut self, now: Nanos) {
        if let Some((since, usage)) = self.measuring_since.take() {
            let elapsed = now.saturating_sub(since);
            let counted = Usage::between(&usage, &thread_usage(), elapsed);
            let waited = thread_cpu_wait().zip(self.waited_before);
            let waited = waited.map(|(to, from)| to.saturating_sub(from));
            self.pool.thread.counters.usage =
                counted.with_delays(waited, self.stood_still, elapsed);
            self.measuring_since = Some((since, usage));
        }
    }

    /// True when there is nothing more to wait for.
    fn over(&mut self, now: Nanos) -> bool {
        let idle = self.pool.thread.counters.in_flight() == 0;
        let exhausted = self.stopped || self.shape.exhausted();
        if exhausted && !idle && self.pool.thread.plan.reply_timeout.is_none() {
            // In a counted run without a reply timeout, the drain limits the wait for the last replies.
            let drain = self.pool.thread.plan.drain;
            let window = &mut self.pool.thread.counters.window;
            window.give_up = window.give_up.min(now + drain);
        }
        exhausted && (idle || now >= self.pool.window().give_up)
    }

    /// The time at which to wake up if no event comes before.
    fn wake(&self) -> Nanos {
        let window = self.pool.window();
        let now = self.pool.now();
        let (due, end) = if self.stopped {
            (NEVER, window.give_up)
        } else {
            (self.shape.next_due(), window.stop)
        };
        let start = if self.measuring_since.is_none() {
            window.start
        } else {
            NEVER
        };
        let wake = due
            .min(end)
            .min(start)
            .min(window.give_up)
            .min(self.pool.next_deadline())
            .min(now + CHECK_IN);
        if let Some(early) = &self.early {
            return early.before(wake).max(now);
        }
        if !self.spin {
            return wake;
        }
        if self.pool.thread.counters.in_flight() > 0 || wake <= now + SPIN {
            now
        } else {
            wake - SPIN
        }
    }

    fn finish(&mut self) {
        let now = self.pool.tick();
        if !self.stopped {
            // The window of a counted run ends with its last reply.
            let counters = &mut self.pool.thread.counters;
            let end = counters.last_end.max(counters.window.start);
            counters.window.stop = counters.window.stop.min(end.max(counters.window.start + 1));
            counters.counted_out = true;
            self.close_usage(now);
        }
        self.pool.finish();
        self.state.reach(Phase::Draining);
        self.check_in(now);
    }
}

/// Runs a plan against a simulated server, in virtual time, on the calling thread.
///
/// # Errors
/// None: the simulated driver does not fail.
pub fn simulate<S: Scene + Clone>(plan: CompiledPlan, scene: S) -> io::Result<(Counters, S)> {
    let plan = Arc::new(plan);
    let driver = Simulated::new(plan.rotation.script(), scene);
    let route = Route::tcp(([127, 0, 0, 1], 80).into(), None);
    let window = Window::new(0, plan.warm_up, plan.duration, plan.drain);
    let share = Share {
        thread: 0,
        threads: 1,
    };
    let most_open = plan.load.connections().unwrap_or(1000);
    let state = Arc::new(RunState::new(1));
    let mut worker = Worker::new(
        driver,
        &plan,
        Arc::from([route]),
        window,
        share,
        most_open,
        state,
    );
    while !worker.turn()? {}
    worker.finish();
    let scene = worker.pool.driver.scene().clone();
    Ok((worker.pool.thread.counters, scene))
}
