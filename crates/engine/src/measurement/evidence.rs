//! What one thread keeps of its calls for the tests of validity: samples and means, in fixed memory (about 110 KiB).

use driver::Nanos;
use tally::{Means, Sample};

/// Arrivals are looked at in groups that take at least so long, 1 ms: below that a few microseconds of wake-up, which no
/// server notices, would be all that is seen.
const LEAST_GROUP_S: f64 = 1e-3;

/// When a group of successive arrivals began, and when the next one did.
pub type Group = (Nanos, Nanos);

/// One thread's evidence.
#[derive(Clone, Debug)]
pub struct Evidence {
    start: Nanos,
    /// Arrivals of this thread in a group; 0: no arrivals are declared.
    group: u64,
    /// Where the group at hand began, and its arrivals so far.
    from: Option<Nanos>,
    seen: u64,
    pub groups: Sample<Group>,
    /// The response time of the call before, in nanoseconds.
    before: Option<f32>,
    /// Response times of a call and the one that came back before it.
    pub pairs: Sample<(f32, f32)>,
    /// The mean response time over stretches of the window.
    pub means: Means,
}

impl Evidence {
    /// None yet; the window begins at `start`.
    pub fn new(start: Nanos) -> Self {
        Self {
            start,
            group: 0,
            from: None,
            seen: 0,
            groups: Sample::new(1),
            before: None,
            pairs: Sample::new(2),
            means: Means::new(),
        }
    }

    /// This thread's arrivals come at up to `rate_per_s`.
    pub fn expect(&mut self, rate_per_s: f64) {
        self.group = (rate_per_s * LEAST_GROUP_S).ceil().max(1.0) as u64;
    }

    /// Arrivals of this thread in a group.
    pub fn group(&self) -> u64 {
        self.group
    }

    /// An arrival that is measured was begun.
    #[inline]
    pub fn arrived(&mut self, at: Nanos) {
        let Some(from) = self.from else {
            self.from = Some(at);
            return;
        };
        self.seen += 1;
        if self.seen == self.group {
            self.groups.offer((from, at));
            self.from = Some(at);
            self.seen = 0;
        }
    }

    /// A measured call came back right at `at`.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "ranks need no more digits")]
    pub fn replied(&mut self, response: Nanos, at: Nanos) {
        self.means.record(at - self.start, response);
        let response = response as f32;
        if let Some(before) = self.before.replace(response) {
            self.pairs.offer((before, response));
        }
    }
}
