// The workloads on Fastify; several processes by node's own cluster module.
'use strict'

const cluster = require('node:cluster')
const fastify = require('fastify')
const fastifyStatic = require('@fastify/static')

const [host, port, files, processes] = process.argv.slice(2)

function escapeXml(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function echo(value) {
  return value === undefined
    ? '<http_test><error>no value specified</error></http_test>'
    : `<http_test><value>${escapeXml(value)}</value></http_test>`
}

function bigtable() {
  const parts = ['<table>']
  for (let row = 0; row < 1000; row++) {
    parts.push('<tr>')
    for (let column = 1; column <= 50; column++) parts.push(`<td>${column}</td>`)
    parts.push('</tr>')
  }
  parts.push('</table>')
  return parts.join('')
}

function application() {
  const app = fastify()
  app.register(fastifyStatic, { root: files, serve: false })
  app.get('/pong', (request, reply) => reply.type('text/plain').send('PONG'))
  app.get('/hello', (request, reply) => reply.type('text/plain').send('Hello, world!'))
  app.get('/echo', (request, reply) => reply.type('text/xml').send(echo(request.query.value)))
  app.get('/bigtable', (request, reply) => reply.type('text/html').send(bigtable()))
  app.get('/file.png', (request, reply) => reply.sendFile('file.png'))
  return app
}

process.on('SIGTERM', () => process.exit(0))
if (Number(processes) > 1 && cluster.isPrimary) {
  for (let n = 0; n < Number(processes); n++) cluster.fork()
} else {
  application().listen({ host, port: Number(port), backlog: 4096 })
}
