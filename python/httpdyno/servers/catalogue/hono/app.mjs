// The workloads on Hono, the same on each runtime; `file` sends the file by the runtime's own means.
import { Hono } from 'hono'
import { bigtable, echo } from './pages.js'

export function application(file) {
  const app = new Hono()
  app.get('/pong', (c) => c.text('PONG'))
  app.get('/hello', (c) => c.text('Hello, world!'))
  app.get('/echo', (c) => c.body(echo(c.req.query('value')), 200, { 'Content-Type': 'text/xml' }))
  app.get('/bigtable', (c) => c.html(bigtable()))
  app.get('/file.png', file)
  return app
}
