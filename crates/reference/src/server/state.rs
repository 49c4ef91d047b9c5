//! What the threads of one server share, and what each has for itself to answer with.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rand_xoshiro::rand_core::SeedableRng;

use crate::config::PlannedStall;
use crate::duration::nanoseconds;
use crate::random::Generator;
use crate::reply::page::Site;
use crate::server::stall::{Clock, Stall};

/// Shared by all threads; only read on the way of a plain request.
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

/// Requests read by one thread, on a cache line of its own (two, as CPUs fetch them in pairs).
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct RequestCounter(AtomicU64);

impl RequestCounter {
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// One more; by one thread only, so that no locked instruction is needed.
    fn add_one(&self) {
        self.0.store(self.get() + 1, Ordering::Relaxed);
    }
}

/// Most times that one thread keeps until they are taken.
const MOST_TIMES: usize = 1 << 22;

/// Times that one thread noted, ns, until they are taken.
#[derive(Default)]
pub(crate) struct TimeLog(Mutex<Vec<u64>>);

impl TimeLog {
    /// Room for all from the start: a list that grows would hold the server up meanwhile.
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

/// What the connections of one thread answer with.
pub(crate) struct ThreadState {
    pub(crate) shared: Arc<SharedState>,
    pub(crate) generator: Generator,
    count: Arc<RequestCounter>,
    /// How long delayed replies really waited: what was asked for, and what the machine added.
    delays: Arc<TimeLog>,
    /// When each request was read, where that is kept.
    arrivals: Option<Arc<TimeLog>>,
}

impl ThreadState {
    /// For thread number `thread`; its draws are its own, and the same for the same seed.
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

    /// A delayed reply goes out now, to a request that was read at `asked_ns`.
    pub(crate) fn note_delay(&self, asked_ns: u64) {
        self.delays.add(self.now_ns() - asked_ns);
    }

    pub(crate) fn now_ns(&self) -> u64 {
        self.shared.clock.now_ns()
    }

    /// Counts a request that was read; the first of all starts the clock of the planned stall.
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

    /// Whether the moment at which each request comes is kept.
    pub(crate) fn keeps_arrivals(&self) -> bool {
        self.arrivals.is_some()
    }

    /// The whole server stands still from now.
    pub(crate) fn stall_for(&self, length: Duration) {
        self.shared.stall.plan(self.now_ns(), length);
    }

    /// Returns when the server does not stand still, or is to stop.
    pub(crate) fn sit_out_stall(&self) {
        self.shared
            .stall
            .sit_out(self.shared.clock, &self.shared.stopping);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.shared.stopping.load(Ordering::Relaxed)
    }
}
