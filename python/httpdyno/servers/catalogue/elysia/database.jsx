// TechEmpower's tests on Elysia, with Bun's own client of PostgreSQL and the HTML plugin.
import { Html, html } from '@elysiajs/html'
import { sql } from 'bun'
import { Elysia } from 'elysia'
import { serve } from './pages.js'
import { drawn, idOf, ids, withAdded } from './world.js'

async function read(id) {
  const [row] = await sql`SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = ${id}`
  return row
}

async function several(queries) {
  const worlds = []
  for (const id of ids(queries)) worlds.push(await read(id))
  return worlds
}

const Page = ({ fortunes }) => (
  <html>
    <head><title>Fortunes</title></head>
    <body>
      <table>
        <tr><th>id</th><th>message</th></tr>
        {fortunes.map(({ id, message }) => <tr><td>{id}</td><td safe>{message}</td></tr>)}
      </table>
    </body>
  </html>
)

const app = new Elysia({ serve: { idleTimeout: 75 } })
  .use(html({ contentType: 'text/html; charset=utf-8' }))
  .get('/pong', () => 'PONG')
  .get('/json', () => ({ message: 'Hello, World!' }))
  .get('/plaintext', () => 'Hello, World!')
  .get('/db', ({ query }) => read(idOf(query.id)))
  .get('/queries', ({ query }) => several(query.queries))
  .get('/fortunes', async () => {
    const rows = await sql`SELECT id, message FROM fortune`
    return <Page fortunes={withAdded(rows)} />
  })
  .get('/updates', async ({ query }) => {
    const worlds = await several(query.queries)
    for (const world of worlds) {
      world.randomNumber = drawn()
      await sql`UPDATE world SET randomnumber = ${world.randomNumber} WHERE id = ${world.id}`
    }
    return worlds
  })

serve(({ host, port }) => app.listen({ hostname: host, port, reusePort: true }).server)
