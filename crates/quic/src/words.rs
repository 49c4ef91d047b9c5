//! The ends of connections, as faults and in words.

use driver::Fault;
use quinn_proto::ConnectionError;
use secure::alert_name;

/// Most characters of a reason that a server gives.
const MOST_QUOTED: usize = 120;
/// The first code of those that are TLS alerts (RFC 9001 §4.8), and one behind the last.
const ALERTS: (u64, u64) = (0x100, 0x200);
/// `CONNECTION_REFUSED` (RFC 9000 §20.1).
const REFUSED: u64 = 2;

/// The end of a connection that its server did not announce in HTTP/3.
pub fn describe(reason: &ConnectionError) -> (Fault, String) {
    match reason {
        ConnectionError::VersionMismatch => (
            Fault::Garbled,
            "QUIC: the server has no version in common with this client, which has version 1"
                .into(),
        ),
        ConnectionError::TransportError(error) => {
            let code = u64::from(error.code);
            if alert(code).is_some() {
                (Fault::Tls, format!("TLS: {}", refusal(&error.reason)))
            } else {
                (
                    Fault::Garbled,
                    format!("QUIC: {}", quoted(&error.to_string())),
                )
            }
        }
        ConnectionError::ConnectionClosed(close) => {
            let code = u64::from(close.error_code);
            let fault = if code == REFUSED {
                Fault::Refused
            } else {
                Fault::Reset
            };
            match alert(code) {
                Some(alert) => {
                    let name = alert_name(alert);
                    (Fault::Tls, format!("TLS: the server sent the alert {name}"))
                }
                None => (
                    fault,
                    format!(
                        "QUIC: the server closed the connection ({})",
                        quoted(&close.to_string())
                    ),
                ),
            }
        }
        ConnectionError::ApplicationClosed(close) => (
            Fault::Reset,
            format!(
                "QUIC: the server closed the connection ({})",
                quoted(&close.to_string())
            ),
        ),
        ConnectionError::Reset => (
            Fault::Reset,
            "QUIC: the server no longer knows the connection (stateless reset)".into(),
        ),
        ConnectionError::TimedOut => (
            Fault::TimedOut,
            "QUIC: nothing came from the server within the idle timeout".into(),
        ),
        ConnectionError::LocallyClosed | ConnectionError::CidsExhausted => {
            (Fault::Other(0), quoted(&reason.to_string()))
        }
    }
}

/// The TLS alert with a code of QUIC.
fn alert(code: u64) -> Option<u8> {
    (ALERTS.0..ALERTS.1).contains(&code).then_some(code as u8)
}

/// The reason why this client refused a handshake. quinn-proto passes on the text of rustls only.
fn refusal(reason: &str) -> String {
    if reason.contains("UnknownIssuer") {
        "the server's certificate is not signed by a trusted authority".into()
    } else if reason.contains("CaUsedAsEndEntity") {
        "the server's certificate is that of an authority, which is accepted only with `--ca`"
            .into()
    } else {
        quoted(reason)
    }
}

/// A text that a server may have written, without what a terminal would act on.
fn quoted(text: &str) -> String {
    let visible = text.chars().filter(|one| !one.is_control());
    visible.take(MOST_QUOTED).collect()
}
