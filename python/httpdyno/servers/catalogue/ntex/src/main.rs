//! The workloads on ntex, as its documentation writes handlers; its `neon-uring` runtime does the input and output.

use std::fmt::Write;
use std::path::PathBuf;

use ntex::web::types::{Query, State};
use ntex::web::{self, App, HttpResponse, HttpServer};
use ntex_files::NamedFile;
use serde::Deserialize;

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

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[web::get("/echo")]
async fn echo(params: Query<EchoParams>) -> HttpResponse {
    let body = match &params.value {
        Some(value) => format!("<http_test><value>{}</value></http_test>", escape(value)),
        None => "<http_test><error>no value specified</error></http_test>".to_owned(),
    };
    page("text/xml", body)
}

#[web::get("/bigtable")]
async fn bigtable() -> HttpResponse {
    let mut body = String::from("<table>");
    for _ in 0..1000 {
        body.push_str("<tr>");
        for column in 1..=50 {
            let _ = write!(body, "<td>{column}</td>");
        }
        body.push_str("</tr>");
    }
    body.push_str("</table>");
    page("text/html", body)
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
