//! The workers of a run: one thread each, started together, their counters merged at the end.

use std::io;
use std::sync::Arc;
use std::thread;

use driver::{Clock, Driver, Epoll, Route, Uring, Wall, exact_timers, pin_to};
use secure::Secure;

use crate::error::{EngineError, Kind};
use crate::load::share::Share;
use crate::measurement::counters::Counters;
use crate::measurement::window::Window;
use crate::measurement::{Ended, Facts};
use crate::plan::compiled::CompiledPlan;
use crate::plan::{DriverChoice, Plan};
use crate::run::low_latency::Grants;
use crate::run::progress::Phase;
use crate::run::starting_line::StartingLine;
use crate::run::state::RunState;
use crate::run::worker::Worker;

/// What all workers of a run have in common.
pub struct Crew {
    plan: Arc<CompiledPlan>,
    routes: Arc<[Route]>,
    driver: DriverChoice,
    threads: u32,
    cpus: Option<Vec<usize>>,
    most_open: u32,
    low_latency: Option<Grants>,
    pub state: Arc<RunState>,
}

impl Crew {
    /// A crew for a plan; it has no more threads than connections.
    pub fn new(
        plan: &Plan,
        compiled: CompiledPlan,
        routes: Vec<Route>,
        choice: &(DriverChoice, String),
        most_open: u32,
    ) -> Self {
        let threads = plan.threads.min(most_open);
        Self {
            plan: Arc::new(compiled),
            routes: routes.into(),
            driver: choice.0,
            threads,
            cpus: plan.cpus.clone(),
            most_open,
            low_latency: plan.low_latency.then(|| Grants::ask(plan)),
            state: Arc::new(RunState::new(threads as usize)),
        }
    }

    /// What a measurement says of the engine and its load.
    pub fn facts(&self, plan: &Plan, (driver, reason): (DriverChoice, String)) -> Facts {
        Facts {
            driver,
            reason,
            threads: self.threads,
            cpus: plan.cpus.clone(),
            load: plan.load.clone(),
            burst: plan.burst,
            low_latency: self.low_latency.as_ref().map(Grants::facts),
        }
    }

    /// Runs all workers, and merges their counters.
    pub fn run(&self) -> Result<Counters, EngineError> {
        let clock = Clock::start();
        let wall = self.plan.kernel_timestamps.then(|| Wall::read(clock));
        let line = StartingLine::new(self.threads as usize);
        let counters = thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads)
                .map(|thread| {
                    let line = &line;
                    thread::Builder::new()
                        .name(format!("httpdyno-{thread}"))
                        .spawn_scoped(scope, move || self.work(thread, clock, wall, line))
                })
                .collect();
            if let Some(until) = self.plan.until {
                scope.spawn(move || self.state.watch_precision(until));
            }
            let counters = workers
                .into_iter()
                .map(|worker| {
                    let worker = worker
                        .map_err(|e| EngineError::environment("no thread can be started", &e))?;
                    worker.join().unwrap_or_else(|_| {
                        Err(EngineError::new(Kind::Internal, "a worker panicked"))
                    })
                })
                .collect::<Result<Vec<_>, _>>();
            // Whoever watches need not go on, even where no worker came so far.
            self.state.reach(Phase::Draining);
            counters
        })?;
        let mut counters = counters.into_iter();
        let mut all = counters
            .next()
            .ok_or_else(|| EngineError::new(Kind::Internal, "no worker ran"))?;
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

    /// One worker, on its own thread.
    fn work(
        &self,
        thread: u32,
        clock: Clock,
        wall: Option<Wall>,
        line: &StartingLine,
    ) -> Result<Counters, EngineError> {
        let ready = self.prepare(thread);
        let connections = Share {
            thread,
            threads: self.threads,
        }
        .of(u64::from(self.most_open));
        let script = self.plan.rotation.script();
        match self.driver {
            DriverChoice::Epoll => {
                let driver = ready.and_then(|()| epoll(clock, script, wall));
                self.work_on(thread, driver, clock, line)
            }
            DriverChoice::IoUring | DriverChoice::Auto => {
                let driver = ready.and_then(|()| Uring::new(clock, script, connections as usize));
                self.work_on(thread, driver, clock, line)
            }
        }
    }

    /// A worker on a driver, with TLS over it where the plan has terms for that.
    fn work_on<D: Driver>(
        &self,
        thread: u32,
        driver: io::Result<D>,
        clock: Clock,
        line: &StartingLine,
    ) -> Result<Counters, EngineError> {
        let Some(terms) = &self.plan.terms else {
            return self.work_with(thread, driver, clock, line);
        };
        let script = self.plan.rotation.script();
        let secure = driver.map(|driver| Secure::new(driver, terms, script));
        self.work_with(thread, secure, clock, line)
    }

    fn prepare(&self, thread: u32) -> io::Result<()> {
        if let Some(cpus) = &self.cpus
            && !cpus.is_empty()
        {
            pin_to(cpus[thread as usize % cpus.len()])?;
        }
        self.low_latency.as_ref().map_or(Ok(()), Grants::apply)?;
        exact_timers()
    }

    fn work_with<D: Driver>(
        &self,
        thread: u32,
        driver: io::Result<D>,
        clock: Clock,
        line: &StartingLine,
    ) -> Result<Counters, EngineError> {
        let begin = line.meet(driver.is_ok(), clock);
        let driver =
            driver.map_err(|e| EngineError::environment("an engine thread cannot work", &e))?;
        let begin = begin.ok_or_else(|| {
            EngineError::new(Kind::Environment, "another engine thread could not start")
        })?;
        let plan = &self.plan;
        let window = Window::new(begin, plan.warm_up, plan.duration, plan.drain);
        let share = Share {
            thread,
            threads: self.threads,
        };
        Worker::new(
            driver,
            plan,
            Arc::clone(&self.routes),
            window,
            share,
            self.most_open,
            Arc::clone(&self.state),
        )
        .run()
        .map_err(|e| EngineError::environment("the driver failed", &e))
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
