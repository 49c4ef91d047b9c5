//! State shared by the threads of a server, and the state of each thread.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand_xoshiro::rand_core::SeedableRng;

use crate::config::PlannedStall;
use crate::duration::nanoseconds;
use crate::random::Generator;
use crate::reply::page::Site;
use crate::server::stall::{Clock, Stall};

/// Shared by all threads. A plain request only reads it.
pub(crate) struct SharedState {
    pub(crate) site: Site,
    pub(crate) clock: Clock,
    pub(crate) stall: Stall,
    pub(crate) stopping: AtomicBool,
    planned_stall: Option<PlannedStall>,
    first_has_come: AtomicBool,
}

impl SharedState {
    pub(crate) fn new(site: Site, planned_stall: Option<PlannedStall>) -> Self {
        Self {
            site,
            clock: Clock(Instant::now()),
            stall: Stall::default(),
            stopping: AtomicBool::new(false),
            planned_stall,
            first_has_come: AtomicBool::new(false),
        }
    }
}

/// Number of requests read by one thread, on its own pair of cache lines (CPUs fetch them in pairs).
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct RequestCounter(AtomicU64);

impl RequestCounter {
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds one. Only one thread writes, so no locked instruction is needed.
    fn add_one(&self) {
        self.0.store(self.get() + 1, Ordering::Relaxed);
    }
}

/// Most times that a thread keeps until they are taken.
const MOST_TIMES: usize = 1 << 22;

/// Times recorded by one thread, ns, kept until taken.
#[derive(Default)]
pub(crate) struct TimeLog(Mutex<Vec<u64>>);

impl TimeLog {
    /// Allocates the full capacity now: growing later would delay the server.
    pub(crate) fn with_room() -> Self {
        Self(Mutex::new(Vec::with_capacity(MOST_TIMES)))
    }

    pub(crate) fn take(&self) -> Vec<u64> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, time_ns: u64) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if times.len() < MOST_TIMES {
            times.push(time_ns);
        }
    }
}

/// State of one thread, used by its connections.
pub(crate) struct ThreadState {
    pub(crate) shared: Arc<SharedState>,
    pub(crate) generator: Generator,
    count: Arc<RequestCounter>,
    /// The times for which delayed replies were really held, including what the machine added.
    delays: Arc<TimeLog>,
    /// When each request was read, if recorded.
    arrivals: Option<Arc<TimeLog>>,
}

impl ThreadState {
    /// The state of thread number `thread`. Its random sequence depends only on the seed and this number.
    pub(crate) fn new(
        shared: Arc<SharedState>,
        count: Arc<RequestCounter>,
        delays: Arc<TimeLog>,
        arrivals: Option<Arc<TimeLog>>,
        seed: u64,
        thread: usize,
    ) -> Self {
        let mut generator = Generator::seed_from_u64(seed);
        for _ in 0..thread {
            generator.jump();
        }
        Self {
            shared,
            generator,
            count,
            delays,
            arrivals,
        }
    }

    /// Records a delayed reply that is sent now, for a request that was read at `read_ns`.
    pub(crate) fn note_delay(&self, read_ns: u64) {
        self.delays.add(self.now_ns() - read_ns);
    }

    pub(crate) fn now_ns(&self) -> u64 {
        self.shared.clock.now_ns()
    }

    /// Counts a request. The first one starts the timer of the planned stall.
    pub(crate) fn count_request(&self) {
        self.count.add_one();
        if let Some(arrivals) = &self.arrivals {
            arrivals.add(self.now_ns());
        }
        if let Some(planned) = self.shared.planned_stall
            && !self.shared.first_has_come.swap(true, Ordering::Relaxed)
        {
            let from_ns = self.now_ns() + nanoseconds(planned.after);
            self.shared.stall.plan(from_ns, planned.length);
        }
    }

    /// True if the arrival of each request is recorded.
    pub(crate) fn keeps_arrivals(&self) -> bool {
        self.arrivals.is_some()
    }

    /// Stalls the whole server from now on.
    pub(crate) fn stall_for(&self, length: Duration) {
        self.shared.stall.plan(self.now_ns(), length);
    }

    /// Waits for the end of a stall, or for the server to stop.
    pub(crate) fn sit_out_stall(&self) {
        self.shared
            .stall
            .sit_out(self.shared.clock, &self.shared.stopping);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.shared.stopping.load(Ordering::Relaxed)
    }
}
