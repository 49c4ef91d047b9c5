//! The call log: a record of each measured call, in the order in which the calls ended.

use driver::Nanos;
use tally::{ErrorClass, Failure};

use crate::measurement::call::Reply;

/// Bytes of an encoded record; `docs/reference/measurement.md` describes them.
pub const RECORD_BYTES: usize = 72;
/// The error code of a call that was unanswered when the run ended. That of an error class is its index plus one.
const IN_FLIGHT: u8 = ErrorClass::COUNT as u8 + 1;
const WRONG_STATUS: u8 = 1;
const WRONG_BODY: u8 = 2;
const KEPT: u8 = 4;

/// One call. Times are nanoseconds since the start of the run, or of its clock while it runs; zero: it did not come to that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallRecord {
    pub due: Nanos,
    pub sent: Nanos,
    /// For the first call of a connection: when connecting began.
    pub connect_began: Nanos,
    /// For the first call of a connection: when it was ready for requests.
    pub connected: Nanos,
    pub first_byte: Nanos,
    /// When the call ended, well or badly.
    pub done: Nanos,
    pub body_bytes: u64,
    pub connection: u32,
    pub request: u32,
    pub header_bytes: u32,
    pub status: u16,
    pub end: End,
    /// The reply allowed another call on its connection.
    pub kept: bool,
}

/// The end of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    #[default]
    Right,
    WrongStatus,
    WrongBody,
    Failed(ErrorClass),
    InFlight,
}

impl End {
    /// True if the call was answered.
    pub fn has_reply(self) -> bool {
        match self {
            Self::Right | Self::WrongStatus | Self::WrongBody => true,
            Self::Failed(class) => {
                matches!(class, ErrorClass::ValueNotFound | ErrorClass::GrpcStatus)
            }
            Self::InFlight => false,
        }
    }

    /// The error code and the flags of an encoded record.
    fn codes(self) -> [u8; 2] {
        match self {
            Self::Right => [0, 0],
            Self::WrongStatus => [0, WRONG_STATUS],
            Self::WrongBody => [0, WRONG_BODY],
            Self::Failed(class) => [class as u8 + 1, 0],
            Self::InFlight => [IN_FLIGHT, 0],
        }
    }
}

impl From<Reply> for End {
    fn from(reply: Reply) -> Self {
        match reply.failure() {
            None => Self::Right,
            Some(Failure::WrongStatus) => Self::WrongStatus,
            Some(Failure::WrongBody) => Self::WrongBody,
            Some(Failure::Error(class)) => Self::Failed(class),
        }
    }
}

impl CallRecord {
    /// Appends the record, little-endian.
    fn encode(&self, out: &mut Vec<u8>) {
        for number in [
            self.due,
            self.sent,
            self.connect_began,
            self.connected,
            self.first_byte,
            self.done,
            self.body_bytes,
        ] {
            out.extend(number.to_le_bytes());
        }
        for number in [self.connection, self.request, self.header_bytes] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.status.to_le_bytes());
        let [error, flags] = self.end.codes();
        out.extend([error, flags | if self.kept { KEPT } else { 0 }]);
    }
}

/// The records of one thread, or of all threads; at most as many as the plan says.
#[derive(Clone, Debug, Default)]
pub struct CallLog {
    records: Vec<CallRecord>,
    most: usize,
}

impl CallLog {
    /// An empty log of at most this many calls.
    pub fn new(most: usize) -> Self {
        let records = Vec::new();
        Self { records, most }
    }

    /// Adds a call, unless the log is full.
    #[inline]
    pub fn push(&mut self, record: CallRecord) {
        if self.records.len() < self.most {
            self.records.push(record);
        }
    }

    /// Gives connections new numbers.
    pub fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        for record in &mut self.records {
            record.connection = number(record.connection);
        }
    }

    /// Counts times from `begin` on. Those that are zero did not come to that, and stay so.
    pub fn rebase(&mut self, begin: Nanos) {
        for record in &mut self.records {
            record.due = record.due.saturating_sub(begin);
            for time in [
                &mut record.sent,
                &mut record.connect_began,
                &mut record.connected,
                &mut record.first_byte,
                &mut record.done,
            ] {
                if *time > 0 {
                    *time = time.saturating_sub(begin).max(1);
                }
            }
        }
    }

    /// Appends the log of another thread.
    pub fn add(&mut self, mut other: Self) {
        self.most += other.most;
        if self.records.is_empty() {
            self.records = other.records;
        } else {
            self.records.append(&mut other.records);
        }
    }

    /// Sorts the calls by the times at which they ended.
    pub fn sort(&mut self) {
        self.records.sort_by_key(|record| record.done);
    }

    /// The records, one after the other, little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.records.len() * RECORD_BYTES);
        self.records.iter().for_each(|one| one.encode(&mut bytes));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(done: Nanos, end: End) -> CallRecord {
        CallRecord {
            done,
            end,
            status: 0x0102,
            header_bytes: 7,
            ..CallRecord::default()
        }
    }

    #[test]
    fn a_record_has_its_length_and_its_fields_in_order() {
        let mut log = CallLog::new(2);
        log.push(record(0x0304, End::Failed(ErrorClass::Other)));
        let kept = true;
        log.push(CallRecord {
            kept,
            ..record(5, End::WrongBody)
        });
        log.push(record(6, End::Right));
        let bytes = log.to_bytes();
        assert_eq!(bytes.len(), 2 * RECORD_BYTES, "the third exceeds the limit");
        assert_eq!(bytes[40..48], [4, 3, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[64..72], [7, 0, 0, 0, 2, 1, 19, 0]);
        assert_eq!(bytes[RECORD_BYTES + 70..], [0, 6]);
        assert_eq!(End::InFlight.codes(), [20, 0]);
    }

    #[test]
    fn times_count_from_the_start_of_the_run_and_none_becomes_missing() {
        let mut log = CallLog::new(1);
        log.push(CallRecord {
            due: 1_000,
            sent: 1_000,
            first_byte: 0,
            ..record(1_700, End::InFlight)
        });
        log.rebase(1_000);
        let found = log.records[0];
        assert_eq!((found.due, found.sent), (0, 1));
        assert_eq!((found.first_byte, found.done), (0, 700));
    }

    #[test]
    fn the_logs_of_threads_are_joined_in_the_order_in_which_calls_ended() {
        let mut all = CallLog::default();
        for ends in [[1, 4], [2, 3]] {
            let mut log = CallLog::new(2);
            for done in ends {
                log.push(record(done, End::Right));
            }
            all.add(log);
        }
        all.sort();
        let ends: Vec<Nanos> = all.records.iter().map(|one| one.done).collect();
        assert_eq!(ends, [1, 2, 3, 4]);
    }
}
