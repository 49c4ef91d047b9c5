//! Resources of threads: usage, descriptors, timers, processors.

use std::io;
use std::num::NonZeroU64;
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Resource, Rlimit, getpriority_process, getrlimit, setrlimit};
use rustix::thread::{CpuSet, sched_setaffinity, set_current_timer_slack};

const SHORTEST_SLICE_NS: u64 = 100_000;

/// Resource usage of the calling thread since it started.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadUsage {
    /// Processor time in user space.
    pub user: Duration,
    /// Processor time in the kernel.
    pub system: Duration,
    /// Number of times it gave up the processor.
    pub voluntary_switches: u64,
    /// Number of times it was preempted.
    pub involuntary_switches: u64,
}

/// Returns the resource usage of the calling thread.
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

/// Returns how long the calling thread was ready to run and had no processor; None if the kernel does not say.
///
/// It reads a file (`Documentation/scheduler/sched-stats.rst` of Linux), so it is not for every turn of a loop.
pub fn thread_cpu_wait() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let ns = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(ns))
}

fn duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1_000)
}

/// Raises this process's limit of open descriptors towards `least`; returns the resulting limit.
///
/// # Errors
/// When the kernel refuses, although the hard limit allows it.
pub fn raise_descriptor_limit(least: u64) -> io::Result<u64> {
    let limit = getrlimit(Resource::Nofile);
    let soft = limit.current.unwrap_or(u64::MAX);
    if soft >= least {
        return Ok(soft);
    }
    let hard = limit.maximum.unwrap_or(u64::MAX);
    let new = least.min(hard);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: Some(new),
            maximum: limit.maximum,
        },
    )?;
    Ok(new)
}

/// Grows the kernel's descriptor table of this process at once, to `count` entries or as many as are allowed.
///
/// By default the table doubles as connections are opened. When threads share it, each time waits for every processor
/// (`synchronize_rcu`), and the connecting thread is blocked for 10 to 20 ms. On failure the table grows later.
pub fn make_room_for_descriptors(count: u64) {
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let last = count.min(allowed).saturating_sub(1);
    let (Ok(last), Ok(any)) = (i32::try_from(last), eventfd(0, EventfdFlags::CLOEXEC)) else {
        return;
    };
    // The table keeps its size when this descriptor is closed again.
    drop(fcntl_dupfd_cloexec(&any, last));
}

/// Sets the timer slack of the calling thread to 1 ns (default: 50 µs).
pub fn set_exact_timers() -> io::Result<()> {
    Ok(set_current_timer_slack(Some(NonZeroU64::MIN))?)
}

/// Gives the calling thread the shortest time slice, 0.1 ms: when it wakes up, it preempts threads with longer ones.
///
/// Otherwise a thread of equal or even lowest priority keeps the processor for up to 3 ms (`sched_setattr(2)`; Linux
/// before 6.12 knows no such slices, and changes nothing).
pub fn set_short_slice() -> io::Result<()> {
    let attributes = SchedulingAttributes {
        size: size_of::<SchedulingAttributes>() as u32,
        policy: libc::SCHED_OTHER as u32,
        flags: 0,
        nice: getpriority_process(None)?,
        priority: 0,
        runtime_ns: SHORTEST_SLICE_NS,
        deadline_ns: 0,
        period_ns: 0,
    };
    // SAFETY: the attributes are alive and of the kernel's layout, and 0 is the calling thread.
    let answer = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// `struct sched_attr` of Linux, in its first version.
#[repr(C)]
struct SchedulingAttributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

/// Pins the calling thread to one CPU.
pub fn pin_thread(cpu: usize) -> io::Result<()> {
    if cpu >= CpuSet::MAX_CPU {
        let last = CpuSet::MAX_CPU - 1;
        let message = format!("CPU `{cpu}`: expected a number from 0 to {last}");
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
    fn a_thread_with_a_short_slice_keeps_its_priority() {
        std::thread::spawn(|| {
            let mut found = [0_u64; 6];
            let size = size_of_val(&found) as u32;
            let nice = getpriority_process(None).unwrap();
            set_short_slice().unwrap();
            // SAFETY: the array is alive, and as long as `struct sched_attr`.
            let answer =
                unsafe { libc::syscall(libc::SYS_sched_getattr, 0, found.as_mut_ptr(), size, 0) };
            assert_eq!(answer, 0);
            assert!([0, SHORTEST_SLICE_NS].contains(&found[3]), "{found:?}"); // 0: before Linux 6.12
            assert_eq!(getpriority_process(None).unwrap(), nice);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn the_descriptor_table_has_the_size_asked_for() {
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
    fn the_wait_for_a_processor_never_falls() {
        let before = thread_cpu_wait();
        std::thread::yield_now();
        let after = thread_cpu_wait();
        assert!(after >= before, "{before:?} {after:?}");
    }

    #[test]
    fn a_thread_is_pinned_to_the_cpu_asked_for() {
        std::thread::spawn(|| {
            let allowed = sched_getaffinity(None).unwrap();
            let cpu = (0..CpuSet::MAX_CPU)
                .find(|cpu| allowed.is_set(*cpu))
                .unwrap();
            pin_thread(cpu).unwrap();
            let pinned = sched_getaffinity(None).unwrap();
            assert!(pinned.is_set(cpu) && pinned.count() == 1);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_cpu_beyond_all_numbers_is_refused_in_a_sentence() {
        let message = pin_thread(CpuSet::MAX_CPU).unwrap_err().to_string();
        assert!(message.starts_with("CPU `1024`: expected"), "{message}");
    }
}
