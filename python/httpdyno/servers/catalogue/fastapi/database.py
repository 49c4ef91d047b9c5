"""TechEmpower's tests on FastAPI, with a pool of asyncpg as its documentation uses it."""

import os
from contextlib import asynccontextmanager
from operator import itemgetter
from pathlib import Path
from random import randint

import asyncpg
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.templating import Jinja2Templates

ADDED = {"id": 0, "message": "Additional fortune added at request time."}
READ = "SELECT id, randomnumber FROM world WHERE id = $1"
WRITE = "UPDATE world SET randomnumber = $1 WHERE id = $2"

templates = Jinja2Templates(directory=Path(__file__).parent / "templates")


@asynccontextmanager
async def lifespan(app):
    async with asyncpg.create_pool(os.environ["DATABASE_URL"]) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


def number_of(text):
    return min(max(int(text), 1), 500) if text.isdecimal() else 1


async def read(connection, number):
    row = await connection.fetchrow(READ, number)
    return {"id": row["id"], "randomNumber": row["randomnumber"]}


async def several(connection, queries):
    return [await read(connection, randint(1, 10_000)) for _ in range(number_of(queries))]


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
        return await read(connection, id or randint(1, 10_000))


@app.get("/queries")
async def queries(request: Request, queries: str = "1"):
    async with request.app.state.pool.acquire() as connection:
        return await several(connection, queries)


@app.get("/fortunes", response_class=HTMLResponse)
async def fortunes(request: Request):
    async with request.app.state.pool.acquire() as connection:
        rows = await connection.fetch("SELECT id, message FROM fortune")
    found = sorted([*map(dict, rows), ADDED], key=itemgetter("message"))
    return templates.TemplateResponse(request, "fortunes.html", {"fortunes": found})


@app.get("/updates")
async def updates(request: Request, queries: str = "1"):
    async with request.app.state.pool.acquire() as connection:
        worlds = await several(connection, queries)
        for world in worlds:
            world["randomNumber"] = randint(1, 10_000)
        # In one order, so that no two requests wait for each other's rows.
        worlds.sort(key=itemgetter("id"))
        changes = [(world["randomNumber"], world["id"]) for world in worlds]
        await connection.executemany(WRITE, changes)
    return worlds
