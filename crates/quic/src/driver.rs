//! The driver: UDP sockets below, connections of QUIC above. For each connection:
//!
//! ```text
//! open          ─►  the first packet leaves
//! datagrams     ─►  Connected (the handshake is complete), Received (records), Ended, Failed
//! send_bytes    ─►  records to streams, and what they give to be sent
//! wait          ─►  what is left to be sent: acknowledgements; then timers of QUIC
//! ```

mod packets;

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use driver::{Clock, Datagrams, Driver, Event, Fault, Handshakes, Nanos, Route, Udp, What};
use quinn_proto::crypto::rustls::QuicClientConfig;
use quinn_proto::{
    ClientConfig, ConnectionError, Endpoint, EndpointConfig, EndpointEvent, TransportConfig, VarInt,
};
use secure::TlsSettings;
use wire::h3::MOST_INCOMING;

use crate::link::{Link, NO_ERROR, Turn};
use crate::timers::Timers;
use crate::words::describe;

/// Size of the buffer for received datagrams: most that one call returns.
const BUFFER: usize = 64 * 1024;
/// Bytes that a connection has under way, or keeps to be sent.
const SEND_WINDOW: u64 = 1 << 20;
/// Streams that are opened ahead at least.
const LEAST_AHEAD: u64 = 32;

/// The settings of QUIC.
#[derive(Clone, Copy, Debug)]
pub struct QuicSettings {
    /// Requests at once on a connection.
    pub streams: u32,
    /// Bytes that the server may send on a stream, and on a connection, before they are read.
    pub window: u32,
    pub connection_window: u32,
    /// Seed of what has to differ between runs, such as the ids of connections; `None`: that of the system.
    pub seed: Option<[u8; 32]>,
}

/// Connections of QUIC.
pub struct Quic {
    udp: Udp,
    endpoint: Endpoint,
    config: ClientConfig,
    name: String,
    streams: u64,
    /// A time of both clocks.
    start: (Instant, Nanos),
    links: Vec<Option<Box<Link>>>,
    /// The slot of each handle.
    slots: Vec<u32>,
    timers: Timers,
    /// Events not returned yet, each with an explanation.
    events: VecDeque<(Event, String)>,
    /// Connections with something to be handled, and those with something to be sent.
    dirty: VecDeque<u32>,
    to_send: Vec<u32>,
    /// The records of the last turn.
    records: Vec<u8>,
    buffer: Box<[u8]>,
    outgoing: Vec<u8>,
    words: String,
    handshakes: Handshakes,
    counts: Datagrams,
}

impl Quic {
    /// Creates a driver with these settings.
    ///
    /// # Errors
    /// When the kernel provides no epoll instance, or the settings of TLS do not allow QUIC.
    pub fn new(clock: Clock, tls: &TlsSettings, settings: QuicSettings) -> io::Result<Self> {
        let crypto = QuicClientConfig::try_from(tls.for_quic()).map_err(io::Error::other)?;
        let mut transport = TransportConfig::default();
        transport
            .max_concurrent_bidi_streams(VarInt::from_u32(0))
            .max_concurrent_uni_streams(VarInt::from_u32(MOST_INCOMING))
            .stream_receive_window(settings.window.into())
            .receive_window(settings.connection_window.into())
            .send_window(SEND_WINDOW)
            .datagram_receive_buffer_size(None);
        let mut config = ClientConfig::new(Arc::new(crypto));
        config.transport_config(Arc::new(transport));
        let endpoint = EndpointConfig::default();
        let udp = Udp::new(clock)?;
        Ok(Self {
            start: (Instant::now(), udp.now()),
            udp,
            endpoint: Endpoint::new(Arc::new(endpoint), None, true, settings.seed),
            config,
            name: tls.server_name(),
            streams: (u64::from(settings.streams) * 2).max(LEAST_AHEAD),
            links: Vec::new(),
            slots: Vec::new(),
            timers: Timers::default(),
            events: VecDeque::new(),
            dirty: VecDeque::new(),
            to_send: Vec::new(),
            records: Vec::new(),
            buffer: vec![0; BUFFER].into(),
            outgoing: Vec::new(),
            words: String::new(),
            handshakes: Handshakes::default(),
            counts: Datagrams::default(),
        })
    }

    fn instant(&self, at: Nanos) -> Instant {
        self.start.0 + Duration::from_nanos(at.saturating_sub(self.start.1))
    }

    fn nanos(&self, at: Instant) -> Nanos {
        let passed = at.saturating_duration_since(self.start.0);
        self.start.1 + passed.as_nanos() as Nanos
    }

    fn link(&mut self, slot: u32) -> Option<&mut Link> {
        self.links.get_mut(slot as usize)?.as_deref_mut()
    }

    fn report(&mut self, slot: u32, what: What, words: String) {
        self.events.push_back((Event { slot, what }, words));
    }

    /// A connection has something to be handled, and so perhaps something to be sent.
    fn mark(&mut self, slot: u32) {
        let Some(link) = self.link(slot) else {
            return;
        };
        if !std::mem::replace(&mut link.is_dirty, true) {
            self.dirty.push_back(slot);
        }
    }

    /// A connection may have something to be sent.
    fn mark_to_send(&mut self, slot: u32) {
        let Some(link) = self.link(slot) else {
            return;
        };
        if !std::mem::replace(&mut link.is_to_send, true) {
            self.to_send.push(slot);
        }
    }

    /// A connection failed below QUIC.
    fn fail(&mut self, slot: u32, fault: Fault, words: String) {
        if let Some(link) = self.link(slot)
            && !std::mem::replace(&mut link.is_lost, true)
        {
            self.report(slot, What::Failed(fault), words);
        }
    }

