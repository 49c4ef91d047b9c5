//! What a thread may have and what it has used.

use std::io;
use std::num::NonZeroU64;
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity, set_current_timer_slack};

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

/// Has the kernel's table of this process's descriptors grow at once to hold `count`, or as many as are allowed.
///
/// Left alone it doubles as connections are opened, and where threads share it, waits each time until every
/// processor has seen the old one (`synchronize_rcu`): 10 to 20 ms in which the thread that connects does nothing
/// else. Where it cannot be had now, it grows later.
pub fn make_room_for_descriptors(count: u64) {
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let last = count.min(allowed).saturating_sub(1);
    let (Ok(last), Ok(any)) = (i32::try_from(last), eventfd(0, EventfdFlags::CLOEXEC)) else {
        return;
    };
    // The table keeps its size when this one is closed again, at the end of the line.
    drop(fcntl_dupfd_cloexec(&any, last));
}

/// Asks the kernel to end the waits of the calling thread within 1 ns of their time, not within 50 µs.
pub fn exact_timers() -> io::Result<()> {
    Ok(set_current_timer_slack(Some(NonZeroU64::MIN))?)
}

/// Keeps the calling thread on one CPU.
pub fn pin_to(cpu: usize) -> io::Result<()> {
    if cpu >= CpuSet::MAX_CPU {
        let last = CpuSet::MAX_CPU - 1;
        let message = format!("CPU `{cpu}` was given, a number from 0 to {last} is expected");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut cpus = CpuSet::new();
    cpus.set(cpu);
    Ok(sched_setaffinity(None, &cpus)?)
}

#[cfg(test)]
mod tests {
    use rustix::thread::sched_getaffinity;

    use super::*;

    #[test]
    fn the_table_of_descriptors_holds_as_many_as_were_asked_for() {
        raise_descriptor_limit(3000).unwrap();
        make_room_for_descriptors(3000);
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("FDSize:"))
            .unwrap();
        let size: u64 = line["FDSize:".len()..].trim().parse().unwrap();
        assert!(size >= 3000, "{line}");
    }

    #[test]
    fn a_thread_is_pinned_to_the_cpu_asked_for() {
        std::thread::spawn(|| {
            let allowed = sched_getaffinity(None).unwrap();
            let cpu = (0..CpuSet::MAX_CPU)
                .find(|cpu| allowed.is_set(*cpu))
                .unwrap();
            pin_to(cpu).unwrap();
            let pinned = sched_getaffinity(None).unwrap();
            assert!(pinned.is_set(cpu) && pinned.count() == 1);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_cpu_beyond_all_numbers_is_refused_in_a_sentence() {
        let message = pin_to(CpuSet::MAX_CPU).unwrap_err().to_string();
        assert!(message.starts_with("CPU `1024` was given"), "{message}");
    }
}
