//! What a thread may have and what it has used.

use std::io;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the calling thread has used since it began.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadUsage {
    /// Processor time in user space.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// Times it gave the processor up.
    pub voluntary_switches: u64,
    /// Times the processor was taken from it.
    pub involuntary_switches: u64,
}

/// The usage of the calling thread.
pub fn thread_usage() -> ThreadUsage {
    // SAFETY: rusage is plain data for which all zeroes is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live rusage; RUSAGE_THREAD needs no more.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    ThreadUsage {
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
        voluntary_switches: usage.ru_nvcsw as u64,
        involuntary_switches: usage.ru_nivcsw as u64,
    }
}

fn duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1_000)
}

/// Raises this process's limit of open descriptors towards `wanted`, and returns the limit that holds then.
///
/// # Errors
/// When the kernel refuses although the hard limit allows it.
pub fn raise_descriptor_limit(wanted: u64) -> io::Result<u64> {
    let limit = getrlimit(Resource::Nofile);
    let soft = limit.current.unwrap_or(u64::MAX);
    if soft >= wanted {
        return Ok(soft);
    }
    let hard = limit.maximum.unwrap_or(u64::MAX);
    let new = wanted.min(hard);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(new),
            maximum: limit.maximum,
        },
    )?;
    Ok(new)
}
