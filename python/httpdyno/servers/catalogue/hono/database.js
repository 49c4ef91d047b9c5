// TechEmpower's tests on Hono, with a pool of node-postgres.
'use strict'

const { createAdaptorServer } = require('@hono/node-server')
const { Hono } = require('hono')
const { html } = require('hono/html')
const { Pool } = require('pg')
const { serve } = require('./pages')
const rows = require('./rows')

const pool = new Pool({ connectionString: process.env.DATABASE_URL })

const page = (fortunes) => html`<!DOCTYPE html>
<html>
<head><title>Fortunes</title></head>
<body>
<table>
<tr><th>id</th><th>message</th></tr>
${fortunes.map(({ id, message }) => html`<tr><td>${id}</td><td>${message}</td></tr>`)}
</table>
</body>
</html>
`

const app = new Hono()
app.get('/pong', (c) => c.text('PONG'))
app.get('/json', (c) => c.json({ message: 'Hello, World!' }))
app.get('/plaintext', (c) => c.text('Hello, World!'))
app.get('/db', async (c) => c.json(await rows.db(pool, c.req.query('id'))))
app.get('/queries', async (c) => c.json(await rows.queries(pool, c.req.query('queries'))))
app.get('/fortunes', async (c) => c.html(page(await rows.fortunes(pool))))
app.get('/updates', async (c) => c.json(await rows.updates(pool, c.req.query('queries'))))

serve((options) => createAdaptorServer({ fetch: app.fetch }).listen(options))
