//! The workloads on axum, as its documentation writes handlers.

use std::fmt::Write;
use std::path::Path;

use axum::Router;
use axum::extract::Query;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use serde::Deserialize;
use tower_http::services::ServeFile;

#[derive(Deserialize)]
struct EchoParams {
    value: Option<String>,
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

async fn echo(Query(params): Query<EchoParams>) -> impl IntoResponse {
    let page = match params.value {
        Some(value) => format!("<http_test><value>{}</value></http_test>", escape(&value)),
        None => "<http_test><error>no value specified</error></http_test>".to_owned(),
    };
    ([(CONTENT_TYPE, "text/xml")], page)
}

async fn bigtable() -> Html<String> {
    let mut page = String::from("<table>");
    for _ in 0..1000 {
        page.push_str("<tr>");
        for column in 1..=50 {
            let _ = write!(page, "<td>{column}</td>");
        }
        page.push_str("</tr>");
    }
    page.push_str("</table>");
    Html(page)
}

async fn bigtable_2011() -> Html<String> {
    let mut page = String::from("<html><body><table>\n");
    for row in 1..=1000 {
        let _ = write!(page, "<tr><td>{row}</td>");
        for column in 1..=50 {
            let _ = write!(page, "<td>{column}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></body></html>");
    Html(page)
}

fn application(files: &Path) -> Router {
    Router::new()
        .route("/pong", get(|| async { "PONG" }))
        .route("/hello", get(|| async { "Hello, world!" }))
        .route("/echo", get(echo))
        .route("/bigtable", get(bigtable))
        .route("/bigtable-2011", get(bigtable_2011))
        .route_service("/file.png", ServeFile::new(files.join("file.png")))
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(files)) = (arguments.next(), arguments.next()) else {
        let expected = "expected: server HOST:PORT FILES [as-shipped]";
        return Err(std::io::Error::other(expected));
    };
    let nodelay = arguments.next().as_deref() != Some("as-shipped");
    server::serve(&address, nodelay, application(Path::new(&files))).await
}
