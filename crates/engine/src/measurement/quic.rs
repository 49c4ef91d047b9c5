//! The counts of QUIC: datagrams, packets, round trips. Warm-up included.

use driver::Datagrams;
use serde::Serialize;

/// The counts of QUIC, as they are reported.
#[derive(Clone, Debug, Serialize)]
pub struct QuicResult {
    datagrams_sent: u64,
    datagrams_received: u64,
    /// Datagrams of one call of the kernel: sent, received; null: none was made.
    datagrams_per_send: Option<f64>,
    datagrams_per_receive: Option<f64>,
    packets_sent: u64,
    packets_lost: u64,
    /// The shortest round trip, and the mean of the connections' last estimates; null: no connection was established.
    min_rtt_s: Option<f64>,
    mean_rtt_s: Option<f64>,
}

impl QuicResult {
    pub fn new(counts: &Datagrams) -> Self {
        let per = |all: u64, calls: u64| (calls > 0).then(|| all as f64 / calls as f64);
        Self {
            datagrams_sent: counts.sent,
            datagrams_received: counts.received,
            datagrams_per_send: per(counts.sent, counts.sends),
            datagrams_per_receive: per(counts.received, counts.receives),
            packets_sent: counts.packets_sent,
            packets_lost: counts.packets_lost,
            min_rtt_s: counts.min_rtt_ns.map(|nanos| nanos as f64 / 1e9),
            mean_rtt_s: per(counts.rtt_sum_ns, counts.paths).map(|nanos| nanos / 1e9),
        }
    }
}
