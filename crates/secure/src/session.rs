//! The TLS session of a connection. Sans-IO: bytes in, bytes out.

use std::sync::Arc;

use rustls::client::{ClientConfig, ClientConnectionData, UnbufferedClientConnection};
use rustls::pki_types::ServerName;
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, UnbufferedStatus, WriteTraffic,
};
use rustls::{AlertDescription, CertificateError, CommonState, Error};

/// Buffer size for a handshake record. Larger ones report their size.
const HANDSHAKE_ROOM: usize = 1024;
/// Most plaintext of a record (RFC 8446 §5.1), and an upper bound for the overhead of a record.
const RECORD: usize = 16 * 1024;
const RECORD_ADDS: usize = 64;

/// The TLS session of a connection.
pub struct Session {
    tls: UnbufferedClientConnection,
    /// The start of an incomplete record.
    partial: Vec<u8>,
}

/// The state that received bytes have led to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The handshake is complete: plaintext may be sent.
    pub open: bool,
    /// The peer sent `close_notify`: it will send no more.
    pub ended: bool,
}

/// Buffers shared by all connections of a driver, one at a time.
#[derive(Debug, Default)]
pub struct Buffers {
    incoming: Vec<u8>,
    /// Received plaintext.
    pub plain: Vec<u8>,
    /// Ciphertext to be sent.
    pub outgoing: Vec<u8>,
}

impl Session {
    /// Starts a session. Feeding it no bytes produces its first message.
    pub fn new(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, Error> {
        Ok(Self {
            tls: UnbufferedClientConnection::new(config, name)?,
            partial: Vec::new(),
        })
    }

    /// Processes bytes from the peer. Appends plaintext and the answer to be sent to the buffers, also after an error,
    /// which is reported to the peer.
    pub fn take(&mut self, bytes: &[u8], buffers: &mut Buffers) -> Result<Progress, Error> {
        buffers.incoming.clear();
        buffers.incoming.append(&mut self.partial);
        buffers.incoming.extend_from_slice(bytes);
        let mut used = 0;
        let mut progress = Progress::default();
        let answer = self.process(buffers, &mut used, &mut progress);
        self.partial.extend_from_slice(&buffers.incoming[used..]);
        answer.map(|()| progress)
    }

    /// Processes all complete records.
    fn process(
        &mut self,
        buffers: &mut Buffers,
        used: &mut usize,
        progress: &mut Progress,
    ) -> Result<(), Error> {
        loop {
            let UnbufferedStatus { discard, state } =
                self.tls.process_tls_records(&mut buffers.incoming[*used..]);
            *used += discard;
            match state {
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while let Some(record) = traffic.next_record() {
                        let record = record?;
                        *used += record.discard;
                        buffers.plain.extend_from_slice(record.payload);
                    }
                }
                Ok(ConnectionState::EncodeTlsData(mut data)) => {
                    encode(&mut data, &mut buffers.outgoing);
                }
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::PeerClosed) => progress.ended = true,
                Ok(ConnectionState::WriteTraffic(_)) => {
                    progress.open = true;
                    return Ok(());
                }
                Ok(_) => return Ok(()),
                Err(error) => {
                    self.alert(&mut buffers.incoming[*used..], &mut buffers.outgoing);
                    return Err(error);
                }
            }
        }
    }

    /// Appends the alert that reports an error to the peer.
    fn alert(&mut self, rest: &mut [u8], outgoing: &mut Vec<u8>) {
        let status = self.tls.process_tls_records(rest);
        if let Ok(ConnectionState::EncodeTlsData(mut data)) = status.state {
            encode(&mut data, outgoing);
        }
    }

    /// Encrypts `plain` and appends it to `outgoing`.
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

    /// The negotiated parameters.
    pub fn negotiated(&self) -> &CommonState {
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

/// The name of a TLS alert.
pub fn alert_name(code: u8) -> String {
    format!("{:?}", AlertDescription::from(code))
}

/// Describes a TLS error.
pub fn describe(error: &Error) -> String {
    let words = match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "the server's certificate is not signed by a trusted authority".into()
        }
        // From `openssl req -x509`. rustls has no error class of its own for this.
        Error::InvalidCertificate(why) if why.to_string().contains("CaUsedAsEndEntity") => {
            "the server's certificate is that of an authority, which is accepted only with `--ca`"
                .into()
        }
        Error::InvalidCertificate(why) => format!("the server's certificate is invalid: {why}"),
        Error::AlertReceived(alert) => format!("the server sent the alert {alert:?}"),
        Error::InvalidMessage(what) => format!("the server's bytes are not TLS: {what:?}"),
        Error::PeerIncompatible(why) => {
            format!("the server and this client have no parameters in common: {why:?}")
        }
        other => other.to_string(),
    };
    format!("TLS: {words}")
}
