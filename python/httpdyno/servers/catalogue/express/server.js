// The workloads on Express; several processes by node's own cluster module.
'use strict'

const cluster = require('node:cluster')
const path = require('node:path')
const escapeHtml = require('escape-html')
const express = require('express')

const [host, port, files, processes] = process.argv.slice(2)

function echo(value) {
  return value === undefined
    ? '<http_test><error>no value specified</error></http_test>'
    : `<http_test><value>${escapeHtml(value)}</value></http_test>`
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
  const app = express()
  app.get('/pong', (request, response) => response.type('text/plain').send('PONG'))
  app.get('/hello', (request, response) => response.type('text/plain').send('Hello, world!'))
  app.get('/echo', (request, response) => response.type('text/xml').send(echo(request.query.value)))
  app.get('/bigtable', (request, response) => response.send(bigtable()))
  app.get('/file.png', (request, response) => response.sendFile(path.join(files, 'file.png')))
  return app
}

process.on('SIGTERM', () => process.exit(0))
if (Number(processes) > 1 && cluster.isPrimary) {
  for (let n = 0; n < Number(processes); n++) cluster.fork()
} else {
  const server = application().listen({ host, port: Number(port), backlog: 4096 })
  server.keepAliveTimeout = 75_000 // default 5 s: an idle pooled connection would be closed under the load
}
