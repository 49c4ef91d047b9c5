//! A driver that adds TLS to another driver. For each connection:
//!
//! ```text
//! inner event      events of this driver
//! Connected   ─►   Reached, then the handshake; through a proxy, first CONNECT and its answer
//! Received    ─►   Connected (the handshake is complete), Received (plaintext), Ended (close_notify)
//! Sent        ─►   the next piece of a long request; Sent, after the last one
//! Ended       ─►   Cut, without an earlier close_notify (RFC 9112 §9.8)
//! ```
//! An inner event may lead to several events, which are queued and returned one by one.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use driver::{Driver, Event, Fault, Handshakes, Nanos, Route, SendQueue, What};
use rustls::client::ClientConfig;
use rustls::pki_types::ServerName;
use rustls::{Error, HandshakeKind, ProtocolVersion};
use wire::Reader;

use crate::session::{Buffers, Progress, Session, describe};
use crate::settings::TlsSettings;
use crate::tunnel::{Answer, read_answer};

/// Size of the pieces in which a request is encrypted, as fast as the kernel takes them: four records.
const PIECE: usize = 64 * 1024;

/// TLS over another driver.
pub struct Secure<D> {
    inner: D,
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    tunnel: Option<Vec<u8>>,
    script: Arc<[u8]>,
    phases: Vec<Option<Phase>>,
    buffers: Buffers,
    /// Events not returned yet.
    events: VecDeque<Event>,
    /// The connection whose last handshake message is still in the buffers, to be sent with its first request.
    buffered_handshake: Option<u32>,
    words: String,
    handshakes: Handshakes,
}

/// The phase of a connection.
enum Phase {
    /// The peer's kernel has not answered yet.
    Connecting,
    /// CONNECT was sent to a proxy.
    Tunnel(Box<Reader>),
    /// TLS: handshake or open.
    Tls(Box<Tls>),
}

struct Tls {
    session: Session,
    open: bool,
    /// The pieces that are still to be encrypted. They wait only while an earlier piece is being sent.
    queue: SendQueue,
}

impl<D: Driver> Secure<D> {
    /// Creates a driver that sends ranges of `script` with these settings.
    pub fn new(inner: D, settings: &TlsSettings, script: Arc<[u8]>) -> Self {
        Self {
            inner,
            config: settings.config(),
            name: settings.name.clone(),
            tunnel: settings.tunnel.clone(),
            script,
            phases: Vec::new(),
            buffers: Buffers::default(),
            events: VecDeque::new(),
            buffered_handshake: None,
            words: String::new(),
            handshakes: Handshakes::default(),
        }
    }

    /// The protocol that the server of an open connection chose (ALPN), if it did.
    pub fn protocol(&self, slot: u32) -> Option<&[u8]> {
        match self.phases[slot as usize].as_ref()? {
            Phase::Tls(tls) => tls.session.negotiated().alpn_protocol(),
            Phase::Connecting | Phase::Tunnel(_) => None,
        }
    }

    /// Handles an event of the inner driver.
    fn handle(&mut self, event: Event) {
        self.buffers.plain.clear();
        self.words.clear();
        match event.what {
            What::Connected => self.on_connected(event.slot),
            What::Received => self.on_received(event.slot),
            What::Sent => {
                self.send_rest(event.slot);
                if !self.inner.sending(event.slot) {
                    self.events.push_back(event);
                }
            }
            What::Ended => self.on_ended(event.slot),
            What::Reached | What::Cut | What::Failed(_) => self.events.push_back(event),
        }
    }

    fn report(&mut self, slot: u32, what: What) {
        self.events.push_back(Event { slot, what });
    }

    fn fail(&mut self, slot: u32, fault: Fault, words: String) {
        self.words = words;
        self.report(slot, What::Failed(fault));
    }

    /// Fails a connection on which nothing can be sent any more.
    fn fail_sending(&mut self, slot: u32, error: &Error) {
        self.buffers.outgoing.clear();
        self.fail(slot, Fault::Tls, describe(error));
    }

    /// The server has accepted the connection, or the proxy has.
    fn on_connected(&mut self, slot: u32) {
        let Some(tunnel) = &self.tunnel else {
            self.begin_handshake(slot, &[]);
            return;
        };
        self.inner.send_bytes(slot, &mut tunnel.clone());
        self.phases[slot as usize] = Some(Phase::Tunnel(Box::default()));
    }

