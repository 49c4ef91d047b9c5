// TechEmpower's tests on Fastify, with its own plugins for PostgreSQL and for templates.
'use strict'

const { randomInt } = require('node:crypto')
const path = require('node:path')
const fastify = require('fastify')

const [host, port] = process.argv.slice(2)
const app = fastify()
app.register(require('@fastify/postgres'), { connectionString: process.env.DATABASE_URL })
app.register(require('@fastify/view'), {
  engine: { ejs: require('ejs') },
  root: path.join(__dirname, 'views')
})

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
  const client = await app.pg.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

app.get('/pong', (request, reply) => reply.type('text/plain').send('PONG'))
app.get('/json', async () => ({ message: 'Hello, World!' }))
app.get('/plaintext', (request, reply) => reply.type('text/plain').send('Hello, World!'))
app.get('/db', async (request) => read(app.pg, Number(request.query.id) || drawn()))
app.get('/queries', async (request) => {
  return withClient((client) => several(client, request.query.queries))
})
app.get('/fortunes', async (request, reply) => {
  const { rows } = await app.pg.query({ name: 'fortunes', text: 'SELECT id, message FROM fortune' })
  rows.push({ id: 0, message: 'Additional fortune added at request time.' })
  rows.sort((a, b) => (a.message < b.message ? -1 : 1))
  return reply.view('fortunes.ejs', { fortunes: rows })
})
app.get('/updates', async (request) => {
  return withClient(async (client) => {
    const worlds = await several(client, request.query.queries)
    // In one order, so that no two requests wait for each other's rows.
    worlds.sort((a, b) => a.id - b.id)
    for (const world of worlds) {
      world.randomNumber = drawn()
      await client.query({
        name: 'write',
        text: 'UPDATE world SET randomnumber = $1 WHERE id = $2',
        values: [world.randomNumber, world.id]
      })
    }
    return worlds
  })
})

process.on('SIGTERM', () => process.exit(0))
app.listen({ host, port: Number(port), backlog: 4096 })
