//! The workers of a run: one thread each, started together, their counters merged at the end.

use std::io;
use std::sync::Arc;
use std::thread;

use driver::{Clock, Driver, Epoll, Route, Uring, Wall, exact_timers, pin_to};
use secure::Secure;

use crate::error::EngineError;
use crate::load::share::Share;
use crate::measurement::counters::Counters;
use crate::measurement::window::Window;
use crate::measurement::{Ended, Facts};
use crate::plan::compiled::CompiledPlan;
use crate::plan::{DriverChoice, Plan};
use crate::run::low_latency::Grants;
use crate::run::progress::Phase;
use crate::run::state::RunState;
use crate::run::threads::run_together;
use crate::run::worker::Worker;

/// What all workers of a run have in common.
pub struct Crew {
    plan: Arc<CompiledPlan>,
    most_open: u32,
    low_latency: Option<Grants>,
    pub facts: Facts,
    pub state: Arc<RunState>,
}

impl Crew {
    /// A crew for a plan; it has no more threads than connections.
    pub fn new(
        plan: &Plan,
        compiled: Arc<CompiledPlan>,
        choice: (DriverChoice, String),
        most_open: u32,
    ) -> Self {
        let threads = plan.threads.min(most_open);
        let (driver, reason) = choice;
        let low_latency = plan.low_latency.then(|| Grants::ask(plan));
        Self {
            plan: compiled,
            most_open,
            state: Arc::new(RunState::new(threads as usize)),
            facts: Facts {
                driver,
                reason,
                threads,
                cpus: plan.cpus.clone(),
                load: plan.load.clone(),
                burst: plan.burst,
                low_latency: low_latency.as_ref().map(Grants::facts),
            },
            low_latency,
        }
    }

    /// Runs all workers, and merges their counters; these are empty if a stop was requested before the start.
    pub fn run(&self, routes: &Arc<[Route]>) -> Result<Counters, EngineError> {
        let clock = Clock::start();
        let wall = self.plan.kernel_timestamps.then(|| Wall::read(clock));
        let counters = thread::scope(|scope| {
            if let Some(until) = self.plan.until {
                thread::Builder::new()
                    .name("httpdyno-watch".into())
                    .spawn_scoped(scope, move || self.state.watch_precision(until))
                    .map_err(|e| EngineError::environment("no thread can be started", &e))?;
            }
            let counters = run_together(self.facts.threads, &self.state, |thread| {
                self.work(thread, clock, wall, routes)
            });
            // Ends the watch, even if no worker came so far.
            self.state.reach(Phase::Draining);
            counters
        })?;
        let mut counters = counters.into_iter().flatten();
        let Some(mut all) = counters.next() else {
            return Ok(Counters::empty());
        };
        counters.for_each(|counters| all.merge(&counters));
        if let (Some(kernel), Some(wall)) = (&mut all.kernel, wall) {
            kernel.clock_set = Wall::read(clock).set_since(&wall);
        }
        Ok(all)
    }

    /// What ended the run.
    pub fn ended(&self) -> Ended {
        match (self.state.stops() > 0, self.state.precision.reached()) {
            (true, _) => Ended::Interrupted,
            (false, true) => Ended::Precise,
            (false, false) => Ended::Planned,
        }
    }

    /// One worker, on its own thread; `None` if the run was stopped before the start.
    fn work(
        &self,
        thread: u32,
        clock: Clock,
        wall: Option<Wall>,
        routes: &Arc<[Route]>,
    ) -> Result<Option<Counters>, EngineError> {
        let script = self.plan.rotation.script();
        let connections = self.share(thread).of(u64::from(self.most_open)) as usize;
        let no_driver = |e| EngineError::environment("an engine thread cannot work", &e);
        self.prepare(thread).map_err(no_driver)?;
        match self.facts.driver {
            DriverChoice::Epoll => {
                let driver = epoll(clock, script, wall).map_err(no_driver)?;
                self.work_on(thread, driver, clock, routes)
            }
            DriverChoice::IoUring | DriverChoice::Auto => {
                let driver = Uring::new(clock, script, connections).map_err(no_driver)?;
                self.work_on(thread, driver, clock, routes)
            }
        }
    }

    /// A worker on a driver, with TLS over it where the plan has terms for that.
    fn work_on<D: Driver>(
        &self,
        thread: u32,
        driver: D,
        clock: Clock,
        routes: &Arc<[Route]>,
    ) -> Result<Option<Counters>, EngineError> {
        let Some(terms) = &self.plan.terms else {
            return self.start_worker(thread, driver, clock, routes);
        };
        let secure = Secure::new(driver, terms, self.plan.rotation.script());
        self.start_worker(thread, secure, clock, routes)
    }

    fn prepare(&self, thread: u32) -> io::Result<()> {
        if let Some(cpus) = &self.facts.cpus
            && !cpus.is_empty()
        {
            pin_to(cpus[thread as usize % cpus.len()])?;
        }
        self.low_latency.as_ref().map_or(Ok(()), Grants::apply)?;
        exact_timers()
    }

    /// Starts a worker together with the others.
    fn start_worker<D: Driver>(
        &self,
        thread: u32,
        driver: D,
        clock: Clock,
        routes: &Arc<[Route]>,
    ) -> Result<Option<Counters>, EngineError> {
        let Some(start) = self.state.line.wait(|| clock.now()) else {
            return Ok(None);
        };
        let plan = &self.plan;
        let worker = Worker::new(
            driver,
            plan,
            Arc::clone(routes),
            Window::new(start, plan.warm_up, plan.duration, plan.drain),
            self.share(thread),
            self.most_open,
            Arc::clone(&self.state),
        );
        let counters = worker.run();
        counters
            .map(Some)
            .map_err(|e| EngineError::environment("the driver failed", &e))
    }

    fn share(&self, thread: u32) -> Share {
        Share {
            thread,
            threads: self.facts.threads,
        }
    }
}

/// Epoll, with the kernel's stamps where the way from its clock to the run's is given.
fn epoll(clock: Clock, script: Arc<[u8]>, wall: Option<Wall>) -> io::Result<Epoll> {
    let driver = Epoll::new(clock, script)?;
    match wall {
        None => Ok(driver),
        Some(wall) => driver.stamping(wall),
    }
}