    /// Starts the handshake. `bytes`: received already.
    fn begin_handshake(&mut self, slot: u32, bytes: &[u8]) {
        self.report(slot, What::Reached);
        match Session::new(Arc::clone(&self.config), self.name.clone()) {
            Ok(session) => {
                let tls = Tls {
                    session,
                    open: false,
                    queue: SendQueue::default(),
                };
                self.phases[slot as usize] = Some(Phase::Tls(Box::new(tls)));
                self.decrypt(slot, bytes);
            }
            Err(error) => self.fail(slot, Fault::Tls, describe(&error)),
        }
    }

    fn on_received(&mut self, slot: u32) {
        match &mut self.phases[slot as usize] {
            Some(Phase::Tunnel(reader)) => match read_answer(reader, self.inner.received()) {
                Answer::More => {}
                Answer::Open(used) => {
                    let rest = self.inner.received()[used..].to_vec();
                    self.begin_handshake(slot, &rest);
                }
                Answer::Closed(fault, words) => self.fail(slot, fault, words),
            },
            Some(Phase::Tls(tls)) => {
                let progress = tls.session.take(self.inner.received(), &mut self.buffers);
                self.report_progress(slot, progress);
            }
            Some(Phase::Connecting) | None => {}
        }
    }

    fn decrypt(&mut self, slot: u32, bytes: &[u8]) {
        if let Some(Phase::Tls(tls)) = &mut self.phases[slot as usize] {
            let progress = tls.session.take(bytes, &mut self.buffers);
            self.report_progress(slot, progress);
        }
    }

    /// Reports the result of received bytes, and sends the answer.
    fn report_progress(&mut self, slot: u32, progress: Result<Progress, Error>) {
        let opened =
            progress.as_ref().is_ok_and(|progress| progress.open) && self.record_handshake(slot);
        if opened {
            self.buffered_handshake = Some(slot);
            self.report(slot, What::Connected);
        } else if !self.buffers.outgoing.is_empty() {
            self.inner.send_bytes(slot, &mut self.buffers.outgoing);
        }
        if !self.buffers.plain.is_empty() {
            self.report(slot, What::Received);
        }
        match progress {
            Ok(progress) if progress.ended => self.report(slot, What::Ended),
            Ok(_) => {}
            Err(error) => self.fail(slot, Fault::Tls, describe(&error)),
        }
    }

    /// True if the connection is newly open. Records its handshake.
    fn record_handshake(&mut self, slot: u32) -> bool {
        let Some(Phase::Tls(tls)) = &mut self.phases[slot as usize] else {
            return false;
        };
        if std::mem::replace(&mut tls.open, true) {
            return false;
        }
        let negotiated = tls.session.negotiated();
        if negotiated.handshake_kind() == Some(HandshakeKind::Resumed) {
            self.handshakes.resumed += 1;
        } else {
            self.handshakes.full += 1;
        }
        if self.handshakes.version.is_empty() {
            self.handshakes.version = match negotiated.protocol_version() {
                Some(ProtocolVersion::TLSv1_3) => "1.3",
                _ => "1.2",
            };
            let suite = negotiated.negotiated_cipher_suite();
            // The names in rustls for TLS 1.3 have an extra 13.
            self.handshakes.cipher = suite.map_or_else(String::new, |suite| {
                format!("{:?}", suite.suite()).replacen("TLS13_", "TLS_", 1)
            });
        }
        true
    }

    /// The inner connection ended: without `close_notify`, or before TLS was open.
    fn on_ended(&mut self, slot: u32) {
        let (what, words) = match &self.phases[slot as usize] {
            Some(Phase::Tunnel(_)) => (
                What::Ended,
                "the proxy closed the connection before answering CONNECT",
            ),
            Some(Phase::Tls(tls)) if tls.open => (What::Cut, ""),
            Some(Phase::Tls(_)) => (
                What::Ended,
                "the server closed the connection during the TLS handshake",
            ),
            Some(Phase::Connecting) | None => (What::Ended, ""),
        };
        words.clone_into(&mut self.words);
        self.report(slot, what);
    }

