//! The TLS settings of a run: trust, client certificate, versions. Read and checked before anything is sent.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::{ClientConfig, Resumption, WantsClientCert};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ConfigBuilder, RootCertStore, SupportedProtocolVersion, version};
use serde::{Deserialize, Serialize};

use crate::trust::{AcceptAny, GivenRoots};

/// Most sessions that a driver stores for resumption: eight tickets of one server.
const SESSIONS: usize = 8;

/// The TLS part of a plan. `docs/reference/measurement.md` explains each field.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// File of trusted certificates, in PEM; null: those that this machine trusts.
    #[serde(default)]
    pub ca: Option<PathBuf>,
    /// Accept any certificate.
    #[serde(default)]
    pub insecure: bool,
    /// The server name to send and verify, if it is not the host.
    #[serde(default)]
    pub sni: Option<String>,
    /// File of the client certificate with its chain, in PEM.
    #[serde(default)]
    pub certificate: Option<PathBuf>,
    /// File of the client certificate's key, in PEM.
    #[serde(default)]
    pub key: Option<PathBuf>,
    #[serde(default)]
    pub min_version: TlsVersion,
    #[serde(default = "newest")]
    pub max_version: TlsVersion,
    /// Resume earlier sessions, if the server supports it.
    #[serde(default = "yes")]
    pub resume: bool,
}

/// A TLS version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TlsVersion {
    #[default]
    #[serde(rename = "1.2")]
    V12,
    #[serde(rename = "1.3")]
    V13,
}

static EITHER: [&SupportedProtocolVersion; 2] = [&version::TLS13, &version::TLS12];
static ONLY_12: [&SupportedProtocolVersion; 1] = [&version::TLS12];
static ONLY_13: [&SupportedProtocolVersion; 1] = [&version::TLS13];

/// The settings shared by all connections of a run.
#[derive(Clone, Debug)]
pub struct TlsSettings {
    config: ClientConfig,
    resume: bool,
    pub(crate) name: ServerName<'static>,
    /// The CONNECT request for a proxy.
    pub(crate) tunnel: Option<Vec<u8>>,
}

impl TlsSettings {
    /// Reads and checks the settings for a server called `host`. `protocols`: those to offer, the preferred one first
    /// (ALPN, RFC 7301). `tunnel`: the CONNECT request for a proxy.
    ///
    /// # Errors
    /// A sentence about an unusable file, an invalid name, or missing trusted certificates.
    pub fn new(
        tls: &Tls,
        host: &str,
        protocols: &[&str],
        tunnel: Option<Vec<u8>>,
    ) -> Result<Self, String> {
        let given = tls.sni.as_deref().unwrap_or(host);
        let name = ServerName::try_from(given.to_owned()).map_err(|_| {
            format!("`{given}` is not a valid server name for TLS, expected a host name or an IP address")
        })?;
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions(tls)?)
            .map_err(|e| format!("these TLS versions cannot be used: {e}"))?
            .dangerous();
        let builder = if tls.insecure {
            builder.with_custom_certificate_verifier(Arc::new(AcceptAny::new(&provider)))
        } else if let Some(path) = &tls.ca {
            let given = GivenRoots::new(certificates(path)?, provider)
                .map_err(|e| format!("`{}`: {e}", path.display()))?;
            builder.with_custom_certificate_verifier(Arc::new(given))
        } else {
            builder.cfg.with_root_certificates(native()?)
        };
        let mut config = identify(builder, tls)?;
        config.alpn_protocols = protocols.iter().map(|&name| name.into()).collect();
        Ok(Self {
            config,
            resume: tls.resume,
            name,
            tunnel,
        })
    }

    /// The name of the server, to be sent and verified.
    pub fn server_name(&self) -> String {
        self.name.to_str().into_owned()
    }

    /// The configuration for QUIC, which makes a full handshake for each connection.
    pub fn for_quic(&self) -> ClientConfig {
        let mut config = self.config.clone();
        config.resumption = Resumption::disabled();
        config
    }

    /// The configuration, with its own session store.
    pub(crate) fn config(&self) -> Arc<ClientConfig> {
        let mut config = self.config.clone();
        config.resumption = if self.resume {
            Resumption::in_memory_sessions(SESSIONS)
        } else {
            Resumption::disabled()
        };
        Arc::new(config)
    }
}

fn versions(tls: &Tls) -> Result<&'static [&'static SupportedProtocolVersion], String> {
    match (tls.min_version, tls.max_version) {
        (TlsVersion::V12, TlsVersion::V12) => Ok(&ONLY_12),
        (TlsVersion::V12, TlsVersion::V13) => Ok(&EITHER),
        (TlsVersion::V13, TlsVersion::V13) => Ok(&ONLY_13),
        (TlsVersion::V13, TlsVersion::V12) => {
            Err("TLS versions 1.3 to 1.2, expected the older version first".into())
        }
    }
}

/// The certificates that this machine trusts.
fn native() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let why = found.errors.first().map(|e| format!(" ({e})"));
        return Err(format!(
            "no trusted certificates on this machine{}, expected a package such as `ca-certificates`, or `--ca FILE`",
            why.unwrap_or_default()
        ));
    }
    Ok(roots)
}

/// Adds the client certificate, if there is one.
fn identify(
    builder: ConfigBuilder<ClientConfig, WantsClientCert>,
    tls: &Tls,
) -> Result<ClientConfig, String> {
    match (&tls.certificate, &tls.key) {
        (None, None) => Ok(builder.with_no_client_auth()),
        (Some(certificate), Some(key)) => builder
            .with_client_auth_cert(certificates(certificate)?, private_key(key)?)
            .map_err(|e| {
                format!(
                    "`{}` and `{}` do not match: {e}",
                    certificate.display(),
                    key.display()
                )
            }),
        (Some(one), None) | (None, Some(one)) => Err(format!(
            "`{}` is given alone, expected both a client certificate and its key",
            one.display()
        )),
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let found = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|e| format!("`{}` cannot be read: {e}", path.display()))?;
    if found.is_empty() {
        return Err(format!(
            "`{}` holds no certificate, expected PEM",
            path.display()
        ));
    }
    Ok(found)
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, String> {
    PrivateKeyDer::from_pem_file(path).map_err(|e| {
        format!(
            "`{}` holds no private key, expected PEM: {e}",
            path.display()
        )
    })
}

fn newest() -> TlsVersion {
    TlsVersion::V13
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocols_given_are_offered_in_their_order() {
        let tls = Tls {
            ca: None,
            insecure: true,
            sni: None,
            certificate: None,
            key: None,
            min_version: TlsVersion::V12,
            max_version: TlsVersion::V13,
            resume: true,
        };
        let protocols = ["one/2", "http/1.1"];
        let settings = TlsSettings::new(&tls, "localhost", &protocols, None).unwrap();
        assert_eq!(settings.config().alpn_protocols, protocols.map(Vec::from));
    }
}
