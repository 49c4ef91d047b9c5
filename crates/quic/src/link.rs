//! One connection of QUIC: its streams as records, in both directions.

use std::net::SocketAddr;

use bytes::Bytes;
use quinn_proto::{
    Connection, ConnectionError, ConnectionHandle, Dir, Event, ReadError, Side, StreamEvent,
    StreamId, VarInt, WriteError,
};
use std::time::Instant;
use wire::h3::{Record, Records};

/// The reason of an end that is none: `H3_NO_ERROR`.
pub const NO_ERROR: u32 = 0x100;

/// A connection.
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts of a connection, each independent of the others"
)]
pub struct Link {
    pub handle: ConnectionHandle,
    pub connection: Connection,
    pub remote: SocketAddr,
    /// Streams for requests that are opened ahead: their number, those of them that have a request, and how many are wanted.
    opened: u64,
    used: u64,
    wanted: u64,
    /// The control stream is open.
    has_control: bool,
    /// The bytes that QUIC has not taken yet, by stream.
    waiting: Vec<Waiting>,
    /// Streams with something in `waiting`, which has not been reported.
    pub blocked: Vec<u64>,
    /// There may be more room, which has not been reported.
    pub needs_room: bool,
    /// Datagrams that found no room in the socket, and the bytes of each.
    pub held: Option<(Vec<u8>, usize)>,
    pub is_dirty: bool,
    pub is_to_send: bool,
    pub is_open: bool,
    pub is_lost: bool,
}

struct Waiting {
    stream: StreamId,
    bytes: Vec<u8>,
    sent: usize,
    end: bool,
}

/// The changes of a connection's life in a turn.
#[derive(Debug, Default)]
pub struct Turn {
    pub connected: bool,
    pub lost: Option<ConnectionError>,
}

impl Link {
    pub fn new(
        handle: ConnectionHandle,
        connection: Connection,
        remote: SocketAddr,
        wanted: u64,
    ) -> Self {
        Self {
            handle,
            connection,
            remote,
            opened: 0,
            used: 0,
            wanted,
            has_control: false,
            waiting: Vec::new(),
            blocked: Vec::new(),
            needs_room: false,
            held: None,
            is_dirty: false,
            is_to_send: false,
            is_open: false,
            is_lost: false,
        }
    }

    /// Handles all events of the connection; appends records to `out`.
    pub fn turn(&mut self, out: &mut Vec<u8>) -> Turn {
        let mut turn = Turn::default();
        while let Some(event) = self.connection.poll() {
            match event {
                Event::Connected => {
                    (turn.connected, self.is_open) = (true, true);
                    self.make_room(true, out);
                }
                Event::ConnectionLost { reason } => {
                    if let ConnectionError::ApplicationClosed(close) = &reason {
                        let code = close.error_code.into_inner();
                        Record::Closed { code }.write(out);
                    }
                    turn.lost = Some(reason);
                }
                Event::Stream(event) => self.on_stream(&event, out),
                Event::HandshakeDataReady | Event::DatagramReceived | Event::DatagramsUnblocked => {
                }
            }
        }
        for stream in self.blocked.drain(..) {
            Record::Blocked { stream }.write(out);
        }
        if std::mem::take(&mut self.needs_room) {
            self.make_room(false, out);
        }
        turn
    }

    fn on_stream(&mut self, event: &StreamEvent, out: &mut Vec<u8>) {
        match *event {
            StreamEvent::Readable { id } => self.read(id, out),
            StreamEvent::Opened { dir } => {
                while let Some(id) = self.connection.streams().accept(dir) {
                    self.read(id, out);
                }
            }
            StreamEvent::Writable { id } => self.write_rest(id, out),
            StreamEvent::Stopped { id, error_code } => {
                self.forget(id);
                // QUIC releases what it keeps of the stream only then (RFC 9000 §3.5).
                let _ = self.connection.send_stream(id).reset(error_code);
                let (stream, code) = (id.into(), error_code.into_inner());
                Record::Stopped { stream, code }.write(out);
            }
            StreamEvent::Available { dir: Dir::Bi } => self.needs_room = true,
            StreamEvent::Available { .. } | StreamEvent::Finished { .. } => {}
        }
    }

