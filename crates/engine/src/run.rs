//! A run from plan to measurement: check, connect once, choose a driver, start the workers together, merge their books.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use driver::{
    Availability, Clock, Driver, Epoll, Nanos, Route, Uring, Wall, exact_timers,
    make_room_for_descriptors, pin_to, raise_descriptor_limit,
};
use secure::Secure;

use crate::error::{EngineError, Kind};
use crate::ledger::Ledger;
use crate::load::Share;
use crate::measurement::{Ended, Facts, Measurement};
use crate::order::Order;
use crate::plan::{DriverChoice, Load, Plan};
use crate::progress::{Board, Phase, Progress};
use crate::target::routes;
use crate::until::watch;
use crate::window::Window;
use crate::worker::Worker;

/// Descriptors that a run needs besides its connections.
const SPARE_DESCRIPTORS: u64 = 64;
/// Sessions open at once when the plan sets no limit and the descriptors allow more.
const MOST_SESSIONS: u64 = 1 << 20;
/// Most descriptors that room is made for before the run.
const MOST_ROOM: u64 = 1 << 17;

/// A run under way.
pub struct Run {
    board: Arc<Board>,
    result: Arc<Mutex<Option<Result<Measurement, EngineError>>>>,
    thread: Option<JoinHandle<()>>,
}

impl Run {
    /// Waits until a phase is reached, or so long; whether it is.
    pub fn wait(&self, phase: Phase, timeout: Duration) -> bool {
        self.board.wait(phase, timeout)
    }

    /// A look at it.
    pub fn progress(&self) -> Progress {
        self.board.look()
    }

