// The five workloads on node's own modules http and http2.
'use strict'

const cluster = require('node:cluster')
const fs = require('node:fs')
const http = require('node:http')
const http2 = require('node:http2')
const path = require('node:path')

const [host, port, files, processes, certificate, key] = process.argv.slice(2)

function escapeXml(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function send(response, type, body) {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

function echo(url, response) {
  const value = url.searchParams.get('value')
  const page = value === null
    ? '<http_test><error>no value specified</error></http_test>'
    : `<http_test><value>${escapeXml(value)}</value></http_test>`
  send(response, 'text/xml', page)
}

function bigtable(response) {
  const parts = ['<table>']
  for (let row = 0; row < 1000; row++) {
    parts.push('<tr>')
    for (let column = 1; column <= 50; column++) parts.push(`<td>${column}</td>`)
    parts.push('</tr>')
  }
  parts.push('</table>')
  send(response, 'text/html', parts.join(''))
}

function file(response) {
  fs.readFile(path.join(files, 'file.png'), (error, content) => {
    if (error) {
      response.writeHead(500)
      response.end()
    } else {
      response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': content.length })
      response.end(content)
    }
  })
}

function answer(request, response) {
  const url = new URL(request.url, 'http://localhost')
  switch (url.pathname) {
    case '/pong': return send(response, 'text/plain', 'PONG')
    case '/hello': return send(response, 'text/plain', 'Hello, world!')
    case '/echo': return echo(url, response)
    case '/bigtable': return bigtable(response)
    case '/file.png': return file(response)
    default:
      response.writeHead(404)
      response.end()
  }
}

// `h2c` in place of a certificate: HTTP/2 in clear text, which node does not tell from HTTP/1.1.
function create() {
  if (certificate === undefined) return http.createServer(answer)
  if (certificate === 'h2c') return http2.createServer(answer)
  const tls = { cert: fs.readFileSync(certificate), key: fs.readFileSync(key), allowHTTP1: true }
  return http2.createSecureServer(tls, answer)
}

if (Number(processes) > 1 && cluster.isPrimary) {
  process.on('SIGTERM', () => process.exit(0))
  for (let n = 0; n < Number(processes); n++) cluster.fork()
} else {
  const server = create()
  server.keepAliveTimeout = 75_000 // default 5 s: an idle pooled connection would be closed under the load
  server.listen({ port: Number(port), host, backlog: 4096 })
  process.on('SIGTERM', () => process.exit(0))
}
