"""TechEmpower's tests on FastAPI, with a session of SQLAlchemy for each request."""

import os
from operator import attrgetter
from typing import Annotated

import world
from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.templating import Jinja2Templates
from models import Fortune, World
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

URL = os.environ["DATABASE_URL"].replace("postgresql:", "postgresql+asyncpg:")

new_session = async_sessionmaker(create_async_engine(URL), expire_on_commit=False)
templates = Jinja2Templates(directory="templates")
app = FastAPI()


async def open_session():
    async with new_session() as session:
        yield session


Session = Annotated[AsyncSession, Depends(open_session)]


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
async def db(session: Session, id: int | None = None):
    return (await session.get(World, id or world.drawn())).shown()


@app.get("/queries")
async def queries(session: Session, queries: str = "1"):
    return [(await session.get(World, id)).shown() for id in world.ids(queries)]


@app.get("/fortunes", response_class=HTMLResponse)
async def fortunes(session: Session, request: Request):
    found = [*await session.scalars(select(Fortune)), Fortune(**world.ADDED)]
    found.sort(key=attrgetter("message"))
    return templates.TemplateResponse(request, "fortunes.html", {"fortunes": found})


@app.get("/updates")
async def updates(session: Session, queries: str = "1"):
    # The session writes its rows in the order of their ids when it commits.
    rows = [await session.get(World, id) for id in world.ids(queries)]
    for row in rows:
        row.randomNumber = world.drawn()
    await session.commit()
    return [row.shown() for row in rows]
