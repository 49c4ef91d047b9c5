"""TechEmpower's tests on Flask, with SQLAlchemy's ORM as Flask's documentation uses it."""

import os
from operator import attrgetter

import world
from flask import Flask, Response, render_template, request
from sqlalchemy import create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, scoped_session, sessionmaker

engine = create_engine(os.environ["DATABASE_URL"].replace("postgresql:", "postgresql+psycopg:"))
session = scoped_session(sessionmaker(engine, expire_on_commit=False))
app = Flask(__name__)


class Base(DeclarativeBase):
    pass


class World(Base):
    __tablename__ = "world"
    id: Mapped[int] = mapped_column(primary_key=True)
    randomNumber: Mapped[int] = mapped_column("randomnumber")  # noqa: N815


class Fortune(Base):
    __tablename__ = "fortune"
    id: Mapped[int] = mapped_column(primary_key=True)
    message: Mapped[str]


@app.teardown_appcontext
def remove_session(error):
    session.remove()


def shown(row):
    return {"id": row.id, "randomNumber": row.randomNumber}


@app.get("/pong")
def pong():
    return Response("PONG", mimetype="text/plain")


@app.get("/json")
def json():
    return {"message": "Hello, World!"}


@app.get("/plaintext")
def plaintext():
    return Response("Hello, World!", mimetype="text/plain")


@app.get("/db")
def db():
    return shown(session.get(World, request.args.get("id", type=int) or world.drawn()))


@app.get("/queries")
def queries():
    ids = world.ids(request.args.get("queries"))
    return [shown(session.get(World, id)) for id in ids]


@app.get("/fortunes")
def fortunes():
    found = [*session.scalars(select(Fortune)), Fortune(**world.ADDED)]
    found.sort(key=attrgetter("message"))
    return render_template("fortunes.html", fortunes=found)


@app.get("/updates")
def updates():
    # The session writes its rows in the order of their ids when it commits.
    ids = world.ids(request.args.get("queries"))
    rows = [session.get(World, id) for id in ids]
    for row in rows:
        row.randomNumber = world.drawn()
    session.commit()
    return [shown(row) for row in rows]
