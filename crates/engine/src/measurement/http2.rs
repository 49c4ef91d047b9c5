//! The counts of HTTP/2 and HTTP/3: streams, their waits, and how servers ended them. Warm-up included, except in the times.

use std::collections::BTreeMap;

use driver::Nanos;
use serde::Serialize;
use tally::{TimeSummary, Times, packed};
use wire::h2::ErrorCode;

/// Codes that have a name. All others are counted together.
const NAMED: usize = ErrorCode::NAMED;

/// The counts of one thread, or of several that were merged.
#[derive(Clone, Debug, Default)]
pub struct Http2Counts {
    /// The least number of streams that a server allowed at once.
    pub stream_limit: Option<u32>,
    /// Most open streams of a connection.
    pub most_streams: u32,
    /// From the begin of connecting to the server's SETTINGS.
    pub setup: Times,
    /// Calls that found no free stream on their open connection, and the times that measured ones waited.
    pub waited_for_stream: u64,
    pub stream_wait: Times,
    /// Calls whose body had to wait for a window, and the times that measured ones waited.
    pub blocked_on_window: u64,
    pub window_wait: Times,
    /// Times that servers had used up a window, and had to wait.
    pub windows_used_up: u64,
    /// Connections that servers ended with GOAWAY.
    pub goaways: Codes,
    /// Streams that servers reset.
    pub resets: Codes,
    /// Streams that the engine cancelled.
    pub cancels: u64,
    /// Calls that were sent again, because the server had not processed them.
    pub resent: u64,
}

packed!(Http2Counts {
    stream_limit,
    most_streams,
    setup,
    waited_for_stream,
    stream_wait,
    blocked_on_window,
    window_wait,
    windows_used_up,
    goaways,
    resets,
    cancels,
    resent
});

/// Counts by error code.
#[derive(Clone, Debug)]
pub struct Codes {
    counts: [u64; NAMED + 1],
}

impl Default for Codes {
    fn default() -> Self {
        Self {
            counts: [0; NAMED + 1],
        }
    }
}

packed!(Codes { counts });

impl Codes {
    pub fn add(&mut self, code: ErrorCode) {
        self.counts[code.place().unwrap_or(NAMED)] += 1;
    }

    fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(other.counts) {
            *mine += theirs;
        }
    }

    fn sum(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn named(&self) -> BTreeMap<String, u64> {
        let name = |place| ErrorCode::name_at(place).unwrap_or("other").to_owned();
        let counts = (0..).zip(self.counts).filter(|(_, count)| *count > 0);
        counts.map(|(place, count)| (name(place), count)).collect()
    }
}

impl Http2Counts {
    /// A server set its limit of streams.
    pub fn limited(&mut self, streams: u32) {
        // Without the setting there is no limit (RFC 9113 §6.5.2).
        if streams < u32::MAX {
            self.stream_limit = Some(
                self.stream_limit
                    .map_or(streams, |least| least.min(streams)),
            );
        }
    }

    /// A call waited so long for a stream.
    pub fn got_stream(&mut self, waited: Nanos, measured: bool) {
        self.waited_for_stream += 1;
        if measured {
            self.stream_wait.record(waited);
        }
    }

    /// The body of a call waited so long for a window.
    pub fn got_window(&mut self, waited: Nanos, measured: bool) {
        if measured {
            self.window_wait.record(waited);
        }
    }

    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: &Self) {
        let limits = [self.stream_limit, other.stream_limit];
        self.stream_limit = limits.into_iter().flatten().min();
        self.most_streams = self.most_streams.max(other.most_streams);
        self.setup.merge(&other.setup);
        self.waited_for_stream += other.waited_for_stream;
        self.stream_wait.merge(&other.stream_wait);
        self.blocked_on_window += other.blocked_on_window;
        self.window_wait.merge(&other.window_wait);
        self.windows_used_up += other.windows_used_up;
        self.goaways.merge(&other.goaways);
        self.resets.merge(&other.resets);
        self.cancels += other.cancels;
        self.resent += other.resent;
    }

    /// The counts as they are reported.
    pub fn summary(&self, streams: u32) -> Http2Result {
        Http2Result {
            streams,
            stream_limit: self.stream_limit,
            most_streams: self.most_streams,
            setup: self.setup.summary(),
            waited_for_stream: self.waited_for_stream,
            stream_wait: self.stream_wait.summary(),
            blocked_on_window: self.blocked_on_window,
            window_wait: self.window_wait.summary(),
            windows_used_up: self.windows_used_up,
            goaways: self.goaways.sum(),
            goaway_codes: self.goaways.named(),
            resets: self.resets.named(),
            cancels: self.cancels,
            resent: self.resent,
        }
    }
}

/// The counts of HTTP/2, as they are reported.
#[derive(Clone, Debug, Serialize)]
pub struct Http2Result {
    /// Calls at once on a connection, by the plan.
    streams: u32,
    /// The least limit of a server; null: none set one.
    stream_limit: Option<u32>,
    most_streams: u32,
    setup: TimeSummary,
    waited_for_stream: u64,
    stream_wait: TimeSummary,
    blocked_on_window: u64,
    window_wait: TimeSummary,
    windows_used_up: u64,
    goaways: u64,
    goaway_codes: BTreeMap<String, u64>,
    resets: BTreeMap<String, u64>,
    cancels: u64,
    resent: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_counts_are_sums_and_the_limit_is_the_least() {
        let of = |limit: Option<u32>, code: u32| {
            let mut counts = Http2Counts::default();
            counts.limited(limit.unwrap_or(u32::MAX));
            counts.resets.add(ErrorCode(code));
            counts.got_stream(5, true);
            counts
        };
        let mut all = of(None, 7);
        all.merge(&of(Some(100), 7));
        all.merge(&of(Some(8), 4_000_000_000));
        let found = all.summary(10);
        assert_eq!((found.stream_limit, found.waited_for_stream), (Some(8), 3));
        let resets = [("REFUSED_STREAM", 2), ("other", 1)];
        let resets = resets.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(found.resets, BTreeMap::from(resets));
        assert_eq!(found.stream_wait.count, 3);
    }
}
