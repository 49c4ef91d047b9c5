// The pages of the workloads, and the start of one process or several by node's own cluster module.
'use strict'

const cluster = require('node:cluster')
const path = require('node:path')

const [host, port, files, processes] = process.argv.slice(2)

const picture = path.join(files, 'file.png')

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

// `listen` starts the application's http.Server, and returns it or a promise of it.
async function serve(listen) {
  process.on('SIGTERM', () => process.exit(0))
  if (Number(processes) > 1 && cluster.isPrimary) {
    for (let n = 0; n < Number(processes); n++) cluster.fork()
    return
  }
  const server = await listen({ host, port: Number(port), backlog: 4096 })
  server.keepAliveTimeout = 75_000 // default 5 s: an idle pooled connection would be closed under the load
}

module.exports = { bigtable, echo, picture, serve }
