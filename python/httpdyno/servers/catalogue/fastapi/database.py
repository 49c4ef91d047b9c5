"""TechEmpower's tests on FastAPI, with a pool of asyncpg as its documentation uses it."""

import os
from contextlib import asynccontextmanager
from operator import itemgetter

import asyncpg
import world
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.templating import Jinja2Templates

READ = "SELECT id, randomnumber FROM world WHERE id = $1"
WRITE = "UPDATE world SET randomnumber = $1 WHERE id = $2"

templates = Jinja2Templates(directory="templates")


@asynccontextmanager
async def lifespan(app):
    async with asyncpg.create_pool(os.environ["DATABASE_URL"]) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


async def read(connection, id):
    row = await connection.fetchrow(READ, id)
    return {"id": row["id"], "randomNumber": row["randomnumber"]}


@app.get("/pong", response_class=PlainTextResponse)
async def pong():
    return "PONG"


@app.get("/json")
async def hello():
    return {"message": "Hello, World!"}


@app.get("/plaintext", response_class=PlainTextResponse)
async def plaintext():
    return "Hello, World!"


@app.get("/db")
async def db(request: Request, id: int | None = None):
    async with request.app.state.pool.acquire() as connection:
        return await read(connection, id or world.drawn())


@app.get("/queries")
async def queries(request: Request, queries: str = "1"):
    async with request.app.state.pool.acquire() as connection:
        return [await read(connection, id) for id in world.ids(queries)]


@app.get("/fortunes", response_class=HTMLResponse)
async def fortunes(request: Request):
    async with request.app.state.pool.acquire() as connection:
        rows = await connection.fetch("SELECT id, message FROM fortune")
    found = sorted([*map(dict, rows), world.ADDED], key=itemgetter("message"))
    return templates.TemplateResponse(request, "fortunes.html", {"fortunes": found})


@app.get("/updates")
async def updates(request: Request, queries: str = "1"):
    async with request.app.state.pool.acquire() as connection:
        # In one order, so that no two requests wait for each other's rows.
        worlds = [await read(connection, id) for id in sorted(world.ids(queries))]
        for row in worlds:
            row["randomNumber"] = world.drawn()
        changes = [(row["randomNumber"], row["id"]) for row in worlds]
        await connection.executemany(WRITE, changes)
    return worlds
