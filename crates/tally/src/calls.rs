//! Where every call went: the counters, and the sums that must hold between them.

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};
use std::fmt;

/// Why a call came to nothing; a call that fails has exactly one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The connection was not made in time.
    ConnectTimeout,
    /// No byte of the reply came in time.
    FirstByteTimeout,
    /// The reply did not end in time.
    ReplyTimeout,
    /// The operating system gave up on the connection (`ETIMEDOUT`).
    SocketTimeout,
    /// Nothing listens there (`ECONNREFUSED`).
    Refused,
    /// The server reset the connection (`ECONNRESET`, `EPIPE`).
    Reset,
    /// The server closed the connection before the reply was complete.
    EarlyClose,
    /// What came was not an HTTP reply.
    Protocol,
    /// TLS could not be spoken: a certificate, a version, a broken record.
    Tls,
    /// No way leads there (`EHOSTUNREACH`, `ENETUNREACH`).
    Unreachable,
    /// This process ran out of file descriptors (`EMFILE`).
    Descriptors,
    /// This machine ran out of source addresses and ports (`EADDRNOTAVAIL`).
    Addresses,
    /// This machine ran out of file descriptors (`ENFILE`).
    FileTable,
    /// Anything else.
    Other,
}

impl ErrorClass {
    /// Every class; the index of a class is its value as `usize`.
    pub const ALL: [ErrorClass; 14] = [
        ErrorClass::ConnectTimeout,
        ErrorClass::FirstByteTimeout,
        ErrorClass::ReplyTimeout,
        ErrorClass::SocketTimeout,
        ErrorClass::Refused,
        ErrorClass::Reset,
        ErrorClass::EarlyClose,
        ErrorClass::Protocol,
        ErrorClass::Tls,
        ErrorClass::Unreachable,
        ErrorClass::Descriptors,
        ErrorClass::Addresses,
        ErrorClass::FileTable,
        ErrorClass::Other,
    ];
    /// How many classes there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Its name in results: snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ErrorClass::ConnectTimeout => "connect_timeout",
            ErrorClass::FirstByteTimeout => "first_byte_timeout",
            ErrorClass::ReplyTimeout => "reply_timeout",
            ErrorClass::SocketTimeout => "socket_timeout",
            ErrorClass::Refused => "refused",
            ErrorClass::Reset => "reset",
            ErrorClass::EarlyClose => "early_close",
            ErrorClass::Protocol => "protocol",
            ErrorClass::Tls => "tls",
            ErrorClass::Unreachable => "unreachable",
            ErrorClass::Descriptors => "descriptors",
            ErrorClass::Addresses => "addresses",
            ErrorClass::FileTable => "file_table",
            ErrorClass::Other => "other",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for ErrorClass {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Where every call went: due = sent + unsent; sent = ended + in flight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Fell due.
    pub due: u64,
    /// Begun: connecting or sending on their behalf.
    pub sent: u64,
    /// Due, and never begun.
    pub unsent: u64,
    /// Found no connection free when they fell due.
    pub waited: u64,
    /// Came back right.
    pub ok: u64,
    /// Came back with another status than expected.
    pub wrong_status: u64,
    /// Came back with the right status and another body than expected.
    pub wrong_body: u64,
    /// Came to nothing, by [`ErrorClass`] as index.
    pub errors: [u64; ErrorClass::COUNT],
    /// Still unanswered when the drain ended.
    pub in_flight: u64,
}

impl Calls {
    /// Counts one call that came to nothing.
    #[inline]
    pub fn error(&mut self, class: ErrorClass) {
        self.errors[class as usize] += 1;
    }

    /// Calls that ended in anything but ok.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.wrong_status + self.wrong_body + self.errors.iter().sum::<u64>()
    }

    /// Calls that ended, well or badly.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.ok + self.failed()
    }

    /// Adds the counts of another thread.
    pub fn merge(&mut self, other: &Self) {
        self.due += other.due;
        self.sent += other.sent;
        self.unsent += other.unsent;
        self.waited += other.waited;
        self.ok += other.ok;
        self.wrong_status += other.wrong_status;
        self.wrong_body += other.wrong_body;
        self.in_flight += other.in_flight;
        for (mine, theirs) in self.errors.iter_mut().zip(other.errors) {
            *mine += theirs;
        }
    }

    /// Whether the sums hold; else which does not, in a sentence.
    pub fn check(&self) -> Result<(), String> {
        let Calls {
            due,
            sent,
            unsent,
            in_flight,
            ..
        } = *self;
        let ended = self.ended();
        if due != sent + unsent {
            return Err(format!(
                "{due} calls fell due, but {sent} were sent and {unsent} were not: {} in all",
                sent + unsent
            ));
        }
        if sent != ended + in_flight {
            return Err(format!(
                "{sent} calls were sent, but {ended} ended and {in_flight} are in flight: {} in all",
                ended + in_flight
            ));
        }
        Ok(())
    }
}

impl Serialize for Calls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Calls", 9)?;
        fields.serialize_field("due", &self.due)?;
        fields.serialize_field("sent", &self.sent)?;
        fields.serialize_field("unsent", &self.unsent)?;
        fields.serialize_field("waited", &self.waited)?;
        fields.serialize_field("ok", &self.ok)?;
        fields.serialize_field("wrong_status", &self.wrong_status)?;
        fields.serialize_field("wrong_body", &self.wrong_body)?;
        fields.serialize_field("errors", &Errors(&self.errors))?;
        fields.serialize_field("in_flight", &self.in_flight)?;
        fields.end()
    }
}

/// The classes that occurred, as a map.
struct Errors<'a>(&'a [u64; ErrorClass::COUNT]);

impl Serialize for Errors<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (class, count) in ErrorClass::ALL
            .iter()
            .zip(self.0)
            .filter(|(_, count)| **count > 0)
        {
            map.serialize_entry(class, count)?;
        }
        map.end()
    }
}
