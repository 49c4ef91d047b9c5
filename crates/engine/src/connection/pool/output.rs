//! The bytes that the connections of HTTP/2 send: once for each event, not once for each frame.

use driver::Driver;

use crate::connection::State;
use crate::connection::exchange::Exchange;
use crate::connection::pool::Pool;

impl<D: Driver> Pool<D> {
    /// Sends what the connections have to send.
    pub fn flush(&mut self) {
        let Some(links) = &mut self.http2 else {
            return;
        };
        let (plan, now) = (&self.thread.plan, self.now);
        let counters = &mut self.thread.counters;
        let connections = &self.connections;
        let written = &self.stream_bodies;
        let call = |lane: u32| {
            let of = |exchange: &Exchange| {
                let http2 = plan.http2.as_ref()?;
                let call = &exchange.call;
                let request = &http2.requests[call.request as usize];
                Some((request.body(&written[lane as usize]), call.measured))
            };
            let exchange = connections[lane as usize].calls.front();
            exchange.and_then(of).unwrap_or((&[], false))
        };
        while let Some(slot) = links.next_pending() {
            let link = &mut links.by_slot[slot as usize];
            // Closed meanwhile, or the rest follows when this is sent.
            while link.state != State::Closed && !self.driver.sending(slot) {
                if let Some(counts) = &mut counters.http2 {
                    link.fill(&mut links.lanes, call, counts, now);
                }
                let output = link.client.output();
                if output.is_empty() {
                    break;
                }
                counters.bytes.sent += if counters.window.contains(now) {
                    output.len() as u64
                } else {
                    0
                };
                self.driver.send_bytes(slot, output);
                if !link.has_bodies() {
                    break;
                }
            }
        }
    }
}
