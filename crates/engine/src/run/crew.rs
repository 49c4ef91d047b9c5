//! The workers of a run: each has a thread, all start together, their counters are merged at the end.

use std::io;
use std::sync::Arc;
use std::thread;

use driver::{
    Clock, Driver, Epoll, NEVER, Nanos, Route, Uring, Wall, pin_thread, set_exact_timers,
    set_short_slice,
};
use quic::Quic;
use secure::Secure;

use crate::error::EngineError;
use crate::load::share::Share;
use crate::measurement::counters::Counters;
use crate::measurement::records::Records;
use crate::measurement::window::Window;
use crate::measurement::{Ended, Facts};
use crate::plan::compiled::CompiledPlan;
use crate::plan::endpoints::Endpoints;
use crate::plan::http2::{Http2, streams};
use crate::plan::{DriverChoice, Plan};
use crate::run::low_latency::Grants;
use crate::run::progress::Phase;
use crate::run::starting_line::appointment::Appointment;
use crate::run::state::RunState;
use crate::run::threads::run_together;
use crate::run::worker::Worker;

/// The workers of a run and what they share.
pub struct Crew {
    plan: Arc<CompiledPlan>,
    most_open: u32,
    low_latency: Option<Grants>,
    /// When the run is to start; `None`: as soon as all workers are ready.
    appointment: Option<Appointment>,
    pub facts: Facts,
    pub state: Arc<RunState>,
}

impl Crew {
    /// A crew with as many workers as the plan has threads, but no more than connections.
    pub fn new(
        plan: &Plan,
        compiled: Arc<CompiledPlan>,
        choice: (DriverChoice, String),
        most_open: u32,
        appointment: Option<Appointment>,
    ) -> Self {
        // The connections of a session belong to one thread.
        let sharers = most_open / compiled.load.connections_each();
        let threads = plan.threads.min(sharers.max(1));
        let (driver, reason) = choice;
        let low_latency = plan.low_latency.then(|| Grants::ask(plan));
        let part = compiled.part;
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
                http: plan.http,
                streams: streams(plan),
                endpoints: Endpoints::names_of(&plan.requests),
                burst: plan.burst,
                low_latency: low_latency.as_ref().map(Grants::facts),
                over_time: plan.over_time,
                part,
                all_parts: false,
            },
            low_latency,
            appointment,
        }
    }

    /// Runs all workers and merges their counters, which are empty if the run is stopped before it starts.
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
            // Ends the watch even if no worker got to this phase.
            self.state.reach(Phase::Draining);
            counters
        })?;
        let mut counters: Vec<Counters> = counters.into_iter().flatten().collect();
        let records = counters
            .iter_mut()
            .map(|one| std::mem::take(&mut one.records));
        let records = Records::join(records.collect());
        let mut counters = counters.into_iter();
        let Some(mut all) = counters.next() else {
            return Ok(Counters::empty());
        };
        all.records = records;
        counters.for_each(|counters| all.merge(&counters));
        if let (Some(kernel), Some(wall)) = (&mut all.kernel, wall) {
            kernel.clock_set = Wall::read(clock).set_since(&wall);
        }
        all.rebase();
        Ok(all)
    }

    /// The reason why the run ended.
    pub fn ended(&self) -> Ended {
        match (self.state.stops() > 0, self.state.precision.reached()) {
            (true, _) => Ended::Interrupted,
            (false, true) => Ended::Precise,
            (false, false) => Ended::Planned,
        }
    }

    /// Runs one worker on the current thread; `None` if the run is stopped before it starts.
    fn work(
        &self,
        thread: u32,
        clock: Clock,
        wall: Option<Wall>,
        routes: &Arc<[Route]>,
    ) -> Result<Option<Counters>, EngineError> {
        let script = self.plan.rotation.script();
        let each = self.plan.load.connections_each();
        let sessions = self.share(thread).of(u64::from(self.most_open / each));
        let connections = (sessions * u64::from(each)) as usize;
        let no_driver = |e| EngineError::environment("an engine thread cannot be set up", &e);
        self.prepare(thread).map_err(no_driver)?;
        let quic = self.plan.http2.as_ref().and_then(Http2::quic);
        if let (Some(quic), Some(tls)) = (quic, &self.plan.tls) {
            let driver = Quic::new(clock, tls, quic).map_err(no_driver)?;
            return self.start_worker(thread, driver, clock, routes);
        }
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

    /// Runs a worker on a driver, with TLS on top if the plan asks for it.
    fn work_on<D: Driver>(
        &self,
        thread: u32,
        driver: D,
        clock: Clock,
        routes: &Arc<[Route]>,
    ) -> Result<Option<Counters>, EngineError> {
        let Some(tls) = &self.plan.tls else {
            return self.start_worker(thread, driver, clock, routes);
        };
        let secure = Secure::new(driver, tls, self.plan.rotation.script());
        self.start_worker(thread, secure, clock, routes)
    }

    fn prepare(&self, thread: u32) -> io::Result<()> {
        if let Some(cpus) = &self.facts.cpus
            && !cpus.is_empty()
        {
            pin_thread(cpus[thread as usize % cpus.len()])?;
        }
        if self.plan.has_own_cpus {
            // What shows the progress runs here too. Where this is refused, the engine waits for it.
            let _ = set_short_slice();
        }
        self.low_latency.as_ref().map_or(Ok(()), Grants::apply)?;
        set_exact_timers()
    }

    /// Waits for the other workers, then runs.
    fn start_worker<D: Driver>(
        &self,
        thread: u32,
        driver: D,
        clock: Clock,
        routes: &Arc<[Route]>,
    ) -> Result<Option<Counters>, EngineError> {
        let Some(start) = self.start(clock)? else {
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
            .map_err(|e| EngineError::environment("the driver of an engine thread failed", &e))
    }

    /// The start of the run by its clock, once all workers are ready and it has come; `None` if the run is stopped
    /// before.
    ///
    /// # Errors
    /// The appointed time passed before all workers were ready.
    fn start(&self, clock: Clock) -> Result<Option<Nanos>, EngineError> {
        let (state, wall) = (&self.state, Wall::read(clock));
        let begin = || match &self.appointment {
            None => clock.now(),
            Some(appointment) => appointment.by(wall, clock),
        };
        let Some(start) = state.line.wait(begin) else {
            return Ok(None);
        };
        let Some(appointment) = self.appointment else {
            state.started(wall.of_run(start));
            return Ok(Some(start));
        };
        if start == NEVER {
            return Err(appointment.past());
        }
        if !state.line.hold(|| clock.until(start)) {
            return Ok(None);
        }
        // The wall clock may have been set meanwhile.
        state.started(Wall::read(clock).of_run(start));
        Ok(Some(start))
    }

    fn share(&self, thread: u32) -> Share {
        Share {
            thread,
            threads: self.facts.threads,
        }
    }
}

/// An epoll driver; with the relation of the wall clock to the clock of the run, it takes kernel timestamps.
fn epoll(clock: Clock, script: Arc<[u8]>, wall: Option<Wall>) -> io::Result<Epoll> {
    let driver = Epoll::new(clock, script)?;
    match wall {
        None => Ok(driver),
        Some(wall) => driver.stamping(wall),
    }
}
