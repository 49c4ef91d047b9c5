//! The versions of HTTP/1.

/// The HTTP version of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// HTTP/1.0: a connection carries one call unless both sides say `keep-alive`.
    V10,
    /// HTTP/1.1: a connection carries calls until one side says `close`.
    V11,
}

impl Version {
    /// The version as it is sent.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Version::V10 => "HTTP/1.0",
            Version::V11 => "HTTP/1.1",
        }
    }

    /// The number of the version.
    #[must_use]
    pub const fn number(self) -> &'static str {
        match self {
            Version::V10 => "1.0",
            Version::V11 => "1.1",
        }
    }
}
