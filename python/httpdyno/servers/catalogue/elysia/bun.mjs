// The workloads on Elysia, as its documentation writes handlers.
import { Elysia, file } from 'elysia'
import { bigtable, echo, picture, serve } from './pages.js'

const app = new Elysia({ serve: { idleTimeout: 75 } })
  .get('/pong', () => 'PONG')
  .get('/hello', () => 'Hello, world!')
  .get('/echo', ({ query, set }) => {
    set.headers['content-type'] = 'text/xml'
    return echo(query.value)
  })
  .get('/bigtable', ({ set }) => {
    set.headers['content-type'] = 'text/html'
    return bigtable()
  })
  .get('/file.png', () => file(picture))

serve(({ host, port }) => app.listen({ hostname: host, port, reusePort: true }).server)
