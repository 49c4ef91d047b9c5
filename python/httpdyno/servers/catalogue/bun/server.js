// The workloads on Bun.serve; several processes share the port, as Bun's guide to a cluster has it.
import { join } from 'node:path'

const [hostname, port, files, processes] = process.argv.slice(2)

const page = (type, body) => new Response(body, { headers: { 'Content-Type': type } })

function echo(request) {
  const value = new URL(request.url).searchParams.get('value')
  return page('text/xml', value === null
    ? '<http_test><error>no value specified</error></http_test>'
    : `<http_test><value>${Bun.escapeHTML(value)}</value></http_test>`)
}

function bigtable() {
  const parts = ['<table>']
  for (let row = 0; row < 1000; row++) {
    parts.push('<tr>')
    for (let column = 1; column <= 50; column++) parts.push(`<td>${column}</td>`)
    parts.push('</tr>')
  }
  parts.push('</table>')
  return page('text/html', parts.join(''))
}

function serve() {
  Bun.serve({
    hostname,
    port: Number(port),
    reusePort: Number(processes) > 1,
    development: false,
    idleTimeout: 75, // default 10 s: an idle pooled connection would be closed under the load
    routes: {
      '/pong': () => page('text/plain', 'PONG'),
      '/hello': () => page('text/plain', 'Hello, world!'),
      '/echo': echo,
      '/bigtable': bigtable,
      '/file.png': () => new Response(Bun.file(join(files, 'file.png'))),
    },
    fetch: () => new Response(null, { status: 404 }),
  })
}

function spawnWorkers() {
  const command = [process.execPath, import.meta.path, hostname, port, files, processes]
  const env = { ...process.env, WORKER: '1' }
  const workers = Array.from({ length: Number(processes) }, () =>
    Bun.spawn(command, { env, stdio: ['ignore', 'inherit', 'inherit'] }))
  process.on('SIGTERM', () => {
    for (const worker of workers) worker.kill()
    process.exit(0)
  })
}

if (Number(processes) > 1 && !process.env.WORKER) {
  spawnWorkers()
} else {
  process.on('SIGTERM', () => process.exit(0))
  serve()
}
