// The rows of TechEmpower's tests, as the documentation of node-postgres reads and writes them.
'use strict'

const { drawn, idOf, ids, withAdded } = require('./world')

async function read(client, id) {
  const { rows } = await client.query({
    name: 'read',
    text: 'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = $1',
    values: [id]
  })
  return rows[0]
}

async function several(client, queries) {
  const worlds = []
  for (const id of ids(queries)) worlds.push(await read(client, id))
  return worlds
}

async function withClient(pool, work) {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

const db = (pool, id) => read(pool, idOf(id))

const queries = (pool, number) => withClient(pool, (client) => several(client, number))

async function fortunes(pool) {
  const { rows } = await pool.query({ name: 'fortunes', text: 'SELECT id, message FROM fortune' })
  return withAdded(rows)
}

function updates(pool, number) {
  return withClient(pool, async (client) => {
    const worlds = await several(client, number)
    for (const world of worlds) {
      world.randomNumber = drawn()
      await client.query({
        name: 'write',
        text: 'UPDATE world SET randomnumber = $1 WHERE id = $2',
        values: [world.randomNumber, world.id]
      })
    }
    return worlds
  })
}

module.exports = { db, fortunes, queries, updates }
