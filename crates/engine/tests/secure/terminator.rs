//! A TLS terminator: threads that pass plaintext on to a backend.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, version};

use crate::papers::PAPERS;

/// The behaviour of the terminator.
#[derive(Clone)]
pub struct Manners {
    pub papers: (PathBuf, PathBuf),
    /// The only TLS version; `None`: both.
    pub only: Option<&'static str>,
    /// The protocols that it offers (ALPN).
    pub protocols: &'static [&'static str],
    /// It requires a client certificate.
    pub asks: bool,
    /// It sends `close_notify` before it closes.
    pub says_goodbye: bool,
    /// The time for which it ignores a new connection.
    pub begins_after: Duration,
    /// The pause before each read.
    pub reads_after: Duration,
}

impl Default for Manners {
    fn default() -> Self {
        Self {
            papers: PAPERS.server.clone(),
            only: None,
            protocols: &["http/1.1"],
            asks: false,
            says_goodbye: true,
            begins_after: Duration::ZERO,
            reads_after: Duration::ZERO,
        }
    }
}

pub struct Terminator {
    pub address: SocketAddr,
    connections: Arc<AtomicU64>,
}

impl Terminator {
    /// Starts a terminator for the server at `backend`. Its threads end with their connections.
    pub fn start(backend: &str, manners: &Manners) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let config = Arc::new(config(manners));
        let (backend, manners) = (backend.to_owned(), manners.clone());
        let connections = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&connections);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::Relaxed);
                let (config, backend) = (Arc::clone(&config), backend.clone());
                let manners = manners.clone();
                thread::spawn(move || serve(&stream, config, &backend, &manners));
            }
        });
        Self {
            address,
            connections,
        }
    }

    /// The number of connections so far.
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }
}

fn config(manners: &Manners) -> ServerConfig {
    let versions = match manners.only {
        Some("1.2") => vec![&version::TLS12],
        Some(_) => vec![&version::TLS13],
        None => vec![&version::TLS13, &version::TLS12],
    };
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&versions)
        .unwrap();
    let builder = if manners.asks {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_file(&PAPERS.authority).unwrap())
            .unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        builder.with_client_cert_verifier(verifier.build().unwrap())
    } else {
        builder.with_no_client_auth()
    };
    let (certificate, key) = &manners.papers;
    let certificate = CertificateDer::from_pem_file(certificate).unwrap();
    let key = PrivateKeyDer::from_pem_file(key).unwrap();
    let mut config = builder.with_single_cert(vec![certificate], key).unwrap();
    let protocols = manners.protocols.iter();
    config.alpn_protocols = protocols.map(|name| name.as_bytes().to_vec()).collect();
    config
}

/// Serves one connection: this thread passes on what the client sends, another one what the server sends.
fn serve(
    stream: &TcpStream,
    config: Arc<ServerConfig>,
    backend: &str,
    manners: &Manners,
) -> Option<()> {
    thread::sleep(manners.begins_after);
    let tls = Arc::new(Mutex::new(ServerConnection::new(config).ok()?));
    stream.set_nodelay(true).ok()?;
    let server = TcpStream::connect(backend).ok()?;
    server.set_nodelay(true).ok()?;
    let answers = {
        let (tls, stream) = (Arc::clone(&tls), stream.try_clone().ok()?);
        let (server, goodbye) = (server.try_clone().ok()?, manners.says_goodbye);
        thread::spawn(move || answer(&tls, &stream, server, goodbye))
    };
    ask(&tls, stream, &server, manners.reads_after);
    let _ = server.shutdown(Shutdown::Write);
    let _ = answers.join();
    Some(())
}

/// Passes bytes from the client to the backend, until the client ends or fails.
fn ask(
    tls: &Mutex<ServerConnection>,
    mut stream: &TcpStream,
    mut server: &TcpStream,
    pause: Duration,
) -> Option<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        let mut plain = Vec::new();
        {
            let mut tls = tls.lock().unwrap();
            let mut bytes = &buffer[..count];
            while !bytes.is_empty() {
                tls.read_tls(&mut bytes).ok()?;
                let state = tls.process_new_packets();
                while tls.wants_write() {
                    tls.write_tls(&mut stream).ok()?;
                }
                let waiting = state.ok()?.plaintext_bytes_to_read();
                let from = plain.len();
                plain.resize(from + waiting, 0);
                tls.reader().read_exact(&mut plain[from..]).ok()?;
            }
        }
        server.write_all(&plain).ok()?;
        thread::sleep(pause);
    }
}

/// Passes bytes from the backend to the client.
fn answer(
    tls: &Mutex<ServerConnection>,
    mut stream: &TcpStream,
    mut server: TcpStream,
    goodbye: bool,
) -> Option<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = server.read(&mut buffer).unwrap_or(0);
        let mut tls = tls.lock().unwrap();
        if count == 0 && goodbye {
            tls.send_close_notify();
        }
        let mut bytes = &buffer[..count];
        loop {
            let taken = tls.writer().write(bytes).ok()?;
            bytes = &bytes[taken..];
            while tls.wants_write() {
                tls.write_tls(&mut stream).ok()?;
            }
            if bytes.is_empty() {
                break;
            }
        }
        if count == 0 {
            stream.shutdown(Shutdown::Write).ok()?;
            return Some(());
        }
    }
}
