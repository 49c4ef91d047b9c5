//! Calls that get no reply on their connection: they fail, are given up, or are sent again.

use driver::Nanos;
use tally::ErrorClass;

use crate::connection::log::Ended;
use crate::connection::thread_state::ThreadState;
use crate::connection::{Connection, State};
use crate::measurement::call::Call;
use crate::measurement::records::call_log::End;
use crate::plan::compiled::CompiledPlan;
use crate::plan::sessions::OnClose;

impl Connection {
    /// Fails all calls that wait for replies.
    pub fn fail(&mut self, class: ErrorClass, reason: &str, now: Nanos, thread: &mut ThreadState) {
        self.abandon(End::Failed(class), now, thread, |call, thread| {
            let name = &thread.plan.names[call.request as usize];
            thread
                .counters
                .explain(call, || format!("{name}: {reason}"));
            thread.counters.failed(call, class, now);
        });
    }

    /// Gives up all calls that wait for replies, and returns their number.
    pub fn give_up(&mut self, now: Nanos, thread: &mut ThreadState) -> u32 {
        let count = self.calls.len() as u32;
        if count == 0 {
            return 0;
        }
        self.abandon(End::InFlight, now, thread, |call, thread| {
            thread.counters.left_in_flight(call, now);
        });
        count
    }

    /// True if the calls that wait for replies are sent again on another connection, now that this one ended so.
    pub fn resends_after(&self, class: ErrorClass, plan: &CompiledPlan) -> bool {
        let by_server = matches!(class, ErrorClass::EarlyClose | ErrorClass::Reset);
        plan.on_close == OnClose::Resend
            && by_server
            && self.state == State::Open
            && self.answered > 0
    }

    /// Forgets the received parts of replies, whose calls are to be sent again.
    pub fn rewind(&mut self, thread: &mut ThreadState) {
        for exchange in &mut self.calls {
            exchange.rewind(thread);
            thread.counters.records.failed(exchange.call.number);
        }
    }

    /// Ends all calls that wait for replies, and counts each.
    fn abandon(
        &mut self,
        end: End,
        now: Nanos,
        thread: &mut ThreadState,
        count: impl Fn(&Call, &mut ThreadState),
    ) {
        let mut first = self.answered == 0;
        while let Some(exchange) = self.calls.pop_front() {
            exchange.abandon(thread);
            thread.counters.records.failed(exchange.call.number);
            count(&exchange.call, thread);
            let ended = Ended {
                call: &exchange.call,
                end,
                at: now,
                body_bytes: exchange.check.seen(),
                first: std::mem::take(&mut first),
            };
            self.offer(&ended, &mut thread.counters.records);
            self.log(&ended, thread.counters.records.call_log.as_mut());
        }
    }
}
