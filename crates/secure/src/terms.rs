//! What a run agrees to: whom it trusts, who it is, which versions it speaks. Read and checked before anything is sent.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::{ClientConfig, Resumption, WantsClientCert};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ConfigBuilder, RootCertStore, SupportedProtocolVersion, version};
use serde::{Deserialize, Serialize};

use crate::trust::{Anybody, Given};

/// Sessions that a driver remembers, to be resumed: eight tickets of the one server.
const SESSIONS: usize = 8;
/// The only protocol that is spoken over TLS.
const ALPN: &[u8] = b"http/1.1";

/// How to speak TLS, as the plan declares it. `docs/reference/measurement.md` explains each field.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// Whom to trust, in PEM; null: whom this machine trusts.
    #[serde(default)]
    pub ca: Option<PathBuf>,
    /// Trust whoever answers.
    #[serde(default)]
    pub insecure: bool,
    /// The server's name, where it is not the host's.
    #[serde(default)]
    pub sni: Option<String>,
    /// The client's certificate and those that lead from it to one the server trusts, in PEM.
    #[serde(default)]
    pub certificate: Option<PathBuf>,
    /// The key of the client's certificate, in PEM.
    #[serde(default)]
    pub key: Option<PathBuf>,
    #[serde(default)]
    pub min_version: TlsVersion,
    #[serde(default = "newest")]
    pub max_version: TlsVersion,
    /// Go on with an earlier session where the server lets us.
    #[serde(default = "yes")]
    pub resume: bool,
}

/// A version of TLS.
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

/// What every connection of a run goes by.
#[derive(Clone, Debug)]
pub struct Terms {
    config: ClientConfig,
    resume: bool,
    pub(crate) name: ServerName<'static>,
    /// The bytes that ask a proxy for a way to the server.
    pub(crate) tunnel: Option<Vec<u8>>,
}

impl Terms {
    /// The terms for a server called `host`; `tunnel` is what asks a proxy for a way there.
    ///
    /// # Errors
    /// One sentence: a file that cannot be used, a name that is none, nobody to trust.
    pub fn new(tls: &Tls, host: &str, tunnel: Option<Vec<u8>>) -> Result<Self, String> {
        let given = tls.sni.as_deref().unwrap_or(host);
        let name = ServerName::try_from(given.to_owned()).map_err(|_| {
            format!("`{given}` is no name of a TLS server, expected a host's name or an IP address")
        })?;
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions(tls)?)
            .map_err(|e| format!("these versions of TLS cannot be spoken: {e}"))?
            .dangerous();
        let builder = if tls.insecure {
            builder.with_custom_certificate_verifier(Arc::new(Anybody::new(&provider)))
        } else if let Some(path) = &tls.ca {
            let given = Given::new(certificates(path)?, provider)
                .map_err(|e| format!("`{}`: {e}", path.display()))?;
            builder.with_custom_certificate_verifier(Arc::new(given))
        } else {
            builder.cfg.with_root_certificates(native()?)
        };
        let mut config = identify(builder, tls)?;
        config.alpn_protocols = vec![ALPN.to_vec()];
        Ok(Self {
            config,
            resume: tls.resume,
            name,
            tunnel,
        })
    }

    /// The terms with sessions of their own to resume.
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
            Err("TLS from 1.3 to 1.2, expected the older version first".into())
        }
    }
}

/// Whom this machine trusts.
fn native() -> Result<RootCertStore, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let why = found.errors.first().map(|e| format!(" ({e})"));
        return Err(format!(
            "this machine trusts nobody{}, expected certificates as of Debian's `ca-certificates`, or `--ca FILE`",
            why.unwrap_or_default()
        ));
    }
    Ok(roots)
}

/// With the client's certificate, if there is one.
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
                    "`{}` and `{}` do not belong together: {e}",
                    certificate.display(),
                    key.display()
                )
            }),
        (Some(one), None) | (None, Some(one)) => Err(format!(
            "`{}` is given alone, expected a client's certificate and its key",
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
