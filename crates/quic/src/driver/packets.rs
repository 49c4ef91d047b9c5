//! Datagrams in and out, and the timers of connections.

use bytes::BytesMut;
use driver::Fault;
use quinn_proto::DatagramEvent;

use crate::driver::Quic;

/// Most calls that receive for one connection before others have their turn.
const MOST_RECEIVES: usize = 16;
/// Most datagrams that one call sends.
const MOST_DATAGRAMS: usize = 10;

impl Quic {
    /// The network reported an error on a socket.
    pub(super) fn fail_socket(&mut self, slot: u32, fault: Fault) {
        let words = match fault {
            Fault::Refused => "nothing listens on this port of UDP".into(),
            _ => fault.describe(),
        };
        self.fail(slot, fault, words);
    }

    /// Receives what has come for a socket; returns true if there may be more.
    pub(super) fn receive(&mut self, slot: u32) -> bool {
        for _ in 0..MOST_RECEIVES {
            match self.udp.receive(slot, &mut self.buffer) {
                Ok(None) => return false,
                Ok(Some(received)) => {
                    self.counts.receives += 1;
                    self.take(slot, received.length, received.segment);
                }
                Err(fault) => {
                    self.fail_socket(slot, fault);
                    return false;
                }
            }
        }
        true
    }

    /// Passes datagrams in the buffer to their connection.
    pub(super) fn take(&mut self, slot: u32, length: usize, segment: usize) {
        let Some(remote) = self.link(slot).map(|link| link.remote) else {
            return;
        };
        let now = self.instant(self.udp.now());
        for at in (0..length).step_by(segment) {
            self.counts.received += 1;
            let datagram = BytesMut::from(&self.buffer[at..length.min(at + segment)]);
            self.outgoing.clear();
            // Answers to what belongs to no connection, such as a stateless reset, are not sent.
            let event = self
                .endpoint
                .handle(now, remote, None, None, datagram, &mut self.outgoing);
            if let Some(DatagramEvent::ConnectionEvent(handle, event)) = event {
                let slot = self.slots[handle.0];
                if let Some(link) = self.link(slot) {
                    link.connection.handle_event(event);
                    self.mark(slot);
                }
            }
        }
    }

    /// Sends what a connection has to send, and sets its timer.
    pub(super) fn transmit(&mut self, slot: u32) {
        let now = self.instant(self.udp.now());
        let Some(Some(link)) = self.links.get_mut(slot as usize) else {
            return;
        };
        link.is_to_send = false;
        let mut fault = None;
        loop {
            let held = link.held.take();
            let (bytes, segment) = if let Some((bytes, segment)) = held {
                (bytes, segment)
            } else {
                let mut bytes = std::mem::take(&mut self.outgoing);
                bytes.clear();
                let transmit = link
                    .connection
                    .poll_transmit(now, MOST_DATAGRAMS, &mut bytes);
                let Some(transmit) = transmit else {
                    self.outgoing = bytes;
                    break;
                };
                bytes.truncate(transmit.size);
                (bytes, transmit.segment_size.unwrap_or(transmit.size))
            };
            match self.udp.send(slot, &bytes, segment) {
                Ok(Some(calls)) => {
                    self.counts.sends += calls;
                    self.counts.sent += bytes.len().div_ceil(segment.max(1)) as u64;
                    self.outgoing = bytes;
                }
                Ok(None) => {
                    link.held = Some((bytes, segment));
                    break;
                }
                Err(failed) => {
                    self.outgoing = bytes;
                    fault = Some(failed);
                    break;
                }
            }
        }
        if let Some(at) = link.connection.poll_timeout() {
            let at = self.nanos(at);
            self.timers.set(slot, at);
        }
        if let Some(fault) = fault {
            self.fail_socket(slot, fault);
        }
    }

    /// Sends what is left to be sent.
    pub(super) fn flush(&mut self) {
        while let Some(slot) = self.to_send.pop() {
            self.transmit(slot);
        }
    }

    /// Handles the timers whose time has come.
    pub(super) fn expire(&mut self) {
        let now = self.udp.now();
        let instant = self.instant(now);
        while let Some(slot) = self.timers.pop(now) {
            let Some(link) = self.link(slot) else {
                continue;
            };
            match link.connection.poll_timeout() {
                Some(at) if at <= instant => {
                    link.connection.handle_timeout(instant);
                    self.mark(slot);
                    self.mark_to_send(slot);
                }
                Some(at) => {
                    // At least a nanosecond later, so that rounding makes no endless loop.
                    let at = self.nanos(at).max(now + 1);
                    self.timers.set(slot, at);
                }
                None => {}
            }
        }
    }
}
