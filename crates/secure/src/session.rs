//! The TLS of one connection, from bytes to bytes: no socket, no clock.

use std::sync::Arc;

use rustls::client::{ClientConfig, ClientConnectionData, UnbufferedClientConnection};
use rustls::pki_types::ServerName;
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, UnbufferedStatus, WriteTraffic,
};
use rustls::{CommonState, Error};

/// Room for a record of a handshake; a larger one says so.
const HANDSHAKE_ROOM: usize = 1024;
/// Most plaintext of one record (RFC 8446 §5.1), and what a record adds to it, with room to spare.
const RECORD: usize = 16 * 1024;
const RECORD_ADDS: usize = 64;

/// One connection's TLS.
pub struct Session {
    tls: UnbufferedClientConnection,
    /// The beginning of a record whose end has not come.
    partial: Vec<u8>,
}

/// Where the bytes that came have led.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The handshake is complete: plaintext may be sent.
    pub open: bool,
    /// The peer said that it will send no more.
    pub ended: bool,
}

/// Buffers that all connections of a driver work in, one at a time.
#[derive(Debug, Default)]
pub struct Desk {
    incoming: Vec<u8>,
    /// What came, without TLS.
    pub plain: Vec<u8>,
    /// What is to be sent, with TLS.
    pub outgoing: Vec<u8>,
}

impl Session {
    /// A session that has said nothing yet; feeding it nothing gives its first bytes.
    pub fn new(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, Error> {
        Ok(Self {
            tls: UnbufferedClientConnection::new(config, name)?,
            partial: Vec::new(),
        })
    }

    /// Takes bytes of the peer. Plaintext, and what is to be sent in turn, is appended to the desk's; after an error
    /// too, for the peer is told of it.
    pub fn take(&mut self, bytes: &[u8], desk: &mut Desk) -> Result<Step, Error> {
        desk.incoming.clear();
        desk.incoming.append(&mut self.partial);
        desk.incoming.extend_from_slice(bytes);
        let mut used = 0;
        let mut step = Step::default();
        let answer = self.work(desk, &mut used, &mut step);
        self.partial.extend_from_slice(&desk.incoming[used..]);
        answer.map(|()| step)
    }

    /// Works through all whole records.
    fn work(&mut self, desk: &mut Desk, used: &mut usize, step: &mut Step) -> Result<(), Error> {
        loop {
            let UnbufferedStatus { discard, state } =
                self.tls.process_tls_records(&mut desk.incoming[*used..]);
            *used += discard;
            let error = match state {
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while let Some(record) = traffic.next_record() {
                        let record = record?;
                        *used += record.discard;
                        desk.plain.extend_from_slice(record.payload);
                    }
                    continue;
                }
                Ok(ConnectionState::EncodeTlsData(mut data)) => {
                    encode(&mut data, &mut desk.outgoing);
                    continue;
                }
                Ok(ConnectionState::TransmitTlsData(data)) => {
                    data.done();
                    continue;
                }
                Ok(ConnectionState::PeerClosed) => {
                    step.ended = true;
                    continue;
                }
                Ok(ConnectionState::WriteTraffic(_)) => {
                    step.open = true;
                    return Ok(());
                }
                Ok(_) => return Ok(()),
                Err(error) => error,
            };
            self.alert(&mut desk.incoming[*used..], &mut desk.outgoing);
            return Err(error);
        }
    }

    /// Appends what tells the peer of an error.
    fn alert(&mut self, rest: &mut [u8], outgoing: &mut Vec<u8>) {
        let status = self.tls.process_tls_records(rest);
        if let Ok(ConnectionState::EncodeTlsData(mut data)) = status.state {
            encode(&mut data, outgoing);
        }
    }

    /// Appends `plain` as it is to be sent.
    ///
    /// # Errors
    /// When the connection may not send, or its keys are used up.
    pub fn encrypt(&mut self, plain: &[u8], outgoing: &mut Vec<u8>) -> Result<(), Error> {
        loop {
            let status = self.tls.process_tls_records(&mut self.partial);
            match status.state? {
                ConnectionState::WriteTraffic(mut traffic) => {
                    return encrypt(&mut traffic, plain, outgoing);
                }
                ConnectionState::EncodeTlsData(mut data) => encode(&mut data, outgoing),
                ConnectionState::TransmitTlsData(data) => data.done(),
                ConnectionState::PeerClosed => {}
                _ => return Err(Error::HandshakeNotComplete),
            }
        }
    }

    /// What was agreed on.
    pub fn agreed(&self) -> &CommonState {
        &self.tls
    }
}

fn encode(data: &mut EncodeTlsData<'_, ClientConnectionData>, outgoing: &mut Vec<u8>) {
    let start = outgoing.len();
    let mut room = HANDSHAKE_ROOM;
    loop {
        outgoing.resize(start + room, 0);
        match data.encode(&mut outgoing[start..]) {
            Ok(written) => return outgoing.truncate(start + written),
            Err(EncodeError::InsufficientSize(short)) => room = short.required_size,
            Err(EncodeError::AlreadyEncoded) => return outgoing.truncate(start),
        }
    }
}

fn encrypt(
    traffic: &mut WriteTraffic<'_, ClientConnectionData>,
    plain: &[u8],
    outgoing: &mut Vec<u8>,
) -> Result<(), Error> {
    let start = outgoing.len();
    let mut room = plain.len() + (plain.len() / RECORD + 1) * RECORD_ADDS;
    loop {
        outgoing.resize(start + room, 0);
        match traffic.encrypt(plain, &mut outgoing[start..]) {
            Ok(written) => {
                outgoing.truncate(start + written);
                return Ok(());
            }
            Err(EncryptError::InsufficientSize(short)) => room = short.required_size,
            Err(EncryptError::EncryptExhausted) => {
                outgoing.truncate(start);
                return Err(Error::EncryptError);
            }
        }
    }
}
