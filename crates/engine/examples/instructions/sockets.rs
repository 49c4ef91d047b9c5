//! A driver alone, on one connection to a server in a process of its own.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use driver::{Clock, Driver, Epoll, Fault, Route, Uring, What};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use secure::{Secure, Tls, TlsSettings};

const REQUEST: &[u8] = b"GET /pong HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
const PONG: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nPONG";
/// Longest wait for a reply: 10 s.
const PATIENCE: u64 = 10_000_000_000;

/// The kind of bytes that a call sends.
#[derive(Clone, Copy)]
enum Sends {
    /// A range of the script.
    Script,
    /// Bytes that are not in the script.
    Bytes,
}

/// Makes so many calls with the driver of this name. `folder` holds the server's certificate and key.
pub fn run(name: &str, calls: u64, folder: &Path) -> Result<(), Box<dyn Error>> {
    let script: Arc<[u8]> = Arc::from(REQUEST);
    let clock = Clock::start();
    let epoll = || Epoll::new(clock, Arc::clone(&script));
    let uring = || Uring::new(clock, Arc::clone(&script), 1);
    let (name, sends) = match name.strip_suffix("-bytes") {
        Some(name) => (name, Sends::Bytes),
        None => (name, Sends::Script),
    };
    let (name, tls) = match name.strip_prefix("tls-") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let server = Server::start(folder, tls)?;
    let (port, tls) = (server.port, tls.then(settings).transpose()?);
    match (name, tls) {
        ("epoll", None) => turn(epoll()?, port, calls, sends),
        ("io-uring", None) => turn(uring()?, port, calls, sends),
        ("epoll", Some(tls)) => turn(Secure::new(epoll()?, &tls, script), port, calls, sends),
        ("io-uring", Some(tls)) => turn(Secure::new(uring()?, &tls, script), port, calls, sends),
        _ => Err(format!("`{name}` is no driver").into()),
    }
}

fn settings() -> Result<TlsSettings, Box<dyn Error>> {
    let tls: Tls = serde_json::from_str(r#"{"insecure": true}"#)?;
    Ok(TlsSettings::new(&tls, "localhost", &["http/1.1"], None)?)
}

fn turn<D: Driver>(
    mut driver: D,
    port: u16,
    calls: u64,
    sends: Sends,
) -> Result<(), Box<dyn Error>> {
    let mut bytes = Vec::new();
    let mut send = |driver: &mut D| match sends {
        Sends::Script => driver.send(0, 0, REQUEST.len()),
        Sends::Bytes => {
            bytes.extend_from_slice(REQUEST);
            driver.send_bytes(0, &mut bytes);
        }
    };
    driver
        .open(0, &Route::tcp(([127, 0, 0, 1], port).into(), None))
        .map_err(Fault::describe)?;
    let (mut left, mut received) = (calls, 0);
    while left > 0 {
        driver.wait(driver.now() + PATIENCE)?;
        while let Some(event) = driver.next() {
            match event.what {
                What::Connected => send(&mut driver),
                What::Received => {
                    received += driver.received().len();
                    while received >= PONG.len() {
                        received -= PONG.len();
                        left -= 1;
                        if left > 0 {
                            send(&mut driver);
                        }
                    }
                }
                What::Reached | What::Sent => {}
                other => return Err(format!("{other:?}: {:?}", driver.words()).into()),
            }
        }
    }
    driver.close(0);
    Ok(())
}

/// The process of a server.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    /// Starts this program as a server, with TLS or without.
    fn start(folder: &Path, tls: bool) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(std::env::current_exe()?);
        let folder = if tls { folder } else { Path::new("") };
        let mut process = command
            .arg("serve")
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        let output = process.stdout.take().ok_or("the server has no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let port = line.trim().parse()?;
        Ok(Self { process, port })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Serves one connection, with TLS if there is a folder with a certificate. Prints the port first.
pub fn serve(folder: &Path) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    if folder.as_os_str().is_empty() {
        return answer(stream);
    }
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    let certificate = CertificateDer::from_pem_file(folder.join("cert.pem"))?;
    let key = PrivateKeyDer::from_pem_file(folder.join("key.pem"))?;
    let config = ServerConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    let mut session = ServerConnection::new(config.into())?;
    session.complete_io(&mut stream)?;
    answer(StreamOwned::new(session, stream))
}

/// Answers each request. A read is one request, because the client waits for the reply.
fn answer(mut stream: impl Read + Write) -> Result<(), Box<dyn Error>> {
    let mut room = [0; 4096];
    while stream.read(&mut room)? > 0 {
        stream.write_all(PONG)?;
        stream.flush()?;
    }
    Ok(())
}
