// Hono on Node.js.
'use strict'

const path = require('node:path')
const { createAdaptorServer } = require('@hono/node-server')
const { serveStatic } = require('@hono/node-server/serve-static')
const { application } = require('./app.mjs')
const { picture, serve } = require('./pages')

const app = application(serveStatic({ root: path.dirname(picture) }))
serve((options) => createAdaptorServer({ fetch: app.fetch }).listen(options))
