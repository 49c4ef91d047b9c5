//! Faster wake-ups at a price: shallow idle states for all processors, real-time priority for a thread.
//!
//! The deeper an idle processor sleeps, the longer it takes to wake. And a thread that wakes up on a busy processor waits
//! for the end of the running thread's time slice, up to several milliseconds. Both add to the lag of a paced load. Sources: the kernel's
//! `Documentation/power/pm_qos_interface.rst`, and sched(7).

use std::fs::File;
use std::io::{self, Write};

/// Limits the wake-up latency of idle states to the number of microseconds written to it.
const DMA_LATENCY: &str = "/dev/cpu_dma_latency";
/// The lowest real-time priority, which is above every ordinary thread.
const PRIORITY: libc::c_int = 1;

/// Keeps every processor of this machine out of deep idle states until dropped.
#[derive(Debug)]
pub struct ShallowIdle {
    /// The request ends when this is closed, also when the process ends.
    _open: File,
}

impl ShallowIdle {
    /// Asks the kernel for idle states without wake-up latency.
    ///
    /// # Errors
    /// When the kernel lacks the interface, or this process may not use it (only root may by default).
    pub fn hold() -> io::Result<Self> {
        let open = || -> io::Result<File> {
            let mut file = File::options().read(true).write(true).open(DMA_LATENCY)?;
            file.write_all(&0_i32.to_ne_bytes())?;
            Ok(file)
        };
        let file = open().map_err(|e| io::Error::new(e.kind(), format!("`{DMA_LATENCY}`: {e}")))?;
        Ok(Self { _open: file })
    }
}

/// Gives the calling thread real-time priority (`SCHED_FIFO`): it preempts every ordinary thread. Threads that it starts
/// are ordinary again.
///
/// # Errors
/// Without permission: `CAP_SYS_NICE` or an `RLIMIT_RTPRIO` of at least 1 is needed.
pub fn real_time_priority() -> io::Result<()> {
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    set_scheduler(policy, PRIORITY).map_err(|error| {
        let words = format!("real-time priority: {error}");
        io::Error::new(error.kind(), words)
    })
}

/// Makes the calling thread an ordinary one again.
///
/// # Errors
/// None that is known: it takes no permission.
pub fn ordinary_priority() -> io::Result<()> {
    set_scheduler(libc::SCHED_OTHER, 0)
}

fn set_scheduler(policy: libc::c_int, priority: libc::c_int) -> io::Result<()> {
    // As a raw system call: the function of musl always fails, and its `sched_param` is longer than the kernel's, which is
    // the priority alone.
    // SAFETY: the priority is alive, and 0 is the calling thread.
    let answer =
        unsafe { libc::syscall(libc::SYS_sched_setscheduler, 0, policy, &raw const priority) };
    if answer == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    /// The current limit of the wake-up latency, [µs].
    fn latency_us() -> i32 {
        let mut bytes = [0; 4];
        let mut file = File::open(DMA_LATENCY).unwrap();
        file.read_exact(&mut bytes).unwrap();
        i32::from_ne_bytes(bytes)
    }

    #[test]
    fn no_wake_up_latency_is_allowed_while_shallow_idle_is_held_and_a_refusal_names_the_file() {
        match ShallowIdle::hold() {
            Ok(held) => {
                assert_eq!(latency_us(), 0);
                drop(held);
            }
            Err(error) => assert!(error.to_string().contains(DMA_LATENCY), "{error}"),
        }
    }

    #[test]
    fn a_thread_gets_real_time_priority_where_that_is_allowed_and_can_return_it() {
        let policy = || {
            // SAFETY: the call takes a number and returns one.
            unsafe { libc::syscall(libc::SYS_sched_getscheduler, 0) as libc::c_int }
        };
        std::thread::spawn(move || {
            match real_time_priority() {
                Ok(()) => assert_eq!(policy(), libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK),
                Err(error) => {
                    assert_eq!(policy(), libc::SCHED_OTHER);
                    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
                }
            }
            ordinary_priority().unwrap();
            assert_eq!(policy(), libc::SCHED_OTHER);
        })
        .join()
        .unwrap();
    }
}
