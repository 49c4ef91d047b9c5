//! TechEmpower's tests on axum, with a pool of sqlx as its documentation uses it.

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Html;
use axum::routing::get;
use axum::{Json, Router};
use server::failed;
use server::rows::{Fortunes, HELLO, Hello, Params, World, drawn};
use sqlx::{PgConnection, PgPool};

type Reply<T> = Result<T, (StatusCode, String)>;

async fn read(connection: &mut PgConnection, id: i32) -> Result<World, sqlx::Error> {
    let row: (i32, i32) = sqlx::query_as("SELECT id, randomnumber FROM world WHERE id = $1")
        .bind(id)
        .fetch_one(connection)
        .await?;
    Ok(row.into())
}

async fn several(connection: &mut PgConnection, number: usize) -> Result<Vec<World>, sqlx::Error> {
    let mut worlds = Vec::new();
    for _ in 0..number {
        worlds.push(read(connection, drawn()).await?);
    }
    Ok(worlds)
}

async fn hello() -> Json<Hello> {
    Json(HELLO)
}

async fn db(State(pool): State<PgPool>, Query(params): Query<Params>) -> Reply<Json<World>> {
    let mut connection = pool.acquire().await.map_err(failed)?;
    let world = read(&mut connection, params.id()).await.map_err(failed)?;
    Ok(Json(world))
}

async fn queries(
    State(pool): State<PgPool>,
    Query(params): Query<Params>,
) -> Reply<Json<Vec<World>>> {
    let mut connection = pool.acquire().await.map_err(failed)?;
    let worlds = several(&mut connection, params.queries()).await;
    Ok(Json(worlds.map_err(failed)?))
}

async fn fortunes(State(pool): State<PgPool>) -> Reply<Html<String>> {
    let rows: Vec<(i32, String)> = sqlx::query_as("SELECT id, message FROM fortune")
        .fetch_all(&pool)
        .await
        .map_err(failed)?;
    Ok(Html(Fortunes::new(rows).render().map_err(failed)?))
}

async fn write(connection: &mut PgConnection, world: &World) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE world SET randomnumber = $1 WHERE id = $2")
        .bind(world.random_number)
        .bind(world.id)
        .execute(connection)
        .await?;
    Ok(())
}

async fn updates(
    State(pool): State<PgPool>,
    Query(params): Query<Params>,
) -> Reply<Json<Vec<World>>> {
    let mut connection = pool.acquire().await.map_err(failed)?;
    let worlds = several(&mut connection, params.queries()).await;
    let mut worlds = worlds.map_err(failed)?;
    for world in &mut worlds {
        world.random_number = drawn();
        write(&mut connection, world).await.map_err(failed)?;
    }
    Ok(Json(worlds))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("expected: sqlx HOST:PORT")?;
    let pool = PgPool::connect(&std::env::var("DATABASE_URL")?).await?;
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
