//! The workloads on hyper, after the server examples of hyper and hyper-util.

use std::convert::Infallible;
use std::fmt::Write;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::fs::File;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::io::ReaderStream;

mod pages;

type Error = Box<dyn std::error::Error + Send + Sync>;
type Reply = Response<BoxBody<Bytes, std::io::Error>>;

fn page(content_type: &'static str, body: impl Into<Bytes>) -> Reply {
    let body = Full::new(body.into()).map_err(|never: Infallible| match never {});
    let mut reply = Response::new(body.boxed());
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, content_type.parse().expect("a header value"));
    reply
}

fn status(code: StatusCode) -> Reply {
    let mut reply = page("text/plain", "");
    *reply.status_mut() = code;
    reply
}

fn echo(query: &str) -> String {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let value = pairs.find(|(name, _)| name == "value");
    pages::echo(value.as_ref().map(|(_, value)| value.as_ref()))
}

fn bigtable_2011() -> String {
    let mut page = String::from("<html><body><table>\n");
    for row in 1..=1000 {
        let _ = write!(page, "<tr><td>{row}</td>");
        for column in 1..=50 {
            let _ = write!(page, "<td>{column}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></body></html>");
    page
}

async fn picture(path: &Path) -> std::io::Result<Reply> {
    let file = File::open(path).await?;
    let length = file.metadata().await?.len();
    let body = StreamBody::new(ReaderStream::new(file).map_ok(Frame::data));
    let mut reply = Response::new(BodyExt::boxed(body));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, "image/png".parse().expect("a header value"));
    headers.insert(CONTENT_LENGTH, length.into());
    Ok(reply)
}

async fn answer(request: Request<Incoming>, files: Arc<Path>) -> Result<Reply, Infallible> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Ok(status(StatusCode::METHOD_NOT_ALLOWED));
    }
    Ok(match request.uri().path() {
        "/pong" => page("text/plain", "PONG"),
        "/hello" => page("text/plain", "Hello, world!"),
        "/echo" => page("text/xml", echo(request.uri().query().unwrap_or_default())),
        "/bigtable" => page("text/html", pages::bigtable()),
        "/bigtable-2011" => page("text/html", bigtable_2011()),
        "/file.png" => picture(&files.join("file.png"))
            .await
            .unwrap_or_else(|_| status(StatusCode::INTERNAL_SERVER_ERROR)),
        _ => status(StatusCode::NOT_FOUND),
    })
}

fn serve(stream: TcpStream, files: &Arc<Path>, h2c: bool, graceful: &GracefulShutdown) {
    let files = Arc::clone(files);
    let service = service_fn(move |request| answer(request, Arc::clone(&files)));
    let stream = TokioIo::new(stream);
    // A client that breaks off is that client's business.
    if h2c {
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .serve_connection(stream, service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move { watched.await.ok() });
    } else {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(stream, service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move { watched.await.ok() });
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(files)) = (arguments.next(), arguments.next()) else {
        return Err("expected: server HOST:PORT FILES [h2c]".into());
    };
    let h2c = arguments.next().is_some();
    let files: Arc<Path> = Path::new(&files).into();
    let listener = TcpListener::bind(address).await?;
    let graceful = GracefulShutdown::new();
    let mut terminate = signal(SignalKind::terminate())?;
    let mut ended = pin!(terminate.recv());
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    stream.set_nodelay(true)?;
                    serve(stream, &files, h2c, &graceful);
                }
                // Out of file descriptors, say: connections must close before one can open.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            },
            _ = &mut ended => break,
        }
    }
    drop(listener);
    let _ = tokio::time::timeout(Duration::from_secs(2), graceful.shutdown()).await;
    Ok(())
}
