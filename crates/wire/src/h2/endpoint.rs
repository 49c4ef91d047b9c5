//! The common part of the client and the server of a connection: settings, header blocks, answers, limits.
//!
//! - SETTINGS and PING are answered at once (RFC 9113 §6.5.3, §6.7). The first frame of the peer must be SETTINGS (§3.4).
//! - A frame on a stream that was never opened, or has ended, is an error (§5.1), except after our own `RST_STREAM`.
//! - Frames without progress are limited in number, unsent answers in bytes. So no peer can use unlimited memory, or hold the
//!   connection with frames that mean nothing.

mod flow;

use crate::h2::fault::{ErrorCode, Fault, Malformed};
use crate::h2::frame;
use crate::h2::frame_reader::{Block, Frame, FrameReader};
use crate::h2::last_block::LastBlock;
use crate::h2::message::Message;
use crate::h2::options::Options;
use crate::h2::received::Received;
use crate::h2::settings::{
    ENABLE_PUSH, HEADER_TABLE_SIZE, INITIAL_WINDOW, INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS,
    MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE, Settings,
};
use crate::h2::streams::{Stream, Streams};
use crate::hpack::Decoder;
use crate::limits::MAX_HEAD;

/// Most frames in a row that bring no part of a message.
const MOST_IDLE_FRAMES: u32 = 10_000;
/// Most bytes of answers to PING and SETTINGS that wait to be sent.
const MOST_ANSWERS: usize = 64 * 1024;
/// The header table of a static encoder: a change of its size to 0.
const NO_TABLE: &[u8] = &[0x20];

/// The meaning of a frame for the streams.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signal<'a> {
    NeedMore,
    /// A block was decoded.
    Headers {
        id: u32,
        end: bool,
    },
    Data {
        stream: Stream,
        data: &'a [u8],
        end: bool,
    },
    Reset {
        stream: Stream,
        code: ErrorCode,
    },
    /// The stream was reset by us.
    Malformed {
        stream: Stream,
        error: Malformed,
    },
    Settings,
    GoAway {
        last: u32,
        code: ErrorCode,
    },
    /// A window was opened: of this stream, or of the connection.
    Opened(Option<Stream>),
}

#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) options: Options,
    reader: FrameReader,
    decoder: Decoder,
    last_block: LastBlock,
    pub(crate) peer: Settings,
    /// The peer's first SETTINGS has come.
    pub(crate) is_settled: bool,
    /// The peer has acknowledged our SETTINGS.
    is_acknowledged: bool,
    pub(crate) streams: Streams,
    /// The highest id of a stream so far.
    pub(crate) last: u32,
    /// The highest id of a stream that we have reset.
    cancelled: u32,
    /// Bytes to be sent.
    pub(crate) out: Vec<u8>,
    /// Bytes of answers among them.
    answers: usize,
    /// The bytes received in the window of the connection.
    received: Received,
    /// Times that the peer had used up a window, and had to wait.
    pub(crate) used_up: u64,
    /// Bytes that we may send on the connection.
    window: i64,
    /// Bytes of the table that the peer expects our blocks to use.
    table: u32,
    /// The next block must say that it uses no table.
    announces: bool,
    idle_frames: u32,
    /// Bytes of the block that was decoded last.
    pub(crate) block_bytes: usize,
}

impl Endpoint {
    pub(crate) fn new(options: Options) -> Self {
        Self {
            options,
            reader: FrameReader::new(options.max_frame),
            decoder: Decoder::new(options.header_table),
            last_block: LastBlock::default(),
            peer: Settings::default(),
            is_settled: false,
            is_acknowledged: false,
            streams: Streams::new(options.streams),
            last: 0,
            cancelled: 0,
            out: Vec::new(),
            answers: 0,
            received: Received::default(),
            used_up: 0,
            window: INITIAL_WINDOW.into(),
            table: Settings::default().header_table,
            announces: false,
            idle_frames: 0,
            block_bytes: 0,
        }
    }

