//! Errors of connections, in the classes that a load generator reports.

use std::io;

/// The class of a failure on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nobody listens at the address (ECONNREFUSED), or a Unix socket's backlog is full (EAGAIN).
    Refused,
    /// The peer or the network broke the connection (ECONNRESET, EPIPE, ECONNABORTED).
    Reset,
    /// The kernel gave up waiting for the peer (ETIMEDOUT).
    TimedOut,
    /// No route to the peer (EHOSTUNREACH, ENETUNREACH).
    Unreachable,
    /// The process has no file descriptor left (EMFILE).
    Descriptors,
    /// No local address or port is left (EADDRNOTAVAIL, EADDRINUSE).
    Addresses,
    /// The system has no file descriptor left (ENFILE).
    FileTable,
    /// TLS failed; [`Driver::words`](crate::Driver::words) says why.
    Tls,
    /// The peer's answer is invalid; [`Driver::words`](crate::Driver::words) says more.
    Garbled,
    /// Anything else, with its errno.
    Other(i32),
}

impl Fault {
    /// The class of an errno.
    pub fn from_errno(errno: i32) -> Self {
        match errno {
            libc::ECONNREFUSED | libc::EAGAIN => Self::Refused,
            libc::ECONNRESET | libc::EPIPE | libc::ECONNABORTED => Self::Reset,
            libc::ETIMEDOUT => Self::TimedOut,
            libc::EHOSTUNREACH | libc::ENETUNREACH => Self::Unreachable,
            libc::EMFILE => Self::Descriptors,
            libc::EADDRNOTAVAIL | libc::EADDRINUSE => Self::Addresses,
            libc::ENFILE => Self::FileTable,
            other => Self::Other(other),
        }
    }

    /// A description for error messages.
    pub fn describe(self) -> String {
        match self {
            Self::Refused => "connection refused".into(),
            Self::Reset => "connection reset by the server".into(),
            Self::TimedOut => "the kernel gave up waiting for the peer".into(),
            Self::Unreachable => "no route to the host".into(),
            Self::Descriptors => "this process has no file descriptor left".into(),
            Self::Addresses => "no local port is left".into(),
            Self::FileTable => "the system has no file descriptor left".into(),
            Self::Tls => "TLS failed".into(),
            Self::Garbled => "invalid answer".into(),
            Self::Other(errno) => io::Error::from_raw_os_error(errno).to_string(),
        }
    }
}

impl From<&io::Error> for Fault {
    fn from(error: &io::Error) -> Self {
        Self::from_errno(error.raw_os_error().unwrap_or(libc::EIO))
    }
}
