//! The workloads on Actix Web, as its documentation writes handlers.

use std::fmt::Write;
use std::path::PathBuf;

use actix_files::NamedFile;
use actix_web::http::header::ContentType;
use actix_web::web::{Data, Html, Query};
use actix_web::{App, HttpResponse, HttpServer, Responder, get, web};
use serde::Deserialize;

#[derive(Deserialize)]
struct EchoParams {
    value: Option<String>,
}

struct Picture(PathBuf);

fn text(body: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(ContentType::plaintext())
        .body(body)
}

#[get("/pong")]
async fn pong() -> impl Responder {
    text("PONG")
}

#[get("/hello")]
async fn hello() -> impl Responder {
    text("Hello, world!")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[get("/echo")]
async fn echo(params: Query<EchoParams>) -> impl Responder {
    let page = match &params.value {
        Some(value) => format!("<http_test><value>{}</value></http_test>", escape(value)),
        None => "<http_test><error>no value specified</error></http_test>".to_owned(),
    };
    HttpResponse::Ok().content_type("text/xml").body(page)
}

#[get("/bigtable")]
async fn bigtable() -> impl Responder {
    let mut page = String::from("<table>");
    for _ in 0..1000 {
        page.push_str("<tr>");
        for column in 1..=50 {
            let _ = write!(page, "<td>{column}</td>");
        }
        page.push_str("</tr>");
    }
    page.push_str("</table>");
    Html::new(page)
}

#[get("/bigtable-2011")]
async fn bigtable_2011() -> impl Responder {
    let mut page = String::from("<html><body><table>\n");
    for row in 1..=1000 {
        let _ = write!(page, "<tr><td>{row}</td>");
        for column in 1..=50 {
            let _ = write!(page, "<td>{column}</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></body></html>");
    Html::new(page)
}

#[get("/file.png")]
async fn picture(file: Data<Picture>) -> actix_web::Result<NamedFile> {
    Ok(NamedFile::open(&file.0)?)
}

fn routes(config: &mut web::ServiceConfig) {
    config
        .service(pong)
        .service(hello)
        .service(echo)
        .service(bigtable)
        .service(bigtable_2011)
        .service(picture);
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, workers, files, shipped @ ..] = &arguments[..] else {
        let expected = "expected: server HOST:PORT WORKERS FILES [as-shipped]";
        return Err(std::io::Error::other(expected));
    };
    let workers = workers.parse().map_err(std::io::Error::other)?;
    let file = Data::new(Picture(PathBuf::from(files).join("file.png")));
    HttpServer::new(move || App::new().app_data(file.clone()).configure(routes))
        .workers(workers)
        .tcp_nodelay(shipped != ["as-shipped"])
        .bind(address)?
        .run()
        .await
}
