// Hono on Deno, in the form that `deno serve` runs.
import { dirname } from 'node:path'
import { serveStatic } from 'hono/deno'
import { application } from './app.mjs'
import { picture } from './pages.js'

export default application(serveStatic({ root: dirname(picture) }))
