//! The times until which a connection waits.

use driver::{NEVER, Nanos};
use tally::ErrorClass;

use crate::connection::Connection;
use crate::connection::exchange::Exchange;
use crate::plan::compiled::CompiledPlan;

/// The time until which a call waits for a stream of an open connection: as long as for the first byte of a reply.
pub fn stream_deadline(plan: &CompiledPlan, now: Nanos) -> Nanos {
    let wait = &plan.waits.for_first_byte;
    now.saturating_add(wait.since_sent.min(wait.since_progress))
}

impl Connection {
    /// The time at which the oldest unanswered call times out.
    #[inline]
    pub fn deadline(&self, plan: &CompiledPlan) -> Nanos {
        let Some(Exchange { call, .. }) = self.calls.front() else {
            return NEVER;
        };
        let waits = if call.first == 0 {
            &plan.waits.for_first_byte
        } else {
            &plan.waits.for_end
        };
        let whole = call.sent.saturating_add(waits.since_sent);
        whole.min(self.progress.saturating_add(waits.since_progress))
    }

    /// The time until which the connection has to be open, or to make progress again, if it makes some now.
    pub fn connect_deadline(&self, plan: &CompiledPlan, now: Nanos) -> Nanos {
        let after =
            |from: Nanos, timeout: Option<Nanos>| timeout.map_or(NEVER, |t| from.saturating_add(t));
        after(self.began, plan.connect_timeout).min(after(now, plan.idle_timeout))
    }

    /// The class of the timeout that has passed.
    pub fn timeout_class(&self, plan: &CompiledPlan, now: Nanos) -> ErrorClass {
        let no_byte = self.calls.front().is_some_and(|Exchange { call, .. }| {
            let passed = |timeout: Option<Nanos>| {
                timeout.is_some_and(|t| call.sent.saturating_add(t) <= now)
            };
            // If neither has passed, it is the idle timeout.
            call.first == 0 && (passed(plan.first_byte_timeout) || !passed(plan.reply_timeout))
        });
        if no_byte {
            ErrorClass::FirstByteTimeout
        } else {
            ErrorClass::ReplyTimeout
        }
    }
}