    /// Forgets the last connection; keeps its memory.
    pub(crate) fn reset(&mut self) {
        self.reader.reset();
        self.decoder.reset();
        self.peer = Settings::default();
        (self.is_settled, self.is_acknowledged) = (false, false);
        self.streams.reset();
        (self.last, self.cancelled) = (0, 0);
        self.out.clear();
        (self.answers, self.received) = (0, Received::default());
        self.window = INITIAL_WINDOW.into();
        self.table = self.peer.header_table;
        (self.announces, self.idle_frames) = (false, 0);
    }

    /// Appends our settings, and the window of the connection.
    pub(crate) fn introduce(&mut self, is_client: bool) {
        let options = self.options;
        let of_role = if is_client {
            (ENABLE_PUSH, 0)
        } else {
            (MAX_CONCURRENT_STREAMS, options.streams)
        };
        let settings = [
            of_role,
            (HEADER_TABLE_SIZE, options.header_table),
            (INITIAL_WINDOW_SIZE, options.window),
            (MAX_FRAME_SIZE, options.max_frame),
            (MAX_HEADER_LIST_SIZE, MAX_HEAD as u32),
        ];
        frame::settings(&mut self.out, &settings);
        if options.connection_window > INITIAL_WINDOW {
            frame::window(&mut self.out, 0, options.connection_window - INITIAL_WINDOW);
        }
    }

    /// True inside of a frame or of a block.
    pub(crate) fn in_frame(&self) -> bool {
        self.reader.in_frame()
    }

