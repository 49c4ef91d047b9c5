//! The counters of several threads, or of several machines, as those of one.

use tally::packed;

use crate::measurement::counters::Counters;
use crate::measurement::evidence::Evidence;

impl Counters {
    /// Adds the counters of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.calls.merge(&other.calls);
        self.warm_up.merge(&other.warm_up);
        self.completed_in_window += other.completed_in_window;
        self.statuses.merge(&other.statuses);
        for (mine, theirs) in [
            (&mut self.response, &other.response),
            (&mut self.service, &other.service),
            (&mut self.first_byte, &other.first_byte),
            (&mut self.lag, &other.lag),
            (&mut self.connect, &other.connect),
        ] {
            mine.merge(theirs);
        }
        let kernels = self.kernel.iter_mut().zip(&other.kernel);
        kernels.for_each(|(mine, theirs)| mine.merge(theirs));
        if let Some(theirs) = &other.tls {
            self.tls.get_or_insert_default().merge(theirs);
        }
        self.intervals.merge(&other.intervals);
        self.others.extend(other.evidence().cloned());
        self.merge_counts(other);
    }

    fn merge_counts(&mut self, other: &Self) {
        if let Some(theirs) = &other.handshakes {
            self.handshakes.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.datagrams {
            self.datagrams.get_or_insert_default().merge(theirs);
        }
        self.connections.merge(&other.connections);
        if let Some(theirs) = &other.http2 {
            self.http2.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.grpc {
            self.grpc.get_or_insert_default().merge(theirs);
        }
        self.sessions.merge(&other.sessions);
        if let Some(theirs) = &other.session_ends {
            self.session_ends.get_or_insert_default().merge(theirs);
        }
        self.bytes.merge(&other.bytes);
        match (&mut self.endpoints, &other.endpoints) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (mine @ None, Some(theirs)) => *mine = Some(theirs.clone()),
            (_, None) => {}
        }
        self.replies.merge(&other.replies);
        if self.first_failure.is_none() {
            self.first_failure.clone_from(&other.first_failure);
        }
        self.last_end = self.last_end.max(other.last_end);
        self.ended = self.ended.max(other.ended);
        self.window.stop = self.window.stop.max(other.window.stop);
        self.usage.merge(&other.usage);
        self.gave_up_priority |= other.gave_up_priority;
        self.counted_out &= other.counted_out;
        self.all_due &= other.all_due;
        self.offered.merge(&other.offered);
        self.in_flight.merge(&other.in_flight);
    }

    /// Adds the counters of another machine, whose times also count from the start of its run.
    pub fn merge_machine(&mut self, mut other: Self) {
        let records = std::mem::take(&mut other.records);
        self.records.first.merge(records.first);
        self.records.slowest.merge(records.slowest);
        self.merge(&other);
    }

    /// Counts all times from the start of the run on, which lets them be merged with those of other machines.
    pub fn rebase(&mut self) {
        let begin = self.window.begin;
        self.window = self.window.rebased();
        self.last_end = self.last_end.saturating_sub(begin);
        self.ended = self.ended.saturating_sub(begin);
        self.evidence.rebase(begin);
        self.others.iter_mut().for_each(|one| one.rebase(begin));
        self.offered.rebase(begin);
        self.records.rebase(begin);
    }

    /// Prepares evidence that was read for its tests: `threads` threads shared up to `rate_per_s` arrivals.
    pub fn expect(&mut self, rate_per_s: f64, threads: u32) {
        let expect = |one: &mut Evidence| one.expect(rate_per_s, threads);
        expect(&mut self.evidence);
        self.others.iter_mut().for_each(expect);
    }

    /// True if no calculation with counters that were read can fail.
    pub fn is_sound(&self) -> bool {
        self.window.begin == 0
            && self.window.start <= self.window.stop
            && self.offered.at_last() <= self.calls.due
    }
}

packed!(Counters {
    window,
    calls,
    warm_up,
    completed_in_window,
    statuses,
    response,
    service,
    first_byte,
    lag,
    connect,
    kernel,
    tls,
    handshakes by handshakes,
    datagrams by datagrams,
    intervals,
    connections,
    http2,
    grpc,
    sessions,
    session_ends,
    bytes,
    endpoints,
    replies,
    records,
    first_failure,
    last_end,
    ended,
    usage,
    gave_up_priority,
    counted_out,
    all_due,
    evidence,
    others,
    offered,
    in_flight
});

mod handshakes {
    use driver::Handshakes;
    use tally::{Damaged, Packed};

    /// The version is empty if there was no handshake.
    const VERSIONS: [&str; 3] = ["", "1.2", "1.3"];

    #[expect(clippy::ref_option, reason = "as `packed!` calls it")]
    pub fn pack(handshakes: &Option<Handshakes>, to: &mut Vec<u8>) {
        let parts = handshakes.as_ref().map(|made| {
            let suite = (made.version.to_owned(), made.cipher.clone());
            ((made.full, made.resumed), suite)
        });
        parts.pack(to);
    }

    pub fn unpack(from: &mut &[u8]) -> Result<Option<Handshakes>, Damaged> {
        let parts = Option::<((u64, u64), (String, String))>::unpack(from)?;
        let Some(((full, resumed), (version, cipher))) = parts else {
            return Ok(None);
        };
        let known = VERSIONS.into_iter().find(|known| *known == version);
        Ok(Some(Handshakes {
            full,
            resumed,
            version: known.ok_or(Damaged("a TLS version is unknown"))?,
            cipher,
        }))
    }
}

mod datagrams {
    use driver::Datagrams;
    use tally::{Damaged, Packed};

    #[expect(clippy::ref_option, reason = "as `packed!` calls it")]
    pub fn pack(datagrams: &Option<Datagrams>, to: &mut Vec<u8>) {
        let parts = datagrams.as_ref().map(|of| {
            let counts = [
                of.sent,
                of.sends,
                of.received,
                of.receives,
                of.packets_sent,
                of.packets_lost,
                of.paths,
                of.rtt_sum_ns,
            ];
            (counts, of.min_rtt_ns)
        });
        parts.pack(to);
    }

    pub fn unpack(from: &mut &[u8]) -> Result<Option<Datagrams>, Damaged> {
        let parts = Option::<([u64; 8], Option<u64>)>::unpack(from)?;
        let of = |(counts, min_rtt_ns): ([u64; 8], Option<u64>)| Datagrams {
            sent: counts[0],
            sends: counts[1],
            received: counts[2],
            receives: counts[3],
            packets_sent: counts[4],
            packets_lost: counts[5],
            paths: counts[6],
            rtt_sum_ns: counts[7],
            min_rtt_ns,
        };
        Ok(parts.map(of))
    }
}