    /// Encrypts and sends what waits, as much as the kernel takes at once.
    fn send_rest(&mut self, slot: u32) {
        while let Some(Phase::Tls(tls)) = &mut self.phases[slot as usize] {
            let Some(rest) = tls.queue.front(&self.script) else {
                return;
            };
            let length = rest.len().min(PIECE);
            let plain = &rest[..length];
            let encrypted = tls.session.encrypt(plain, &mut self.buffers.outgoing);
            tls.queue.advance(length);
            let failed = encrypted.is_err();
            self.send_encrypted(slot, encrypted);
            if failed || self.inner.sending(slot) {
                return;
            }
        }
    }

    /// Sends the last handshake message of a connection that got no request.
    fn flush_handshake(&mut self) {
        if let Some(slot) = self.buffered_handshake.take() {
            self.inner.send_bytes(slot, &mut self.buffers.outgoing);
        }
    }

    /// Something is sent on a connection. Its last handshake message leaves with that; another's leaves before.
    #[inline]
    fn join_handshake(&mut self, slot: u32) {
        if self.buffered_handshake == Some(slot) {
            self.buffered_handshake = None;
        } else {
            self.flush_handshake();
        }
    }

    fn send_encrypted(&mut self, slot: u32, encrypted: Result<(), Error>) {
        match encrypted {
            Ok(()) => self.inner.send_bytes(slot, &mut self.buffers.outgoing),
            Err(error) => self.fail_sending(slot, &error),
        }
    }
}

impl<D: Driver> Driver for Secure<D> {
    #[inline]
    fn now(&self) -> Nanos {
        self.inner.now()
    }

    fn open(&mut self, slot: u32, route: &Route) -> Result<(), Fault> {
        self.inner.open(slot, route)?;
        let index = slot as usize;
        if index >= self.phases.len() {
            self.phases.resize_with(index + 1, || None);
        }
        self.phases[index] = Some(Phase::Connecting);
        Ok(())
    }

    fn send(&mut self, slot: u32, from: usize, to: usize) {
        self.join_handshake(slot);
        let Some(Phase::Tls(tls)) = &mut self.phases[slot as usize] else {
            return;
        };
        let waits = !tls.queue.is_empty();
        if !waits && to - from <= PIECE {
            let plain = &self.script[from..to];
            let encrypted = tls.session.encrypt(plain, &mut self.buffers.outgoing);
            return self.send_encrypted(slot, encrypted);
        }
        tls.queue.push_script(from, to);
        if !waits {
            self.send_rest(slot);
        }
    }

    fn send_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>) {
        self.join_handshake(slot);
        if let Some(Phase::Tls(tls)) = &mut self.phases[slot as usize] {
            if tls.queue.is_empty() {
                let encrypted = tls.session.encrypt(bytes, &mut self.buffers.outgoing);
                self.send_encrypted(slot, encrypted);
            } else {
                tls.queue.push_bytes(bytes, 0);
            }
        }
        bytes.clear();
    }

    #[inline]
    fn sending(&self, slot: u32) -> bool {
        self.inner.sending(slot)
    }

    fn close(&mut self, slot: u32) {
        if self.buffered_handshake == Some(slot) {
            self.buffered_handshake = None;
            self.buffers.outgoing.clear();
        }
        self.events.retain(|event| event.slot != slot);
        if let Some(phase) = self.phases.get_mut(slot as usize) {
            *phase = None;
        }
        self.inner.close(slot);
    }

    fn wait(&mut self, until: Nanos) -> io::Result<()> {
        self.flush_handshake();
        let until = if self.events.is_empty() { until } else { 0 };
        self.inner.wait(until)
    }

    fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            self.flush_handshake();
            let event = self.inner.next()?;
            self.handle(event);
        }
    }

    fn received(&self) -> &[u8] {
        &self.buffers.plain
    }

    fn received_at(&self) -> Option<Nanos> {
        self.inner.received_at()
    }

    fn left_at(&mut self, slot: u32) -> Option<Nanos> {
        self.inner.left_at(slot)
    }

    fn words(&self) -> Option<&str> {
        (!self.words.is_empty()).then_some(&self.words)
    }

    fn handshakes(&self) -> Option<&Handshakes> {
        Some(&self.handshakes)
    }
}