    /// Asks it to stop: once for no new work, twice for no more waiting.
    pub fn stop(&self) {
        self.board.stop();
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When a worker could not work.
    pub fn result(&mut self) -> Result<Measurement, EngineError> {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let result = self.result.lock().unwrap_or_else(PoisonError::into_inner);
        result.clone().unwrap_or_else(|| {
            Err(EngineError::new(
                Kind::Internal,
                "the run ended without a result",
            ))
        })
    }
}

/// Starts a run.
///
/// # Errors
/// When the plan is at fault, the target does not answer, or this machine forbids it. Nothing has been sent then.
pub fn start(plan: &Plan) -> Result<Run, EngineError> {
    let order = Arc::new(Order::new(plan)?);
    let routes: Arc<[Route]> = routes(plan, order.terms.as_ref())?.into();
    let (driver, reason) = choose(plan)?;
    let most_open = connections(&order)?;
    let threads = plan.threads.min(most_open);
    let crew = Crew {
        order,
        routes,
        driver,
        threads,
        cpus: plan.cpus.clone(),
        most_open,
        board: Arc::new(Board::new(threads as usize)),
    };
    let facts = Facts {
        driver,
        reason,
        threads,
        cpus: plan.cpus.clone(),
        load: plan.load.clone(),
        burst: plan.burst,
    };
    let board = Arc::clone(&crew.board);
    let result = Arc::new(Mutex::new(None));
    let place = Arc::clone(&result);
    let thread = spawn("run", move || {
        let started_at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs_f64();
        let measured = crew
            .run()
            .map(|ledger| Measurement::new(&facts, started_at, ledger, crew.ended()));
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
        crew.board.reach(Phase::Done);
    })?;
    Ok(Run {
        board,
        result,
        thread: Some(thread),
    })
}

/// The driver that `auto` takes here, and why.
pub fn probe() -> (DriverChoice, String, Availability) {
    let availability = driver::probe();
    let (driver, reason) = match &availability.uring {
        None => (DriverChoice::IoUring, "io_uring works here".to_owned()),
        Some(why) => (
            DriverChoice::Epoll,
            format!("io_uring does not work here: {why}"),
        ),
    };
    (driver, reason, availability)
}

fn choose(plan: &Plan) -> Result<(DriverChoice, String), EngineError> {
    let (best, reason, availability) = probe();
    let (wanted, why) = match plan.driver {
        DriverChoice::Auto if plan.kernel_timestamps => (
            DriverChoice::Epoll,
            "kernel timestamps were asked for, and io_uring receives without them",
        ),
        asked => (asked, "asked for"),
    };
    let missing = match wanted {
        DriverChoice::Auto => return Ok((best, reason)),
        DriverChoice::IoUring => availability.uring,
        DriverChoice::Epoll => availability.epoll,
    };
    match missing {
        None => Ok((wanted, why.into())),
        Some(why) => Err(EngineError::new(
            Kind::Environment,
            format!("the driver asked for does not work here: {why}"),
        )
        .hint("leave the driver to be chosen, or ask for the other: `--driver auto`")),
    }
}

/// Connections that may be open at once, with the descriptor limit raised to allow them.
fn connections(order: &Order) -> Result<u32, EngineError> {
    let wanted = order.connections();
    let needed = wanted.map_or(MOST_SESSIONS, u64::from) + SPARE_DESCRIPTORS;
    let allowed = raise_descriptor_limit(needed)
        .map_err(|e| environment("the limit of open files cannot be raised", &e))?;
    make_room_for_descriptors(needed.min(MOST_ROOM));
    match wanted {
        Some(wanted) if allowed < needed => Err(EngineError::new(
            Kind::Environment,
            format!("`{wanted}` connections need {needed} open files, and this process may have {allowed}"),
        )
        .hint("raise the limit (`ulimit -n`, as root or in limits.conf), or ask for fewer connections")),
        Some(wanted) => Ok(wanted),
        None => Ok((allowed - SPARE_DESCRIPTORS.min(allowed / 2)) as u32),
    }
}

fn environment(what: &str, error: &io::Error) -> EngineError {
    EngineError::new(Kind::Environment, format!("{what}: {error}"))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, EngineError> {
    thread::Builder::new()
        .name(format!("httpdyno-{name}"))
        .spawn(work)
        .map_err(|e| environment("no thread can be started", &e))
}

/// What all workers of a run have in common.
struct Crew {
    order: Arc<Order>,
    routes: Arc<[Route]>,
    driver: DriverChoice,
    threads: u32,
    cpus: Option<Vec<usize>>,
    most_open: u32,
    board: Arc<Board>,
}

impl Crew {
    /// Runs all workers, and merges their books.
    fn run(&self) -> Result<Ledger, EngineError> {
        let clock = Clock::start();
        let wall = self.order.kernel_timestamps.then(|| Wall::read(clock));
        let line = StartingLine::new(self.threads as usize);
        let books = thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads)
                .map(|thread| {
                    let line = &line;
                    thread::Builder::new()
                        .name(format!("httpdyno-{thread}"))
                        .spawn_scoped(scope, move || self.work(thread, clock, wall, line))
                })
                .collect();
            if let Some(until) = self.order.until {
                scope.spawn(move || watch(&self.board, until));
            }
            let books = workers
                .into_iter()
                .map(|worker| {
                    let worker = worker.map_err(|e| environment("no thread can be started", &e))?;
                    worker.join().unwrap_or_else(|_| {
                        Err(EngineError::new(Kind::Internal, "a worker panicked"))
                    })
                })
                .collect::<Result<Vec<_>, _>>();
            // Whoever watches need not go on, even where no worker came so far.
            self.board.reach(Phase::Draining);
            books
        })?;
        let mut books = books.into_iter();
        let mut all = books
            .next()
            .ok_or_else(|| EngineError::new(Kind::Internal, "no worker ran"))?;
        books.for_each(|ledger| all.merge(&ledger));
        if let (Some(kernel), Some(wall)) = (&mut all.kernel, wall) {
            kernel.clock_set = Wall::read(clock).set_since(&wall);
        }
        Ok(all)
    }

    /// What ended the run.
    fn ended(&self) -> Ended {
        match (self.board.stops() > 0, self.board.precision.reached()) {
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
    ) -> Result<Ledger, EngineError> {
        let ready = self.prepare(thread);
        let connections = Share {
            thread,
            threads: self.threads,
        }
        .of(u64::from(self.most_open));
        let script = self.order.cycle.script();
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

    /// A worker on a driver, with TLS over it where the order has terms for that.
    fn work_on<D: Driver>(
        &self,
        thread: u32,
        driver: io::Result<D>,
        clock: Clock,
        line: &StartingLine,
    ) -> Result<Ledger, EngineError> {
        let Some(terms) = &self.order.terms else {
            return self.work_with(thread, driver, clock, line);
        };
        let script = self.order.cycle.script();
        let secure = driver.map(|driver| Secure::new(driver, terms, script));
        self.work_with(thread, secure, clock, line)
    }

    fn prepare(&self, thread: u32) -> io::Result<()> {
        if let Some(cpus) = &self.cpus
            && !cpus.is_empty()
        {
            pin_to(cpus[thread as usize % cpus.len()])?;
        }
        exact_timers()
    }

    fn work_with<D: Driver>(
        &self,
        thread: u32,
        driver: io::Result<D>,
        clock: Clock,
        line: &StartingLine,
    ) -> Result<Ledger, EngineError> {
        let begin = line.meet(driver.is_ok(), clock);
        let driver = driver.map_err(|e| environment("an engine thread cannot work", &e))?;
        let begin = begin.ok_or_else(|| {
            EngineError::new(Kind::Environment, "another engine thread could not start")
        })?;
        let order = &self.order;
        let window = Window::new(begin, order.warm_up, order.duration, order.drain);
        let share = Share {
            thread,
            threads: self.threads,
        };
        Worker::new(
            driver,
            order,
            Arc::clone(&self.routes),
            window,
            share,
            self.most_open,
            Arc::clone(&self.board),
        )
        .run()
        .map_err(|e| environment("the driver failed", &e))
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

/// Where workers wait for each other: they start together, or not at all.
struct StartingLine {
    barrier: Barrier,
    ready: AtomicU64,
    begin: AtomicU64,
    workers: u64,
}

impl StartingLine {
    fn new(workers: usize) -> Self {
        Self {
            barrier: Barrier::new(workers),
            ready: AtomicU64::new(0),
            begin: AtomicU64::new(0),
            workers: workers as u64,
        }
    }

    /// Waits for all; the common moment of beginning, or `None` when one of them is not ready.
    fn meet(&self, ready: bool, clock: Clock) -> Option<Nanos> {
        self.ready.fetch_add(u64::from(ready), Ordering::SeqCst);
        if self.barrier.wait().is_leader() {
            self.begin.store(clock.now(), Ordering::SeqCst);
        }
        self.barrier.wait();
        let all = self.ready.load(Ordering::SeqCst) == self.workers;
        all.then(|| self.begin.load(Ordering::SeqCst))
    }
}

impl Load {
    /// The name of the load's kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Closed { .. } => "closed",
            Self::Requests { .. } => "requests",
            Self::Sessions { .. } => "sessions",
        }
    }
}
