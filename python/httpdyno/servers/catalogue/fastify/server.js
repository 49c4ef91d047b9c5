// The workloads on Fastify.
'use strict'

const path = require('node:path')
const fastify = require('fastify')
const fastifyStatic = require('@fastify/static')
const { bigtable, echo, picture, serve } = require('./pages')

const app = fastify()
app.register(fastifyStatic, { root: path.dirname(picture), serve: false })
app.get('/pong', (request, reply) => reply.type('text/plain').send('PONG'))
app.get('/hello', (request, reply) => reply.type('text/plain').send('Hello, world!'))
app.get('/echo', (request, reply) => reply.type('text/xml').send(echo(request.query.value)))
app.get('/bigtable', (request, reply) => reply.type('text/html').send(bigtable()))
app.get('/file.png', (request, reply) => reply.sendFile('file.png'))

serve(async (options) => {
  await app.listen(options)
  return app.server
})
