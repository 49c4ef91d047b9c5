//! A driver that speaks TLS, over one that moves bytes. What is said of each event holds for one connection.
//!
//! ```text
//! inner            this
//! Connected   ─►   Reached, then the handshake begins; through a proxy, CONNECT and its answer come before
//! Received    ─►   Connected (the handshake is complete), Received (plaintext), Ended (close_notify)
//! Sent        ─►   the next piece of a long request
//! Ended       ─►   Cut, where no close_notify came before (RFC 9112 §9.8)
//! ```
//! One event of the inner driver may mean several: they are told before the next one is asked for.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use driver::{Driver, Event, Fault, Handshakes, Nanos, Route, What};
use rustls::client::ClientConfig;
use rustls::pki_types::ServerName;
use rustls::{CertificateError, Error, HandshakeKind, ProtocolVersion};
use wire::Reader;

use crate::session::{Desk, Session, Step};
use crate::terms::Terms;
use crate::tunnel::{Answer, answer};

/// A request is encrypted piece by piece, as fast as the kernel takes it: four records.
const PIECE: usize = 64 * 1024;

/// TLS over another driver.
pub struct Secure<D> {
    inner: D,
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    tunnel: Option<Vec<u8>>,
    script: Arc<[u8]>,
    links: Vec<Option<Link>>,
    desk: Desk,
    /// What the last event of the inner driver came to, as far as it has not been told.
    told: VecDeque<Event>,
    /// The connection whose last words of the handshake wait on the desk, to go out with its first request.
    held: Option<u32>,
    words: String,
    handshakes: Handshakes,
}

/// How far a connection is.
enum Link {
    /// There is no answer of the peer's kernel yet.
    Connecting,
    /// A proxy was asked for a way.
    Tunnel(Box<Reader>),
    /// TLS is spoken.
    Speaking(Box<Speaking>),
}

struct Speaking {
    session: Session,
    open: bool,
    /// What of the script is still to be encrypted: from, to.
    rest: (usize, usize),
}

impl<D: Driver> Secure<D> {
    /// A driver that sends ranges of `script` on these terms.
    pub fn new(inner: D, terms: &Terms, script: Arc<[u8]>) -> Self {
        Self {
            inner,
            config: terms.config(),
            name: terms.name.clone(),
            tunnel: terms.tunnel.clone(),
            script,
            links: Vec::new(),
            desk: Desk::default(),
            told: VecDeque::new(),
            held: None,
            words: String::new(),
            handshakes: Handshakes::default(),
        }
    }

    /// Takes one event of the inner driver.
    fn take(&mut self, event: Event) {
        self.desk.plain.clear();
        self.words.clear();
        match event.what {
            What::Connected => self.reached(event.slot),
            What::Received => self.heard(event.slot),
            What::Sent => self.send_rest(event.slot),
            What::Ended => self.cut(event.slot),
            What::Reached | What::Cut | What::Failed(_) => self.told.push_back(event),
        }
    }

    fn tell(&mut self, slot: u32, what: What) {
        self.told.push_back(Event { slot, what });
    }

    fn fail(&mut self, slot: u32, fault: Fault, words: String) {
        self.words = words;
        self.tell(slot, What::Failed(fault));
    }

    /// A connection cannot be sent anything any more.
    fn mute(&mut self, slot: u32, error: &Error) {
        self.desk.outgoing.clear();
        self.fail(slot, Fault::Tls, describe(error));
    }

    /// The server is there, or the proxy that leads to it.
    fn reached(&mut self, slot: u32) {
        let Some(tunnel) = &self.tunnel else {
            self.begin(slot, &[]);
            return;
        };
        self.inner.send_bytes(slot, &mut tunnel.clone());
        self.links[slot as usize] = Some(Link::Tunnel(Box::default()));
    }

    /// The handshake begins; `bytes` came already.
    fn begin(&mut self, slot: u32, bytes: &[u8]) {
        self.tell(slot, What::Reached);
        match Session::new(Arc::clone(&self.config), self.name.clone()) {
            Ok(session) => {
                let speaking = Speaking {
                    session,
                    open: false,
                    rest: (0, 0),
                };
                self.links[slot as usize] = Some(Link::Speaking(Box::new(speaking)));
                self.speak(slot, bytes);
            }
            Err(error) => self.fail(slot, Fault::Tls, describe(&error)),
        }
    }

    fn heard(&mut self, slot: u32) {
        match &mut self.links[slot as usize] {
            Some(Link::Tunnel(reader)) => match answer(reader, self.inner.received()) {
                Answer::More => {}
                Answer::Open(used) => {
                    let rest = self.inner.received()[used..].to_vec();
                    self.begin(slot, &rest);
                }
                Answer::Closed(fault, words) => self.fail(slot, fault, words),
            },
            Some(Link::Speaking(speaking)) => {
                let step = speaking.session.take(self.inner.received(), &mut self.desk);
                self.went(slot, step);
            }
            Some(Link::Connecting) | None => {}
        }
    }

    fn speak(&mut self, slot: u32, bytes: &[u8]) {
        if let Some(Link::Speaking(speaking)) = &mut self.links[slot as usize] {
            let step = speaking.session.take(bytes, &mut self.desk);
            self.went(slot, step);
        }
    }

    /// Tells what bytes of the peer came to, and sends what they ask for.
    fn went(&mut self, slot: u32, step: Result<Step, Error>) {
        let opened = step.as_ref().is_ok_and(|step| step.open) && self.opens(slot);
        if opened {
            self.held = Some(slot);
            self.tell(slot, What::Connected);
        } else if !self.desk.outgoing.is_empty() {
            self.inner.send_bytes(slot, &mut self.desk.outgoing);
        }
        if !self.desk.plain.is_empty() {
            self.tell(slot, What::Received);
        }
        match step {
            Ok(step) if step.ended => self.tell(slot, What::Ended),
            Ok(_) => {}
            Err(error) => self.fail(slot, Fault::Tls, describe(&error)),
        }
    }

