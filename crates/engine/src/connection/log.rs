//! The records of a connection's calls.

use driver::Nanos;

use crate::connection::Connection;
use crate::measurement::call::Call;
use crate::measurement::records::Records;
use crate::measurement::records::call_log::{CallLog, CallRecord, End};
use crate::measurement::records::slowest::SlowCall;

/// A call that has ended.
pub struct Ended<'a> {
    pub call: &'a Call,
    pub end: End,
    pub at: Nanos,
    /// Bytes of the body of the reply, as far as it came.
    pub body_bytes: u64,
    /// The call is the first of its connection.
    pub first: bool,
}

impl Connection {
    /// Records a call that was answered. Apart from its only caller, whose calls are hardly ever recorded.
    #[inline(never)]
    pub fn record(&self, ended: &Ended, records: &mut Records) {
        if records.watching() {
            records.replied(ended.call.number, ended.body_bytes, ended.at);
        }
        self.offer(ended, records);
        self.log(ended, records.call_log.as_mut());
    }

    /// Keeps a measured call if it is one of the slowest.
    pub fn offer(&self, ended: &Ended, records: &mut Records) {
        let call = ended.call;
        let response_ns = ended.at - call.due;
        if !call.measured || response_ns < records.slowest.least() {
            return;
        }
        records.offer(SlowCall {
            due_ns: call.due,
            response_ns,
            waited_ns: (call.sent > 0).then(|| call.sent.saturating_sub(call.due)),
            first_byte_ns: (call.first > 0).then(|| call.first.saturating_sub(call.sent)),
            request: call.request,
            connection: self.number,
            status: (call.status > 0).then_some(call.status),
            body_bytes: ended.body_bytes,
            end: ended.end,
        });
    }

    /// Adds a call to the log, if there is one and the call is measured.
    #[inline]
    pub fn log(&self, ended: &Ended, log: Option<&mut CallLog>) {
        let Some(log) = log.filter(|_| ended.call.measured) else {
            return;
        };
        let connect = |time| if ended.first { time } else { 0 };
        log.push(CallRecord {
            due: ended.call.due,
            sent: ended.call.sent,
            connect_began: connect(self.began),
            connected: connect(self.ready),
            first_byte: ended.call.first,
            done: ended.at,
            body_bytes: ended.body_bytes,
            connection: self.number,
            request: ended.call.request,
            header_bytes: ended.call.head_bytes,
            status: ended.call.status,
            end: ended.end,
            kept: self.keep && ended.end.has_reply(),
        });
    }
}