    /// Reads frames up to one with a meaning for the streams. Returns the number of bytes consumed.
    #[inline]
    pub(crate) fn next<'a>(
        &mut self,
        input: &'a [u8],
        message: &mut impl Message,
    ) -> Result<(usize, Signal<'a>), Fault> {
        let mut at = 0;
        loop {
            let rest = &input[at..];
            let next = self.reader.next(rest);
            if !self.is_settled && !matches!(next, Ok((_, Frame::NeedMore | Frame::Settings(_)))) {
                return Err(Fault::NotHttp2);
            }
            let (taken, frame) = next?;
            at += taken;
            let signal = match frame {
                Frame::NeedMore => Some(Signal::NeedMore),
                Frame::Data(piece) => self.data(piece)?,
                Frame::Headers { stream, end, block } => {
                    self.decode(&block, rest, message)?;
                    Some(Signal::Headers { id: stream, end })
                }
                other => self.control(other, rest)?,
            };
            if let Some(signal) = signal {
                return Ok((at, signal));
            }
        }
    }

    #[inline]
    fn decode(
        &mut self,
        block: &Block,
        input: &[u8],
        message: &mut impl Message,
    ) -> Result<(), Fault> {
        let bytes = self.reader.block(block, input);
        self.block_bytes = bytes.len();
        let before = self.decoder.changes();
        if self.last_block.is(bytes, before) {
            return Ok(());
        }
        message.begin();
        self.last_block.forget();
        self.decoder
            .decode(bytes, MAX_HEAD, |name, value| message.take(name, value))?;
        if self.decoder.changes() == before {
            self.last_block.remember(bytes, before);
        }
        Ok(())
    }

    /// Handles all frames but DATA and HEADERS.
    fn control(&mut self, frame: Frame, input: &[u8]) -> Result<Option<Signal<'static>>, Fault> {
        match frame {
            Frame::Settings(range) => {
                let payload = self.reader.payload(&range, input);
                let before = self.peer;
                self.peer.apply(payload)?;
                self.resize(before)?;
                self.answer(frame::settings_ack)?;
                self.is_settled = true;
                return Ok(Some(Signal::Settings));
            }
            Frame::SettingsAck => {
                self.is_acknowledged = true;
                self.decoder.acknowledge();
                self.idle("acknowledgements of SETTINGS")?;
            }
            Frame::Ping(content) => self.answer(|out| frame::ping_ack(out, content))?,
            Frame::Window { stream, increment } => return self.widen(stream, increment),
            Frame::Reset { stream: id, code } => {
                self.idle("RST_STREAM")?;
                let Some(stream) = self.streams.find(id) else {
                    return self.known(id).map(|()| None);
                };
                self.streams.remove(stream);
                return Ok(Some(Signal::Reset { stream, code }));
            }
            Frame::GoAway { last, code } => return Ok(Some(Signal::GoAway { last, code })),
            Frame::Ignored | Frame::NeedMore | Frame::Data(_) | Frame::Headers { .. } => {
                self.idle("frames without meaning")?;
            }
        }
        Ok(None)
    }

    /// Appends an answer to a frame.
    fn answer(&mut self, frame: impl FnOnce(&mut Vec<u8>)) -> Result<(), Fault> {
        self.idle("PING and SETTINGS")?;
        let before = self.out.len();
        if before == 0 {
            self.answers = 0;
        }
        frame(&mut self.out);
        self.answers += self.out.len() - before;
        if self.answers > MOST_ANSWERS {
            return Err(Fault::Flood(
                "the answers to PING and SETTINGS are not read",
            ));
        }
        Ok(())
    }

    /// Counts a frame that brings no part of a message.
    #[inline]
    pub(crate) fn idle(&mut self, of: &'static str) -> Result<(), Fault> {
        self.idle_frames += 1;
        if self.idle_frames > MOST_IDLE_FRAMES {
            return Err(Fault::Flood(of));
        }
        Ok(())
    }

    /// Checks that a stream was opened some time.
    fn known(&self, id: u32) -> Result<(), Fault> {
        if id > self.last || id.is_multiple_of(2) {
            return Err(Fault::Protocol(
                "a frame came on a stream that was never opened",
            ));
        }
        Ok(())
    }

    /// Checks a part of a message on a stream that is not open: it is ignored if we may have reset the stream.
    pub(crate) fn ended(&mut self, id: u32) -> Result<(), Fault> {
        self.known(id)?;
        if id > self.cancelled {
            return Err(Fault::StreamClosed);
        }
        self.idle("frames of ended streams")
    }

    /// Progress was made.
    #[inline]
    pub(crate) fn progress(&mut self) {
        self.idle_frames = 0;
    }

    /// Resets a stream whose message is not valid.
    pub(crate) fn malformed(&mut self, stream: Stream, error: Malformed) -> Signal<'static> {
        self.cancel(stream, error.code());
        Signal::Malformed { stream, error }
    }

    /// Resets a stream.
    pub(crate) fn cancel(&mut self, stream: Stream, code: ErrorCode) {
        if self.streams.get(stream).is_some() {
            self.streams.remove(stream);
            self.refuse(stream.id, code);
        }
    }

    /// Resets a stream that has no lane.
    pub(crate) fn refuse(&mut self, id: u32, code: ErrorCode) {
        self.cancelled = self.cancelled.max(id);
        frame::reset(&mut self.out, id, code);
    }

    /// Appends a block that was encoded with the static table alone.
    #[inline]
    pub(crate) fn headers(&mut self, id: u32, block: &[u8], end: bool) {
        let change = if std::mem::take(&mut self.announces) {
            NO_TABLE
        } else {
            &[]
        };
        frame::headers(&mut self.out, id, [change, block], end, self.peer.max_frame);
    }

    /// Appends a block of an encoder with a table.
    pub(crate) fn encoded_headers(&mut self, id: u32, block: &[u8], end: bool) {
        frame::headers(&mut self.out, id, [&[], block], end, self.peer.max_frame);
    }

    /// Appends the GOAWAY for a fault.
    #[cold]
    pub(crate) fn give_up(&mut self, fault: Fault) {
        frame::go_away(&mut self.out, self.last, fault.code(), &fault.to_string());
    }
}
