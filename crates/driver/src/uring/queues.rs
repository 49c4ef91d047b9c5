//! The two queues shared with the kernel: submissions go in, completions come out, and one call does both.

use std::io;
use std::time::Duration;

use io_uring::types::{SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, squeue};

/// Submissions a turn; more are handed over in several calls.
const SUBMISSIONS: u32 = 1024;
/// Completions that fit before the kernel has to keep them aside.
const COMPLETIONS: u32 = 16 * 1024;

pub struct Queues(IoUring);

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
            .build(SUBMISSIONS);
        ring.map(Self)
            .map_err(|e| io::Error::new(e.kind(), format!("io_uring_setup: {e}")))
    }

    pub fn ring(&self) -> &IoUring {
        &self.0
    }

    /// Queues one operation; hands the queue over first when it is full.
    pub fn push(&mut self, entry: &squeue::Entry) {
        loop {
            // SAFETY: what an entry points to lives as long as the driver: the script, the addresses (boxed), the
            // receive buffers; the bytes of a send until its completion, and the driver's end cancels those under way.
            if unsafe { self.0.submission().push(entry) }.is_ok() {
                return;
            }
            // A full queue empties by being submitted; EBUSY and EINTR pass.
            self.submit();
        }
    }

    /// Hands over what is queued; a failure shows again with the next wait.
    pub fn submit(&self) {
        let _ = self.0.submit();
    }

    /// Hands over what is queued, and waits for a completion for `left` at most; with zero it only looks.
    pub fn submit_and_wait(&self, left: Duration) -> io::Result<()> {
        let submitter = self.0.submitter();
        let answer = if left.is_zero() {
            // Runs what the kernel has put off, without its timer.
            submitter.submit_with_args(0, &SubmitArgs::new())
        } else {
            let timeout = Timespec::from(left);
            submitter.submit_with_args(1, &SubmitArgs::new().timespec(&timeout))
        };
        match answer {
            Ok(_) => Ok(()),
            Err(e) if passes(&e) => Ok(()),
            Err(e) => Err(e),
        }
    }

    /// The next completion, until there is no more.
    #[inline]
    pub fn next(&mut self) -> Option<cqueue::Entry> {
        self.0.completion().next()
    }
}

/// Time ran out, a signal came, or the kernel is behind with completions: the next turn goes on.
fn passes(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN)
    )
}