    /// Whether a connection is open now that was not; writes down how.
    fn opens(&mut self, slot: u32) -> bool {
        let Some(Link::Speaking(speaking)) = &mut self.links[slot as usize] else {
            return false;
        };
        if std::mem::replace(&mut speaking.open, true) {
            return false;
        }
        let agreed = speaking.session.agreed();
        if agreed.handshake_kind() == Some(HandshakeKind::Resumed) {
            self.handshakes.resumed += 1;
        } else {
            self.handshakes.full += 1;
        }
        if self.handshakes.version.is_empty() {
            self.handshakes.version = match agreed.protocol_version() {
                Some(ProtocolVersion::TLSv1_3) => "1.3",
                _ => "1.2",
            };
            let suite = agreed.negotiated_cipher_suite();
            // rustls sets those of TLS 1.3 apart by a 13 that their registered names have not.
            self.handshakes.cipher = suite.map_or_else(String::new, |suite| {
                format!("{:?}", suite.suite()).replacen("TLS13_", "TLS_", 1)
            });
        }
        true
    }

    /// The connection ended without `close_notify`, or before there was any TLS to end.
    fn cut(&mut self, slot: u32) {
        let (what, words) = match &self.links[slot as usize] {
            Some(Link::Tunnel(_)) => (
                What::Ended,
                "the proxy closed the connection before it had answered CONNECT",
            ),
            Some(Link::Speaking(speaking)) if speaking.open => (What::Cut, ""),
            Some(Link::Speaking(_)) => (
                What::Ended,
                "the server closed the connection in the middle of the TLS handshake",
            ),
            Some(Link::Connecting) | None => (What::Ended, ""),
        };
        words.clone_into(&mut self.words);
        self.tell(slot, what);
    }

    /// Encrypts and sends what is left of a request, as far as the kernel takes it at once.
    fn send_rest(&mut self, slot: u32) {
        while let Some(Link::Speaking(speaking)) = &mut self.links[slot as usize] {
            let (from, to) = speaking.rest;
            if from == to {
                return;
            }
            let end = to.min(from + PIECE);
            speaking.rest.0 = end;
            let plain = &self.script[from..end];
            if let Err(error) = speaking.session.encrypt(plain, &mut self.desk.outgoing) {
                self.mute(slot, &error);
                return;
            }
            self.inner.send_bytes(slot, &mut self.desk.outgoing);
            if self.inner.sending(slot) {
                return;
            }
        }
    }

    /// Sends the last words of a handshake whose connection was given no request.
    fn let_go(&mut self) {
        if let Some(slot) = self.held.take() {
            self.inner.send_bytes(slot, &mut self.desk.outgoing);
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
        if index >= self.links.len() {
            self.links.resize_with(index + 1, || None);
        }
        self.links[index] = Some(Link::Connecting);
        Ok(())
    }

    fn send(&mut self, slot: u32, from: usize, to: usize) {
        if self.held == Some(slot) {
            self.held = None;
        } else {
            self.let_go();
        }
        if let Some(Link::Speaking(speaking)) = &mut self.links[slot as usize] {
            speaking.rest = (from, to);
        }
        self.send_rest(slot);
    }

    /// Bytes that are not in the script are sent on the same terms as those that are.
    fn send_bytes(&mut self, slot: u32, bytes: &mut Vec<u8>) {
        self.let_go();
        if let Some(Link::Speaking(speaking)) = &mut self.links[slot as usize] {
            match speaking.session.encrypt(bytes, &mut self.desk.outgoing) {
                Ok(()) => self.inner.send_bytes(slot, &mut self.desk.outgoing),
                Err(error) => self.mute(slot, &error),
            }
        }
        bytes.clear();
    }

    /// More of the script is left only while the piece before is on its way.
    #[inline]
    fn sending(&self, slot: u32) -> bool {
        self.inner.sending(slot)
    }

    fn close(&mut self, slot: u32) {
        if self.held == Some(slot) {
            self.held = None;
            self.desk.outgoing.clear();
        }
        self.told.retain(|event| event.slot != slot);
        if let Some(link) = self.links.get_mut(slot as usize) {
            *link = None;
        }
        self.inner.close(slot);
    }

    fn wait(&mut self, until: Nanos) -> io::Result<()> {
        self.let_go();
        let until = if self.told.is_empty() { until } else { 0 };
        self.inner.wait(until)
    }

    fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.told.pop_front() {
                return Some(event);
            }
            self.let_go();
            let event = self.inner.next()?;
            self.take(event);
        }
    }

    fn received(&self) -> &[u8] {
        &self.desk.plain
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

/// Why TLS could not be spoken, in words.
fn describe(error: &Error) -> String {
    let words = match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "nobody who is trusted here signed the server's certificate".into()
        }
        // What `openssl req -x509` makes; webpki has no class for it that rustls knows.
        Error::InvalidCertificate(why) if why.to_string().contains("CaUsedAsEndEntity") => {
            "the server's certificate is an authority's own, which only `--ca` can trust".into()
        }
        Error::InvalidCertificate(why) => format!("the server's certificate is refused: {why}"),
        Error::AlertReceived(alert) => format!("the server ended it with the alert {alert:?}"),
        Error::InvalidMessage(what) => format!("what the server sent is not TLS: {what:?}"),
        Error::PeerIncompatible(why) => {
            format!("the server and this client have no way in common: {why:?}")
        }
        other => other.to_string(),
    };
    format!("TLS: {words}")
}
