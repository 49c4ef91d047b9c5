//! What a server is started with.

use std::time::Duration;

use crate::address::Listen;
use crate::reply::page::Page;

/// One stall of the whole server, at a time known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedStall {
    /// Counted from the first request.
    pub after: Duration,
    pub length: Duration,
}

/// Most threads of one server. More than any machine has processors; each costs a stack and a few descriptors.
pub const MAX_THREADS: usize = 1024;

#[derive(Clone, Debug)]
pub struct Config {
    pub listen: Listen,
    /// 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// Thread `i` is kept on the CPU at place `i`, from the start again where there are more threads than CPUs.
    pub cpus: Option<Vec<usize>>,
    pub pages: Vec<Page>,
    /// Delays, and which requests a shared fault hits, are drawn from this seed, for each thread on its own.
    pub seed: u64,
    pub stall: Option<PlannedStall>,
    /// Keep when each request was read. The threads never sleep then.
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
