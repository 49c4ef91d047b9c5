// The ids, the numbers and the added row of TechEmpower's tests.
'use strict'

const { randomInt } = require('node:crypto')

const ADDED = { id: 0, message: 'Additional fortune added at request time.' }

const drawn = () => randomInt(1, 10_001)

const idOf = (given) => Number(given) || drawn()

// As many ids as a request asks for, in one order, so that no two requests wait for each other's rows.
function ids(queries) {
  const number = /^\d+$/.test(queries) ? Number(queries) : 1
  return Array.from({ length: Math.min(Math.max(number, 1), 500) }, drawn).sort((a, b) => a - b)
}

function withAdded(fortunes) {
  return [...fortunes, ADDED].sort((a, b) => (a.message < b.message ? -1 : 1))
}

module.exports = { drawn, idOf, ids, withAdded }
