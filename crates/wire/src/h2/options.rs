//! The settings of our side: they limit the peer.

use crate::h2::frame::LEAST_MAX_FRAME;

/// The settings of our side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Most streams at once.
    pub streams: u32,
    /// Bytes of the table for header fields that we keep.
    pub header_table: u32,
    /// Most bytes of a frame's payload, from 2^14 to 2^24 - 1.
    pub max_frame: u32,
    /// Bytes that the peer may send on a stream before we ask for more, at most 2^31 - 1.
    pub window: u32,
    /// The same for the connection, at least 65,535.
    pub connection_window: u32,
    /// Keeps the fields of the last head or trailers, to be read.
    pub keeps_fields: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            streams: 100,
            header_table: 4096,
            max_frame: LEAST_MAX_FRAME,
            window: 1 << 20,
            connection_window: 1 << 24,
            keeps_fields: false,
        }
    }
}
