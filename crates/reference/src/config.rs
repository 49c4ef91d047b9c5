//! The configuration of a server.

use std::time::Duration;

use crate::address::Listen;
use crate::reply::page::Page;

/// One stall of the whole server, planned before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedStall {
    /// Counted from the first request.
    pub after: Duration,
    pub length: Duration,
}

/// Most threads of one server: more than any machine has processors.
pub const MAX_THREADS: usize = 1024;

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: Listen,
    /// 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// CPUs to pin the threads to, in order. With more threads than CPUs the list starts over.
    pub cpus: Option<Vec<usize>>,
    pub pages: Vec<Page>,
    /// Seed of the random delays and faults. Each thread draws its own sequence from it.
    pub seed: u64,
    pub stall: Option<PlannedStall>,
    /// Record when each request was read. The threads busy-wait then.
    pub keep_arrivals: bool,
}

impl Config {
    /// One thread, not pinned, with these pages and no stall.
    pub fn new(listen: Listen, pages: Vec<Page>) -> Self {
        Self {
            listen,
            threads: 1,
            cpus: None,
            pages,
            seed: 1,
            stall: None,
            keep_arrivals: false,
        }
    }
}
