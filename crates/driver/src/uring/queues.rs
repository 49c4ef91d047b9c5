//! The submission and completion queues shared with the kernel.

use std::io;

use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, squeue};

use crate::clock::{Clock, Nanos};

/// Most submissions per call; more take several calls.
const SUBMISSIONS: u32 = 1024;
/// Size of the completion queue; the kernel stores further ones elsewhere.
const COMPLETIONS: u32 = 16 * 1024;

/// Flags of `io_uring_enter` (`linux/io_uring.h`): wait for completions; with an extended argument; its time is
/// absolute.
const GET_EVENTS: u32 = 1 << 0;
const WITH_ARGUMENT: u32 = 1 << 3;
const ABSOLUTE_TIMER: u32 = 1 << 5;

/// The kernel's `struct io_uring_getevents_arg`.
#[repr(C)]
struct GetEvents {
    signal_mask: u64,
    signal_mask_size: u32,
    min_wait_us: u32,
    /// Address of a `Timespec`.
    time: u64,
}

pub struct Queues {
    ring: IoUring,
    /// The kernel supports absolute timeouts (Linux 6.12). Detected by a feature flag of the same version.
    has_absolute_timer: bool,
}

impl Queues {
    /// # Errors
    /// When the kernel or the container forbids `io_uring`, or lacks a feature used here (Linux 6.1).
    pub fn new() -> io::Result<Self> {
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_clamp()
            .setup_cqsize(COMPLETIONS)
            .build(SUBMISSIONS)
            .map_err(|e| io::Error::new(e.kind(), format!("io_uring_setup: {e}")))?;
        Ok(Self {
            has_absolute_timer: ring.params().is_feature_min_timeout(),
            ring,
        })
    }

    pub fn ring(&self) -> &IoUring {
        &self.ring
    }

    /// Queues an operation; submits the queue first if it is full.
    pub fn push(&mut self, entry: &squeue::Entry) {
        loop {
            // SAFETY: what an entry points to lives as long as the driver: the script, the addresses (boxed), the
            // receive buffers; the bytes of a send until its completion, and the driver's end cancels those under way.
            if unsafe { self.ring.submission().push(entry) }.is_ok() {
                return;
            }
            // Submitting empties the queue; EBUSY and EINTR are temporary.
            self.submit();
        }
    }

    /// Submits the queue. A failure shows up again in the next wait.
    pub fn submit(&self) {
        let _ = self.ring.submit();
    }

    /// Submits the queue and waits for a completion, until `until` at the latest. If that has passed, it does not wait.
    pub fn submit_and_wait(&mut self, clock: Clock, until: Nanos) -> io::Result<()> {
        let left = clock.until(until);
        let answer = if left.is_zero() {
            // Runs deferred task work, without a timer.
            let submitter = self.ring.submitter();
            submitter.submit_with_args(0, &SubmitArgs::new())
        } else if self.has_absolute_timer {
            self.wait_until(&Timespec::from(clock.to_monotonic(until)))
        } else {
            let timeout = Timespec::from(left);
            let submitter = self.ring.submitter();
            submitter.submit_with_args(1, &SubmitArgs::new().timespec(&timeout))
        };
        match answer {
            Ok(_) => Ok(()),
            Err(e) if is_temporary(&e) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// Waits with an absolute timeout. A relative one starts after the submissions, so every request sent in the same call
    /// would delay it by several microseconds.
    fn wait_until(&mut self, time: &Timespec) -> io::Result<usize> {
        let queued = self.ring.submission().len() as u32;
        let argument = GetEvents {
            signal_mask: 0,
            signal_mask_size: 0,
            min_wait_us: 0,
            time: std::ptr::from_ref(time) as u64,
        };
        let flags = GET_EVENTS | WITH_ARGUMENT | ABSOLUTE_TIMER;
        // SAFETY: the argument and the time that it points to have the kernel's layout and outlive the call; what the
        // submissions point to is said where they are pushed.
        unsafe {
            self.ring
                .submitter()
                .enter(queued, 1, flags, Some(&argument))
        }
    }

    /// Returns the next completion; `None`: there are no more.
    #[inline]
    pub fn next(&mut self) -> Option<cqueue::Entry> {
        self.ring.completion().next()
    }
}

/// True for temporary errors: timeout, signal, or a full completion queue.
fn is_temporary(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN)
    )
}
