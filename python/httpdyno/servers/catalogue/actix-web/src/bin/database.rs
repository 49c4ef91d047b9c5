//! TechEmpower's tests on Actix Web, with tokio-postgres in a pool of deadpool as their
//! documentation uses them.

#[path = "../rows.rs"]
mod rows;

use std::env::var;
use std::fmt::Display;

use actix_web::error::ErrorInternalServerError;
use actix_web::http::header::ContentType;
use actix_web::web::{Data, Html, Json, Query};
use actix_web::{App, HttpResponse, HttpServer, Responder, Result, get, web};
use askama::Template;
use deadpool_postgres::{Client, Config, Pool, Runtime};
use rows::{Fortunes, HELLO, Params, World, drawn};
use tokio_postgres::NoTls;

fn failed(error: impl Display) -> actix_web::Error {
    ErrorInternalServerError(error.to_string())
}

async fn read(client: &Client, id: i32) -> Result<World> {
    let statement = client
        .prepare_cached("SELECT id, randomnumber FROM world WHERE id = $1")
        .await
        .map_err(failed)?;
    let row = client.query_one(&statement, &[&id]).await.map_err(failed)?;
    Ok((row.get(0), row.get(1)).into())
}

async fn several(client: &Client, number: usize) -> Result<Vec<World>> {
    let mut worlds = Vec::new();
    for _ in 0..number {
        worlds.push(read(client, drawn()).await?);
    }
    Ok(worlds)
}

fn text(body: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(ContentType::plaintext())
        .body(body)
}

#[get("/pong")]
async fn pong() -> impl Responder {
    text("PONG")
}

#[get("/plaintext")]
async fn plaintext() -> impl Responder {
    text("Hello, World!")
}

#[get("/json")]
async fn json() -> impl Responder {
    Json(HELLO)
}

#[get("/db")]
async fn db(pool: Data<Pool>, params: Query<Params>) -> Result<impl Responder> {
    let client = pool.get().await.map_err(failed)?;
    Ok(Json(read(&client, params.id()).await?))
}

#[get("/queries")]
async fn queries(pool: Data<Pool>, params: Query<Params>) -> Result<impl Responder> {
    let client = pool.get().await.map_err(failed)?;
    Ok(Json(several(&client, params.queries()).await?))
}

#[get("/fortunes")]
async fn fortunes(pool: Data<Pool>) -> Result<impl Responder> {
    let client = pool.get().await.map_err(failed)?;
    let statement = client
        .prepare_cached("SELECT id, message FROM fortune")
        .await
        .map_err(failed)?;
    let rows = client.query(&statement, &[]).await.map_err(failed)?;
    let rows = rows.iter().map(|row| (row.get(0), row.get(1)));
    Ok(Html::new(Fortunes::new(rows).render().map_err(failed)?))
}

#[get("/updates")]
async fn updates(pool: Data<Pool>, params: Query<Params>) -> Result<impl Responder> {
    let client = pool.get().await.map_err(failed)?;
    let mut worlds = several(&client, params.queries()).await?;
    let statement = client
        .prepare_cached("UPDATE world SET randomnumber = $1 WHERE id = $2")
        .await
        .map_err(failed)?;
    for world in &mut worlds {
        world.random_number = drawn();
        client
            .execute(&statement, &[&world.random_number, &world.id])
            .await
            .map_err(failed)?;
    }
    Ok(Json(worlds))
}

fn routes(config: &mut web::ServiceConfig) {
    config
        .service(pong)
        .service(plaintext)
        .service(json)
        .service(db)
        .service(queries)
        .service(fortunes)
        .service(updates);
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address, workers] = &arguments[..] else {
        return Err(std::io::Error::other("expected: database HOST:PORT WORKERS"));
    };
    let config = Config {
        url: var("DATABASE_URL").ok(),
        ..Config::new()
    };
    let pool = config
        .create_pool(Some(Runtime::Tokio1), NoTls)
        .map_err(std::io::Error::other)?;
    let pool = Data::new(pool);
    HttpServer::new(move || App::new().app_data(pool.clone()).configure(routes))
        .workers(workers.parse().map_err(std::io::Error::other)?)
        .tcp_nodelay(true)
        .bind(address)?
        .run()
        .await
}
