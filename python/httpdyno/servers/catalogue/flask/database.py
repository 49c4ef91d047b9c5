"""TechEmpower's tests on Flask, with the pool of psycopg as its documentation uses it."""

import os
from operator import itemgetter

import world
from flask import Flask, Response, render_template, request
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

READ = 'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = %s'
WRITE = "UPDATE world SET randomnumber = %(randomNumber)s WHERE id = %(id)s"

app = Flask(__name__)
pool = ConnectionPool(
    os.environ["DATABASE_URL"], kwargs={"autocommit": True, "row_factory": dict_row}, open=True
)


def read(connection, id):
    return connection.execute(READ, [id]).fetchone()


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
    with pool.connection() as connection:
        return read(connection, request.args.get("id", type=int) or world.drawn())


@app.get("/queries")
def queries():
    with pool.connection() as connection:
        return [read(connection, id) for id in world.ids(request.args.get("queries"))]


@app.get("/fortunes")
def fortunes():
    with pool.connection() as connection:
        found = connection.execute("SELECT id, message FROM fortune").fetchall()
    found = sorted([*found, world.ADDED], key=itemgetter("message"))
    return render_template("fortunes.html", fortunes=found)


@app.get("/updates")
def updates():
    with pool.connection() as connection:
        # In one order, so that no two requests wait for each other's rows.
        worlds = [read(connection, id) for id in sorted(world.ids(request.args.get("queries")))]
        for row in worlds:
            row["randomNumber"] = world.drawn()
        connection.cursor().executemany(WRITE, worlds)
    return worlds
