//! The workloads on Rocket, as its guide writes routes.

mod pages;

use std::path::PathBuf;

use rocket::fs::NamedFile;
use rocket::response::content::{RawHtml, RawXml};
use rocket::{State, get, launch, routes};

struct Picture(PathBuf);

#[get("/pong")]
fn pong() -> &'static str {
    "PONG"
}

#[get("/hello")]
fn hello() -> &'static str {
    "Hello, world!"
}

#[get("/echo?<value>")]
fn echo(value: Option<&str>) -> RawXml<String> {
    RawXml(pages::echo(value))
}

#[get("/bigtable")]
fn bigtable() -> RawHtml<String> {
    RawHtml(pages::bigtable())
}

#[get("/file.png")]
async fn picture(picture: &State<Picture>) -> Option<NamedFile> {
    NamedFile::open(&picture.0).await.ok()
}

#[launch]
fn rocket() -> _ {
    let files = std::env::args().nth(2).expect("server HOST:PORT FILES");
    rocket::build()
        .manage(Picture(PathBuf::from(files).join("file.png")))
        .mount("/", routes![pong, hello, echo, bigtable, picture])
}
