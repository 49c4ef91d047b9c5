//! TechEmpower's tests on axum, with Diesel on diesel-async as its documentation uses it.

use std::error::Error;

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::get;
use axum::{Json, Router};
use diesel::prelude::*;
use diesel_async::pooled_connection::AsyncDieselConnectionManager;
use diesel_async::pooled_connection::deadpool::Pool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use server::failed;
use server::rows::{Fortunes, HELLO, Hello, Params, World, drawn};

type Connections = Pool<AsyncPgConnection>;
type Reply<T> = Result<T, (StatusCode, String)>;

diesel::table! {
    world (id) {
        id -> Integer,
        randomnumber -> Integer,
    }
}

diesel::table! {
    fortune (id) {
        id -> Integer,
        message -> Text,
    }
}

async fn read(connection: &mut AsyncPgConnection, id: i32) -> QueryResult<World> {
    let row: (i32, i32) = world::table.find(id).first(connection).await?;
    Ok(row.into())
}

async fn several(connection: &mut AsyncPgConnection, number: usize) -> QueryResult<Vec<World>> {
    let mut worlds = Vec::new();
    for _ in 0..number {
        worlds.push(read(connection, drawn()).await?);
    }
    Ok(worlds)
}

async fn hello() -> Json<Hello> {
    Json(HELLO)
}

async fn db(State(pool): State<Connections>, Query(params): Query<Params>) -> Reply<Json<World>> {
    let mut connection = pool.get().await.map_err(failed)?;
    let world = read(&mut connection, params.id()).await.map_err(failed)?;
    Ok(Json(world))
}

async fn queries(
    State(pool): State<Connections>,
    Query(params): Query<Params>,
) -> Reply<Json<Vec<World>>> {
    let mut connection = pool.get().await.map_err(failed)?;
    let worlds = several(&mut connection, params.queries()).await;
    Ok(Json(worlds.map_err(failed)?))
}

async fn fortunes(State(pool): State<Connections>) -> Reply<Html<String>> {
    let mut connection = pool.get().await.map_err(failed)?;
    let rows: Vec<(i32, String)> = fortune::table.load(&mut connection).await.map_err(failed)?;
    Ok(Html(Fortunes::new(rows).render().map_err(failed)?))
}

async fn updates(
    State(pool): State<Connections>,
    Query(params): Query<Params>,
) -> Reply<Json<Vec<World>>> {
    let mut connection = pool.get().await.map_err(failed)?;
    let worlds = several(&mut connection, params.queries()).await;
    let mut worlds = worlds.map_err(failed)?;
    for row in &mut worlds {
        row.random_number = drawn();
        diesel::update(world::table.find(row.id))
            .set(world::randomnumber.eq(row.random_number))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
    }
    Ok(Json(worlds))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args()
        .nth(1)
        .ok_or("expected: diesel HOST:PORT")?;
    let manager = AsyncDieselConnectionManager::new(std::env::var("DATABASE_URL")?);
    let pool: Connections = Pool::builder(manager).build()?;
    let application = Router::new()
        .route("/pong", get(|| async { "PONG" }))
        .route("/json", get(hello))
        .route("/plaintext", get(|| async { "Hello, World!" }))
        .route("/db", get(db))
        .route("/queries", get(queries))
        .route("/fortunes", get(fortunes))
        .route("/updates", get(updates))
        .with_state(pool);
    Ok(server::serve(&address, true, application).await?)
}