    /// Handles what has happened on a connection, and queues its events.
    fn turn(&mut self, slot: u32) {
        let Some(Some(link)) = self.links.get_mut(slot as usize) else {
            return;
        };
        link.is_dirty = false;
        self.records.clear();
        self.words.clear();
        let was_blocked = !link.blocked.is_empty();
        let Turn { connected, lost } = link.turn(&mut self.records);
        while let Some(event) = link.connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(link.handle, event) {
                link.connection.handle_event(event);
            }
        }
        if connected {
            self.handshakes.full += 1;
            self.handshakes.version = "1.3";
            self.report(slot, What::Connected, String::new());
        }
        if !self.records.is_empty() {
            self.report(slot, What::Received, String::new());
        }
        if was_blocked {
            self.report(slot, What::Sent, String::new());
        }
        match lost {
            Some(ConnectionError::ApplicationClosed(_)) if self.is_open(slot) => {
                self.report(slot, What::Ended, String::new());
            }
            Some(ConnectionError::LocallyClosed) | None => {}
            Some(reason) => {
                let (fault, words) = describe(&reason);
                self.fail(slot, fault, words);
            }
        }
        self.mark_to_send(slot);
    }

    fn is_open(&mut self, slot: u32) -> bool {
        self.link(slot).is_some_and(|link| link.is_open)
    }

    /// Adds the counts of a connection that is closed.
    fn count(&mut self, link: &Link) {
        let path = link.connection.stats().path;
        self.counts.packets_sent += path.sent_packets;
        self.counts.packets_lost += path.lost_packets;
        if link.is_open {
            let min = path.min_rtt.as_nanos() as u64;
            self.counts.paths += 1;
            self.counts.rtt_sum_ns += path.rtt.as_nanos() as u64;
            self.counts.min_rtt_ns =
                Some(self.counts.min_rtt_ns.map_or(min, |least| least.min(min)));
        }
    }

    fn connect(&mut self, slot: u32, remote: SocketAddr) -> Result<(), Fault> {
        let now = self.instant(self.udp.now());
        let connected = self
            .endpoint
            .connect(now, self.config.clone(), remote, &self.name);
        // Its errors are those of settings, which are checked before.
        let (handle, connection) = connected.map_err(|_| Fault::Other(0))?;
        if handle.0 >= self.slots.len() {
            self.slots.resize(handle.0 + 1, 0);
        }
        self.slots[handle.0] = slot;
        let link = Link::new(handle, connection, remote, self.streams);
        let index = slot as usize;
        if index >= self.links.len() {
            self.links.resize_with(index + 1, || None);
        }
        self.links[index] = Some(Box::new(link));
        self.transmit(slot);
        Ok(())
    }
}

impl Driver for Quic {
    #[inline]
    fn now(&self) -> Nanos {
        self.udp.now()
    }

    fn open(&mut self, slot: u32, route: &Route) -> Result<(), Fault> {
        let remote = self.udp.open(slot, route)?;
        self.connect(slot, remote)
            .inspect_err(|_| self.udp.close(slot))
    }

    /// Plans over QUIC have an empty script.
    fn send(&mut self, _slot: u32, _from: usize, _to: usize) {}

    fn send_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>) {
        let now = self.instant(self.udp.now());
        if let Some(link) = self.link(slot) {
            if link.send(bytes, now) {
                self.mark(slot);
            }
            self.transmit(slot);
        }
        bytes.clear();
    }

    #[inline]
    fn sending(&self, slot: u32) -> bool {
        let link = self.links.get(slot as usize);
        link.is_some_and(|link| link.as_ref().is_some_and(|link| !link.blocked.is_empty()))
    }

    fn close(&mut self, slot: u32) {
        let now = self.instant(self.udp.now());
        if let Some(link) = self.link(slot) {
            if !link.connection.is_closed() {
                let code = VarInt::from_u32(NO_ERROR);
                link.connection.close(now, code, Bytes::new());
            }
            self.transmit(slot);
            if let Some(link) = self.links[slot as usize].take() {
                self.count(&link);
                // A closed connection waits for nothing here: its socket is gone.
                let gone = EndpointEvent::drained();
                let _ = self.endpoint.handle_event(link.handle, gone);
            }
        }
        self.udp.close(slot);
        self.events.retain(|(event, _)| event.slot != slot);
    }

    fn wait(&mut self, until: Nanos) -> io::Result<()> {
        self.flush();
        self.expire();
        let is_busy = !self.events.is_empty() || !self.dirty.is_empty();
        let until = if is_busy {
            0
        } else {
            until.min(self.timers.next())
        };
        self.udp.wait(until)?;
        self.expire();
        Ok(())
    }

    fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((event, words)) = self.events.pop_front() {
                self.words = words;
                return Some(event);
            }
            if let Some(slot) = self.dirty.pop_front() {
                self.turn(slot);
                continue;
            }
            let (slot, ready) = self.udp.next_ready()?;
            if ready.writable && self.link(slot).is_some_and(|link| link.held.is_some()) {
                self.transmit(slot);
            }
            if ready.readable && self.receive(slot) {
                self.udp.put_back(ready);
            }
        }
    }

    fn received(&self) -> &[u8] {
        &self.records
    }

    fn words(&self) -> Option<&str> {
        (!self.words.is_empty()).then_some(&self.words)
    }

    fn handshakes(&self) -> Option<&Handshakes> {
        Some(&self.handshakes)
    }

    fn datagrams(&self) -> Option<&Datagrams> {
        Some(&self.counts)
    }
}
