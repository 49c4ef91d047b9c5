//! The streams that a server opens (RFC 9114 §6.2): its control stream, those of QPACK, and others that are ignored.

use crate::h2::ErrorCode;
use crate::h3::fault::Fault;
use crate::h3::frame_reader::{DATA, FrameReader, GOAWAY, HEADERS, Piece, SETTINGS};
use crate::h3::varint;

/// Most streams that a server may have open at once: three with a meaning, and some that are ignored.
pub const MOST_INCOMING: u32 = 16;

const CONTROL: u64 = 0;
const PUSH: u64 = 1;
const QPACK_ENCODER: u64 = 2;
const QPACK_DECODER: u64 = 3;
/// Settings of HTTP/2 that HTTP/3 does not have (§7.2.4.1).
const OF_HTTP2: [u64; 4] = [2, 3, 4, 5];

/// The streams that a server has opened.
#[derive(Debug, Default)]
pub(crate) struct Incoming {
    streams: Vec<Unidirectional>,
    control: FrameReader,
    has_settings: bool,
    /// The kinds that were opened: each may be only once.
    has: [bool; 4],
    /// The id of the last GOAWAY.
    last: Option<u64>,
}

#[derive(Debug)]
struct Unidirectional {
    id: u64,
    /// `None`: not whole yet.
    kind: Option<u64>,
    /// The begin of its kind.
    begin: Vec<u8>,
}

impl Incoming {
    /// Begins a new connection.
    pub(crate) fn reset(&mut self) {
        self.streams.clear();
        self.control.reset();
        (self.has_settings, self.has, self.last) = (false, [false; 4], None);
    }

    /// Takes bytes of a stream. Returns the id of a GOAWAY, if they end one: requests from it on are not processed.
    pub(crate) fn take(&mut self, id: u64, mut bytes: &[u8]) -> Result<Option<u64>, Fault> {
        let known = self.streams.iter().position(|stream| stream.id == id);
        let place = known.unwrap_or_else(|| {
            self.streams.push(Unidirectional {
                id,
                kind: None,
                begin: Vec::new(),
            });
            self.streams.len() - 1
        });
        if self.streams.len() > MOST_INCOMING as usize {
            return Err(Fault::Flood);
        }
        let stream = &mut self.streams[place];
        let kind = if let Some(kind) = stream.kind {
            kind
        } else {
            let before = stream.begin.len();
            stream.begin.extend(bytes.iter().take(8 - before));
            let Some((kind, length)) = varint::read(&stream.begin) else {
                return Ok(None);
            };
            stream.kind = Some(kind);
            bytes = &bytes[length - before..];
            self.opened(kind)?;
            kind
        };
        match kind {
            CONTROL => self.control(bytes),
            QPACK_ENCODER => check_encoder(bytes).map(|()| None),
            // Nothing refers to a table, so there is nothing to acknowledge, and no stream to cancel.
            QPACK_DECODER if !bytes.is_empty() => Err(Fault::new(
                "the decoder stream acknowledges what was never sent",
                ErrorCode::QPACK_DECODER_STREAM_ERROR,
            )),
            _ => Ok(None),
        }
    }

    /// A stream has ended, or was reset.
    pub(crate) fn end(&mut self, id: u64) -> Result<(), Fault> {
        let ended = self.streams.iter().position(|stream| stream.id == id);
        let kind = ended.and_then(|place| self.streams.swap_remove(place).kind);
        match kind {
            Some(CONTROL | QPACK_ENCODER | QPACK_DECODER) => Err(Fault::new(
                "the server closed its control stream, or one of QPACK",
                ErrorCode::H3_CLOSED_CRITICAL_STREAM,
            )),
            _ => Ok(()),
        }
    }

    /// A stream of this kind was opened.
    fn opened(&mut self, kind: u64) -> Result<(), Fault> {
        let creation = |what| Err(Fault::new(what, ErrorCode::H3_STREAM_CREATION_ERROR));
        match kind {
            PUSH => Err(Fault::new(
                "the server pushes, which was not allowed",
                ErrorCode::H3_ID_ERROR,
            )),
            CONTROL | QPACK_ENCODER | QPACK_DECODER => {
                if std::mem::replace(&mut self.has[kind as usize], true) {
                    return creation("the server opened a second stream of a kind");
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn control(&mut self, mut bytes: &[u8]) -> Result<Option<u64>, Fault> {
        let mut last = None;
        loop {
            let (taken, piece) = self.control.next(bytes)?;
            bytes = &bytes[taken..];
            let (kind, whole) = match piece {
                Piece::NeedMore => return Ok(last),
                Piece::Data(_) => (DATA, None),
                Piece::Frame(kind, whole) => (kind, whole),
            };
            let payload = whole.unwrap_or(&self.control.collected);
            match kind {
                SETTINGS if !self.has_settings => {
                    check_settings(payload)?;
                    self.has_settings = true;
                }
                _ if !self.has_settings => {
                    let what = "the control stream does not begin with SETTINGS";
                    return Err(Fault::new(what, ErrorCode::H3_MISSING_SETTINGS));
                }
                GOAWAY => {
                    let id = goaway(payload)?;
                    if id % 4 != 0 || self.last.is_some_and(|before| id > before) {
                        let what = "the id of a GOAWAY is not one of a request, or grows";
                        return Err(Fault::new(what, ErrorCode::H3_ID_ERROR));
                    }
                    self.last = Some(id);
                    last = self.last;
                }
                DATA | HEADERS | SETTINGS => {
                    let what = "a frame is not allowed on the control stream";
                    return Err(Fault::new(what, ErrorCode::H3_FRAME_UNEXPECTED));
                }
                _ => {}
            }
        }
    }
}

/// The id in a GOAWAY.
fn goaway(payload: &[u8]) -> Result<u64, Fault> {
    match varint::read(payload) {
        Some((id, length)) if length == payload.len() => Ok(id),
        _ => Err(Fault::new(
            "a GOAWAY has an invalid length",
            ErrorCode::H3_FRAME_ERROR,
        )),
    }
}

/// Checks a SETTINGS frame. None of its values changes what a client without a table sends.
fn check_settings(mut payload: &[u8]) -> Result<(), Fault> {
    while !payload.is_empty() {
        let setting = varint::read(payload).and_then(|(id, first)| {
            let (_, second) = varint::read(&payload[first..])?;
            Some((id, first + second))
        });
        let Some((id, length)) = setting else {
            let what = "a SETTINGS frame ends inside a setting";
            return Err(Fault::new(what, ErrorCode::H3_FRAME_ERROR));
        };
        if OF_HTTP2.contains(&id) {
            let what = "a setting is one of HTTP/2";
            return Err(Fault::new(what, ErrorCode::H3_SETTINGS_ERROR));
        }
        payload = &payload[length..];
    }
    Ok(())
}

/// Checks the instructions of the encoder stream: a table of 0 bytes takes no entry, and can only be set to 0 bytes again.
fn check_encoder(bytes: &[u8]) -> Result<(), Fault> {
    if bytes.iter().all(|byte| *byte == 0x20) {
        return Ok(());
    }
    Err(Fault::new(
        "the encoder stream adds to a table of 0 bytes",
        ErrorCode::QPACK_ENCODER_STREAM_ERROR,
    ))
}
