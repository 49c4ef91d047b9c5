"""TechEmpower's tests on Flask, with SQLAlchemy's ORM as Flask's documentation uses it."""

import os
from operator import attrgetter

import world
from flask import Flask, Response, render_template, request
from models import Fortune, World
from sqlalchemy import create_engine, select
from sqlalchemy.orm import scoped_session, sessionmaker

engine = create_engine(os.environ["DATABASE_URL"].replace("postgresql:", "postgresql+psycopg:"))
session = scoped_session(sessionmaker(engine, expire_on_commit=False))
app = Flask(__name__)


@app.teardown_appcontext
def remove_session(error):
    session.remove()


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
    return session.get(World, request.args.get("id", type=int) or world.drawn()).shown()


@app.get("/queries")
def queries():
    ids = world.ids(request.args.get("queries"))
    return [session.get(World, id).shown() for id in ids]


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
    return [row.shown() for row in rows]
