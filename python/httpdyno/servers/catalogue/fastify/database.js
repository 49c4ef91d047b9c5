// TechEmpower's tests on Fastify, with its own plugins for PostgreSQL and for templates.
'use strict'

const path = require('node:path')
const fastify = require('fastify')
const { serve } = require('./pages')
const rows = require('./rows')

const app = fastify()
app.register(require('@fastify/postgres'), { connectionString: process.env.DATABASE_URL })
app.register(require('@fastify/view'), {
  engine: { ejs: require('ejs') },
  root: path.join(__dirname, 'views')
})

app.get('/pong', (request, reply) => reply.type('text/plain').send('PONG'))
app.get('/json', async () => ({ message: 'Hello, World!' }))
app.get('/plaintext', (request, reply) => reply.type('text/plain').send('Hello, World!'))
app.get('/db', async ({ query }) => rows.db(app.pg, query.id))
app.get('/queries', async ({ query }) => rows.queries(app.pg, query.queries))
app.get('/fortunes', async (request, reply) => {
  return reply.view('fortunes.ejs', { fortunes: await rows.fortunes(app.pg) })
})
app.get('/updates', async ({ query }) => rows.updates(app.pg, query.queries))

serve(async (options) => {
  await app.listen(options)
  return app.server
})
