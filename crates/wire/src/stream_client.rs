//! The client of a connection with streams: of HTTP/2 or HTTP/3, with the same methods.

use std::fmt;

use crate::fields::Fields;
use crate::h2::{self, Event, HeadWriter, Options, Prepared, Stream};
use crate::h3;

/// A client. Its output and its input are bytes of a TCP connection in HTTP/2, and records of QUIC in HTTP/3.
#[derive(Debug)]
pub enum StreamClient {
    Http2(Box<h2::Client>),
    Http3(Box<h3::Client>),
}

/// The server broke the rules of the connection.
#[derive(Clone, Copy, Debug)]
pub enum StreamFault {
    Http2(h2::Fault),
    Http3(h3::Fault),
}

impl fmt::Display for StreamFault {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Http2(fault) => fault.fmt(formatter),
            Self::Http3(fault) => fault.fmt(formatter),
        }
    }
}

/// Calls a method of either client.
macro_rules! either {
    ($client:expr, $one:ident => $call:expr) => {
        match $client {
            StreamClient::Http2($one) => $call,
            StreamClient::Http3($one) => $call,
        }
    };
}

impl StreamClient {
    /// A client of HTTP/2; see [`h2::Client::new`].
    #[must_use]
    pub fn http2(options: Options, encoder_table: u32) -> Self {
        Self::Http2(Box::new(h2::Client::new(options, encoder_table)))
    }

    /// A client of HTTP/3; see [`h3::Client::new`].
    #[must_use]
    pub fn http3(options: Options) -> Self {
        Self::Http3(Box::new(h3::Client::new(options)))
    }

    /// The version, as a reply has it.
    pub fn version(&self) -> &'static str {
        match self {
            Self::Http2(_) => "2",
            Self::Http3(_) => "3",
        }
    }

    /// Begins a new connection.
    pub fn connect(&mut self) {
        either!(self, one => one.connect());
    }

    #[inline]
    pub fn output(&mut self) -> &mut Vec<u8> {
        either!(self, one => one.output())
    }

    /// Streams that the server allows at once; [`u32::MAX`]: as many as are wanted.
    pub fn stream_limit(&self) -> u32 {
        match self {
            Self::Http2(one) => one.settings().max_streams,
            Self::Http3(one) => one.stream_limit().unwrap_or(u32::MAX),
        }
    }

    #[inline]
    pub fn room(&self) -> u32 {
        either!(self, one => one.room())
    }

    pub fn open_streams(&self) -> u32 {
        either!(self, one => one.open_streams())
    }

    #[inline]
    pub fn is_spent(&self) -> bool {
        either!(self, one => one.is_spent())
    }

    #[inline]
    pub fn open(&mut self, request: &Prepared) -> Option<Stream> {
        either!(self, one => one.open(request))
    }

    #[inline]
    pub fn open_written(
        &mut self,
        head_only: bool,
        has_body: bool,
        write: impl FnOnce(&mut HeadWriter),
    ) -> Option<Stream> {
        either!(self, one => one.open_written(head_only, has_body, write))
    }

    pub fn send(&mut self, stream: Stream, body: &[u8], end: bool) -> usize {
        either!(self, one => one.send(stream, body, end))
    }

    pub fn cancel(&mut self, stream: Stream) {
        either!(self, one => one.cancel(stream));
    }

    pub fn fields(&self) -> Fields<'_> {
        either!(self, one => one.fields())
    }

    pub fn last_fields(&self) -> Option<Fields<'_>> {
        either!(self, one => one.last_fields())
    }

    pub fn block_bytes(&self) -> usize {
        either!(self, one => one.block_bytes())
    }

    /// Times that the server had used up a window since this was called last. QUIC does not tell.
    #[inline]
    pub fn take_used_up(&mut self) -> u64 {
        match self {
            Self::Http2(one) => one.take_used_up(),
            Self::Http3(_) => 0,
        }
    }

    /// Reads up to the next event. Returns the number of bytes consumed.
    #[inline]
    pub fn next<'a>(&mut self, input: &'a [u8]) -> Result<(usize, Event<'a>), StreamFault> {
        match self {
            Self::Http2(one) => one.next(input).map_err(StreamFault::Http2),
            Self::Http3(one) => one.next(input).map_err(StreamFault::Http3),
        }
    }
}
