//! Call times by kernel timestamps: from the request leaving the machine to the reply arriving, and the difference from
//! the service time that the engine measures.

use driver::Nanos;
use tally::{Times, packed};

use crate::measurement::call::Call;

/// The kernel timestamps of received bytes.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// When the last byte of the request, or of its burst, left.
    pub left: Nanos,
    /// When the last of the bytes arrived.
    pub arrived: Nanos,
}

/// The times of right, measured calls by kernel timestamps.
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    /// From left to arrived.
    pub time: Times,
    /// The service time less `time`.
    pub gap: Times,
    /// Calls without both timestamps.
    pub unstamped: u64,
    /// The step of the wall clock during the run, in nanoseconds, if it was set: timestamps are useless then.
    pub clock_set: Option<i64>,
}

packed!(Kernel {
    time,
    gap,
    unstamped,
    clock_set
});

impl Kernel {
    /// A call got its right reply at `at`. Timestamps outside of the time between its sending and `at` are ignored.
    #[inline]
    pub fn replied(&mut self, call: &Call, stamp: Option<Stamp>, at: Nanos) {
        let in_order = |s: &Stamp| call.sent <= s.left && s.left <= s.arrived && s.arrived <= at;
        let Some(stamp) = stamp.filter(in_order) else {
            self.unstamped += 1;
            return;
        };
        let time = stamp.arrived - stamp.left;
        self.time.record(time);
        self.gap.record(at - call.sent - time);
    }

    /// Adds the times of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.time.merge(&other.time);
        self.gap.merge(&other.gap);
        self.unstamped += other.unstamped;
        self.clock_set = self.clock_set.or(other.clock_set);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Call {
        Call {
            due: 50,
            sent: 100,
            first: 180,
            number: 0,
            turn: 0,
            place: 0,
            request: 0,
            head_bytes: 0,
            status: 200,
            measured: true,
        }
    }

    fn counted(stamp: Option<Stamp>) -> (u64, u64) {
        let mut kernel = Kernel::default();
        kernel.replied(&call(), stamp, 200);
        assert_eq!(kernel.time.count(), kernel.gap.count());
        (kernel.time.count(), kernel.unstamped)
    }

    #[test]
    fn kernel_time_and_gap_together_are_the_service_time() {
        let mut kernel = Kernel::default();
        let (left, arrived) = (110, 170);
        kernel.replied(&call(), Some(Stamp { left, arrived }), 200);
        assert_eq!(kernel.time.summary().max_ns, 60);
        assert_eq!(kernel.gap.summary().max_ns, 40);
    }

    #[test]
    fn stamps_that_are_missing_or_out_of_order_are_counted_and_not_used() {
        let stamp = |left, arrived| Some(Stamp { left, arrived });
        assert_eq!(counted(stamp(100, 200)), (1, 0));
        for wrong in [None, stamp(99, 150), stamp(150, 149), stamp(150, 201)] {
            assert_eq!(counted(wrong), (0, 1), "{wrong:?}");
        }
    }
}
