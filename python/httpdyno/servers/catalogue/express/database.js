// TechEmpower's tests on Express, with a pool of node-postgres.
'use strict'

const express = require('express')
const { Pool } = require('pg')
const { serve } = require('./pages')
const rows = require('./rows')

const pool = new Pool({ connectionString: process.env.DATABASE_URL })

const app = express()
app.set('view engine', 'ejs')
app.get('/pong', (request, response) => response.type('text/plain').send('PONG'))
app.get('/json', (request, response) => response.json({ message: 'Hello, World!' }))
app.get('/plaintext', (request, response) => response.type('text/plain').send('Hello, World!'))
app.get('/db', async ({ query }, response) => response.json(await rows.db(pool, query.id)))
app.get('/queries', async ({ query }, response) => {
  response.json(await rows.queries(pool, query.queries))
})
app.get('/fortunes', async (request, response) => {
  response.render('fortunes', { fortunes: await rows.fortunes(pool) })
})
app.get('/updates', async ({ query }, response) => {
  response.json(await rows.updates(pool, query.queries))
})

serve((options) => app.listen(options))
