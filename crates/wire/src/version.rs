//! The versions of HTTP/1.

/// The version of HTTP that a message says it speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// HTTP/1.0: a connection carries one call unless both sides say `keep-alive`.
    V10,
    /// HTTP/1.1: a connection carries calls until one side says `close`.
    V11,
}

impl Version {
    /// As it stands on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Version::V10 => "HTTP/1.0",
            Version::V11 => "HTTP/1.1",
        }
    }
}
