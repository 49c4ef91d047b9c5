// Hono on Bun.
import { dirname } from 'node:path'
import { serveStatic } from 'hono/bun'
import { application } from './app.mjs'
import { picture, serve } from './pages.js'

const app = application(serveStatic({ root: dirname(picture) }))
serve(({ host, port }) =>
  Bun.serve({ hostname: host, port, reusePort: true, idleTimeout: 75, fetch: app.fetch }))
