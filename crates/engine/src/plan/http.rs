//! The versions of HTTP.

use serde::{Deserialize, Serialize};

/// The HTTP version of the requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Http {
    #[serde(rename = "1.0")]
    V10,
    #[default]
    #[serde(rename = "1.1")]
    V11,
    /// By ALPN with TLS, by prior knowledge without.
    #[serde(rename = "2")]
    V2,
    /// Over QUIC, with TLS.
    #[serde(rename = "3")]
    V3,
}

impl Http {
    /// The protocols to offer in a TLS handshake, the preferred one first.
    pub fn protocols(self) -> &'static [&'static str] {
        match self {
            Self::V10 | Self::V11 => &["http/1.1"],
            Self::V2 => &["h2"],
            Self::V3 => &["h3"],
        }
    }

    /// The name of the protocol of its connections.
    pub fn protocol(self) -> &'static str {
        match self {
            Self::V10 => "http/1.0",
            Self::V11 => "http/1.1",
            Self::V2 => "h2",
            Self::V3 => "h3",
        }
    }

    /// The version in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::V10 => "HTTP/1.0",
            Self::V11 => "HTTP/1.1",
            Self::V2 => "HTTP/2",
            Self::V3 => "HTTP/3",
        }
    }

    /// True if a connection has streams.
    pub fn has_streams(self) -> bool {
        matches!(self, Self::V2 | Self::V3)
    }
}
