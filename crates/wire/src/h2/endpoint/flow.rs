//! Data and its windows (RFC 9113 §5.2, §6.9), of each stream and of the connection.
//!
//! - Data counts as consumed when it comes. A window is opened again when half of it is used, so that one frame answers many;
//!   padding and the data of ended streams count, too.
//! - A window for sending may fall below zero, after a smaller setting (§6.9.2). Above 2^31 - 1 it is an error.

use crate::h2::endpoint::{Endpoint, Signal};
use crate::h2::fault::{Fault, Malformed};
use crate::h2::frame::{self, MOST_WINDOW};
use crate::h2::frame_reader::DataPiece;
use crate::h2::settings::{INITIAL_WINDOW, Settings};
use crate::h2::streams::Stream;

impl Endpoint {
    #[inline]
    pub(super) fn data<'a>(&mut self, piece: DataPiece<'a>) -> Result<Option<Signal<'a>>, Fault> {
        let found = self.streams.find(piece.stream);
        if let Some(length) = piece.begins {
            self.receive_on_connection(length, piece.is_last)?;
            if found.is_none() {
                self.ended(piece.stream)?;
            }
        }
        let DataPiece {
            mut data, mut end, ..
        } = piece;
        if data.is_empty() && !end {
            self.idle("DATA without data")?;
        } else {
            self.idle_frames = 0;
        }
        let most = self.most_received(self.options.window);
        let Some((stream, lane)) =
            found.and_then(|stream| Some((stream, self.streams.get(stream)?)))
        else {
            return Ok(None);
        };
        if !lane.is_receiving {
            return Err(Fault::StreamClosed);
        }
        if let Some(length) = piece.begins {
            lane.received.add(length);
            if lane.received.exceeds(most) {
                return Err(Fault::FlowControl("a stream got more data than its window"));
            }
            if !piece.is_last {
                let window = self.options.window;
                self.used_up += u64::from(lane.received.is_used_up(length, window));
                if let Some(increment) = lane.received.widen(window) {
                    frame::window(&mut self.out, stream.id, increment);
                }
            }
        }
        if !lane.has_head {
            return Ok(Some(self.malformed(stream, Malformed::Order)));
        }
        if let Some(left) = &mut lane.left {
            if let Some(rest) = left.checked_sub(data.len() as u64) {
                *left = rest;
            } else {
                // The body ends here, and what is left tells that its length is wrong.
                (data, end, *left) = (&data[..*left as usize], true, u64::MAX);
            }
        }
        if data.is_empty() && !end {
            return Ok(None);
        }
        Ok(Some(Signal::Data { stream, data, end }))
    }

    /// Counts a payload for the window of the connection.
    #[inline]
    fn receive_on_connection(&mut self, length: u32, is_last: bool) -> Result<(), Fault> {
        let window = self.options.connection_window.max(INITIAL_WINDOW);
        self.received.add(length);
        if self.received.exceeds(window) {
            return Err(Fault::FlowControl(
                "the connection got more data than its window",
            ));
        }
        self.used_up += u64::from(self.received.is_used_up(length, window) && !is_last);
        if let Some(increment) = self.received.widen(window) {
            frame::window(&mut self.out, 0, increment);
        }
        Ok(())
    }

    /// Most bytes that the peer may have sent on a stream: it does not know our window yet.
    #[inline]
    fn most_received(&self, window: u32) -> u32 {
        if self.is_acknowledged {
            window
        } else {
            window.max(INITIAL_WINDOW)
        }
    }

    /// Applies new settings to what depends on them.
    pub(super) fn resize(&mut self, before: Settings) -> Result<(), Fault> {
        if self.peer.header_table < self.table {
            self.table = 0;
            self.announces = true;
        }
        let initial = self.peer.initial_window;
        let exceeds = |window: i64| window > i64::from(MOST_WINDOW);
        if initial > before.initial_window
            && self
                .streams
                .all()
                .any(|(_, lane)| exceeds(lane.window(initial)))
        {
            return Err(Fault::FlowControl(
                "SETTINGS widened a window above 2^31 - 1 bytes",
            ));
        }
        Ok(())
    }

    pub(super) fn widen(
        &mut self,
        id: u32,
        increment: u32,
    ) -> Result<Option<Signal<'static>>, Fault> {
        self.idle("WINDOW_UPDATE")?;
        if id == 0 {
            if increment == 0 {
                return Err(Fault::Protocol(
                    "the window of the connection was widened by 0 bytes",
                ));
            }
            self.window += i64::from(increment);
            if self.window > i64::from(MOST_WINDOW) {
                return Err(Fault::FlowControl(
                    "the connection has a window above 2^31 - 1 bytes",
                ));
            }
            return Ok(Some(Signal::Opened(None)));
        }
        let initial = self.peer.initial_window;
        let Some(stream) = self.streams.find(id) else {
            return self.known(id).map(|()| None);
        };
        let Some(lane) = self.streams.get(stream) else {
            return Ok(None);
        };
        Ok(Some(if increment == 0 {
            self.malformed(stream, Malformed::Increment)
        } else if lane.widen(increment, initial) {
            Signal::Opened(Some(stream))
        } else {
            self.malformed(stream, Malformed::Window)
        }))
    }

    /// Bytes that the windows allow to send on a stream.
    pub(crate) fn room(&mut self, stream: Stream) -> usize {
        let initial = self.peer.initial_window;
        let of_connection = self.window;
        let lane = self.streams.get(stream).filter(|lane| lane.is_sending);
        lane.map_or(0, |lane| {
            lane.window(initial).min(of_connection).max(0) as usize
        })
    }

    /// Appends as much of `body` as the windows allow. Returns its length. `end`: it ends the message, once all of it is taken.
    pub(crate) fn send(&mut self, stream: Stream, body: &[u8], end: bool) -> usize {
        let taken = body.len().min(self.room(stream));
        let Some(lane) = self.streams.get(stream).filter(|lane| lane.is_sending) else {
            return 0;
        };
        let end = end && taken == body.len();
        let mut rest = &body[..taken];
        while !rest.is_empty() || end && lane.is_sending {
            let (part, after) = rest.split_at(rest.len().min(self.peer.max_frame as usize));
            rest = after;
            lane.is_sending = !(end && rest.is_empty());
            frame::data(&mut self.out, stream.id, part, !lane.is_sending);
        }
        if taken > 0 {
            let used = i64::try_from(taken).unwrap_or(i64::MAX);
            lane.credit -= used;
            self.window -= used;
            self.idle_frames = 0;
        }
        taken
    }
}
