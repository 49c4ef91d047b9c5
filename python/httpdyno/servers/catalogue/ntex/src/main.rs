//! The workloads on ntex, as its documentation writes handlers; its `neon-uring` runtime does the input and output.

use std::fmt::Write;
use std::path::PathBuf;

use ntex::web::types::{Query, State};
use ntex::web::{self, App, HttpResponse, HttpServer};
use ntex_files::NamedFile;
use serde::Deserialize;

mod pages;

#[derive(Deserialize)]
struct EchoParams {
    value: Option<String>,
}

#[derive(Clone)]
struct Picture(PathBuf);

fn page(content_type: &str, body: impl Into<String>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(content_type)
        .body(body.into())
}

#[web::get("/pong")]
async fn pong() -> &'static str {
    "PONG"
}

#[web::get("/hello")]
async fn hello() -> &'static str {
    "Hello, world!"
}

#[web::get("/echo")]
async fn echo(params: Query<EchoParams>) -> HttpResponse {
    page("text/xml", pages::echo(params.value.as_deref()))
}

#[web::get("/bigtable")]
async fn bigtable() -> HttpResponse {
    page("text/html", pages::bigtable())
}

#[web::get("/bigtable-2011")]
async fn bigtable_2011() -> HttpResponse {
    let mut body = String::from("<html><body><table>\n");
    for row in 1..=1000 {
        let _ = write!(body, "<tr><td>{row}</td>");
        for column in 1..=50 {
            let _ = write!(body, "<td>{column}</td>");
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</table></body></html>");
    page("text/html", body)
}

#[web::get("/file.png")]
async fn picture(file: State<Picture>) -> std::io::Result<NamedFile> {
    NamedFile::open(&file.0)
}

#[ntex::main]
async fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, workers, files] = &arguments[..] else {
        let expected = "expected: server HOST:PORT WORKERS FILES";
        return Err(std::io::Error::other(expected));
    };
    let workers = workers.parse().map_err(std::io::Error::other)?;
    let file = Picture(PathBuf::from(files).join("file.png"));
    HttpServer::new(async move || {
        App::new().state(file.clone()).service((
            pong,
            hello,
            echo,
            bigtable,
            bigtable_2011,
            picture,
        ))
    })
    .workers(workers)
    .bind(address)?
    .run()
    .await
}
