// Prints the version of an installed package, and of this program: `node version.js koa`.
const { readFileSync } = require('node:fs')

const { version } = JSON.parse(readFileSync(`node_modules/${process.argv[2]}/package.json`))
const { bun, node } = process.versions
console.log(bun ? `${version} on Bun ${bun}` : `${version} on Node.js ${node}`)
