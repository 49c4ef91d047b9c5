//! The counters of calls, and the sums that must hold between them.

use crate::packed;
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};
use std::fmt;

/// The reason why a call got no reply, or none that it or its session could use. A call that failed has exactly one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The connection was not established in time.
    ConnectTimeout,
    /// No byte of the reply arrived in time.
    FirstByteTimeout,
    /// The reply was not complete in time.
    ReplyTimeout,
    /// The operating system gave up on the connection (`ETIMEDOUT`).
    SocketTimeout,
    /// Nothing listens at the address (`ECONNREFUSED`).
    Refused,
    /// The server reset the connection (`ECONNRESET`, `EPIPE`).
    Reset,
    /// The server closed the connection before the reply was complete.
    EarlyClose,
    /// The server sent something that is not an HTTP reply.
    Protocol,
    /// TLS failed: a certificate, a version, a broken record.
    Tls,
    /// There is no route to the address (`EHOSTUNREACH`, `ENETUNREACH`).
    Unreachable,
    /// This process ran out of file descriptors (`EMFILE`).
    Descriptors,
    /// This machine ran out of source addresses and ports (`EADDRNOTAVAIL`).
    Addresses,
    /// This machine ran out of file descriptors (`ENFILE`).
    FileTable,
    /// The reply lacks a value that later calls of its session send.
    ValueNotFound,
    /// The server refused the stream before it processed the request (HTTP/2's `REFUSED_STREAM`).
    RefusedStream,
    /// The server ended the stream before its reply was complete (HTTP/2's `RST_STREAM`).
    StreamReset,
    /// The server ended the connection and did not process the request (HTTP/2's `GOAWAY`).
    GoAway,
    /// The reply has a status of gRPC that is not `OK`.
    GrpcStatus,
    /// Anything else.
    Other,
}

impl ErrorClass {
    /// All classes, each at the index of its value as `usize`.
    pub const ALL: [ErrorClass; 19] = [
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
        ErrorClass::ValueNotFound,
        ErrorClass::RefusedStream,
        ErrorClass::StreamReset,
        ErrorClass::GoAway,
        ErrorClass::GrpcStatus,
        ErrorClass::Other,
    ];
    /// Number of classes.
    pub const COUNT: usize = Self::ALL.len();

    /// The name of the class in results, in snake case.
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
            ErrorClass::ValueNotFound => "value_not_found",
            ErrorClass::RefusedStream => "refused_stream",
            ErrorClass::StreamReset => "stream_reset",
            ErrorClass::GoAway => "goaway",
            ErrorClass::GrpcStatus => "grpc_status",
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

packed!(Calls {
    due,
    sent,
    unsent,
    waited,
    ok,
    wrong_status,
    wrong_body,
    errors,
    in_flight
});

/// Counts of calls: due = sent + unsent; sent = ended + in flight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls that fell due.
    pub due: u64,
    /// Calls that were begun, by connecting or by sending.
    pub sent: u64,
    /// Calls that were due and never begun.
    pub unsent: u64,
    /// Calls that found no free connection when they fell due.
    pub waited: u64,
    /// Calls with the right reply.
    pub ok: u64,
    /// Calls whose reply had another status than expected.
    pub wrong_status: u64,
    /// Calls whose reply had the right status and another body than expected.
    pub wrong_body: u64,
    /// Calls without a reply, at the index of their [`ErrorClass`].
    pub errors: [u64; ErrorClass::COUNT],
    /// Calls that were unanswered when the drain ended.
    pub in_flight: u64,
}

impl Calls {
    /// Counts a call without a reply.
    #[inline]
    pub fn error(&mut self, class: ErrorClass) {
        self.errors[class as usize] += 1;
    }

    /// Calls that ended in anything but ok.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.wrong_status + self.wrong_body + self.errors.iter().sum::<u64>()
    }

    /// Calls that ended, right or wrong.
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

    /// Checks the sums; the error is a message about the one that does not hold.
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

/// Serialises the counts of the classes that occurred as a map.
pub struct Errors<'a>(pub &'a [u64; ErrorClass::COUNT]);

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