    /// Reads all that has come on a stream.
    fn read(&mut self, id: StreamId, out: &mut Vec<u8>) {
        let mut reading = self.connection.recv_stream(id);
        let Ok(mut chunks) = reading.read(true) else {
            return;
        };
        let stream = id.into();
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => {
                    let bytes = &chunk.bytes;
                    Record::Data { stream, bytes }.write(out);
                }
                Ok(None) => {
                    Record::End { stream }.write(out);
                    break;
                }
                Err(ReadError::Reset(code)) => {
                    let code = code.into_inner();
                    Record::Reset { stream, code }.write(out);
                    break;
                }
                Err(ReadError::Blocked) => break,
            }
        }
        // Everything is sent at the end of the turn.
        let _ = chunks.finalize();
    }

    /// Opens streams ahead, as many as are wanted and allowed.
    fn make_room(&mut self, is_first: bool, out: &mut Vec<u8>) {
        let before = self.opened;
        while self.opened.saturating_sub(self.used) < self.wanted
            && self.connection.streams().open(Dir::Bi).is_some()
        {
            self.opened += 1;
        }
        if is_first || self.opened > before {
            let streams = self.opened;
            Record::Room { streams }.write(out);
        }
    }

    /// Sends records; returns true if the caller has something to be reported.
    pub fn send(&mut self, records: &[u8], now: Instant) -> bool {
        for record in Records(records) {
            match record {
                Record::Data { stream, bytes } => self.data(stream, bytes),
                Record::End { stream } => self.end(stream_id(stream)),
                Record::Reset { stream, code } => {
                    let (id, code) = (stream_id(stream), var_int(code));
                    self.forget(id);
                    // It may have ended meanwhile.
                    let _ = self.connection.send_stream(id).reset(code);
                    let _ = self.connection.recv_stream(id).stop(code);
                }
                Record::Closed { code } => {
                    self.connection.close(now, var_int(code), Bytes::new());
                }
                Record::Stopped { .. }
                | Record::Room { .. }
                | Record::Blocked { .. }
                | Record::Open { .. } => {}
            }
        }
        self.needs_room || !self.blocked.is_empty()
    }

    fn data(&mut self, stream: u64, bytes: &[u8]) {
        let id = stream_id(stream);
        if id.dir() == Dir::Uni {
            if !std::mem::replace(&mut self.has_control, true) {
                // The first stream in this direction has this id, if any is allowed.
                let _ = self.connection.streams().open(Dir::Uni);
            }
        } else if id.index() >= self.used {
            self.used = id.index() + 1;
            self.needs_room |= self.opened.saturating_sub(self.used) < self.wanted / 2;
        }
        if let Some(waiting) = self.waiting.iter_mut().find(|one| one.stream == id) {
            waiting.bytes.extend_from_slice(bytes);
            return;
        }
        let sent = self.write(id, bytes);
        if sent < bytes.len() {
            self.blocked.push(stream);
            self.waiting.push(Waiting {
                stream: id,
                bytes: bytes[sent..].into(),
                sent: 0,
                end: false,
            });
        }
    }

    /// Writes as much as QUIC takes. What a stopped or ended stream does not take counts as written.
    fn write(&mut self, id: StreamId, bytes: &[u8]) -> usize {
        let mut sent = 0;
        while sent < bytes.len() {
            match self.connection.send_stream(id).write(&bytes[sent..]) {
                Ok(count) => sent += count,
                Err(WriteError::Blocked) => break,
                Err(WriteError::Stopped(_) | WriteError::ClosedStream) => return bytes.len(),
            }
        }
        sent
    }

    fn end(&mut self, id: StreamId) {
        match self.waiting.iter_mut().find(|one| one.stream == id) {
            Some(waiting) => waiting.end = true,
            // It may have been stopped.
            None => drop(self.connection.send_stream(id).finish()),
        }
    }

    /// QUIC takes more of a stream.
    fn write_rest(&mut self, id: StreamId, out: &mut Vec<u8>) {
        let Some(place) = self.waiting.iter().position(|one| one.stream == id) else {
            return;
        };
        let mut waiting = self.waiting.swap_remove(place);
        waiting.sent += self.write(id, &waiting.bytes[waiting.sent..]);
        if waiting.sent < waiting.bytes.len() {
            self.waiting.push(waiting);
            return;
        }
        if waiting.end {
            self.end(id);
        }
        let stream = id.into();
        Record::Open { stream }.write(out);
    }

    /// Nothing more is sent on a stream.
    fn forget(&mut self, id: StreamId) {
        self.waiting.retain(|one| one.stream != id);
    }
}

/// The id of a stream of this client.
fn stream_id(id: u64) -> StreamId {
    let dir = if id & 2 == 0 { Dir::Bi } else { Dir::Uni };
    StreamId::new(Side::Client, dir, id >> 2)
}

fn var_int(code: u64) -> VarInt {
    VarInt::from_u64(code).unwrap_or(VarInt::MAX)
}
