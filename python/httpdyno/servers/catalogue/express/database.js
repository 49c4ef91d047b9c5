// TechEmpower's tests on Express, with a pool of node-postgres as its documentation uses it.
'use strict'

const { randomInt } = require('node:crypto')
const express = require('express')
const { Pool } = require('pg')

const [host, port] = process.argv.slice(2)
const pool = new Pool({ connectionString: process.env.DATABASE_URL })

const drawn = () => randomInt(1, 10_001)

function number(text) {
  const given = /^\d+$/.test(text) ? Number(text) : 1
  return Math.min(Math.max(given, 1), 500)
}

async function read(client, id) {
  const { rows } = await client.query({
    name: 'read',
    text: 'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = $1',
    values: [id]
  })
  return rows[0]
}

async function several(client, queries) {
  const worlds = []
  for (let n = number(queries); n > 0; n--) worlds.push(await read(client, drawn()))
  return worlds
}

async function withClient(work) {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

const app = express()
app.set('view engine', 'ejs')
app.get('/pong', (request, response) => response.type('text/plain').send('PONG'))
app.get('/json', (request, response) => response.json({ message: 'Hello, World!' }))
app.get('/plaintext', (request, response) => response.type('text/plain').send('Hello, World!'))
app.get('/db', async (request, response) => {
  response.json(await read(pool, Number(request.query.id) || drawn()))
})
app.get('/queries', async (request, response) => {
  response.json(await withClient((client) => several(client, request.query.queries)))
})
app.get('/fortunes', async (request, response) => {
  const { rows } = await pool.query({ name: 'fortunes', text: 'SELECT id, message FROM fortune' })
  rows.push({ id: 0, message: 'Additional fortune added at request time.' })
  rows.sort((a, b) => (a.message < b.message ? -1 : 1))
  response.render('fortunes', { fortunes: rows })
})
app.get('/updates', async (request, response) => {
  const worlds = await withClient(async (client) => {
    const found = await several(client, request.query.queries)
    // In one order, so that no two requests wait for each other's rows.
    found.sort((a, b) => a.id - b.id)
    for (const world of found) {
      world.randomNumber = drawn()
      await client.query({
        name: 'write',
        text: 'UPDATE world SET randomnumber = $1 WHERE id = $2',
        values: [world.randomNumber, world.id]
      })
    }
    return found
  })
  response.json(worlds)
})

process.on('SIGTERM', () => process.exit(0))
const server = app.listen({ host, port: Number(port), backlog: 4096 })
server.keepAliveTimeout = 75_000 // default 5 s: an idle pooled connection would be closed under the load
