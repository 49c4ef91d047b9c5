// The workloads on Deno.serve, in the form that `deno serve` runs, on one thread or several.
const [files] = Deno.args

const page = (type, body) => new Response(body, { headers: { 'Content-Type': type } })

function escapeXml(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}

function echo(value) {
  return page('text/xml', value === null
    ? '<http_test><error>no value specified</error></http_test>'
    : `<http_test><value>${escapeXml(value)}</value></http_test>`)
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

async function file() {
  const content = await Deno.open(`${files}/file.png`)
  return page('image/png', content.readable)
}

export default {
  fetch(request) {
    const url = new URL(request.url)
    switch (url.pathname) {
      case '/pong': return page('text/plain', 'PONG')
      case '/hello': return page('text/plain', 'Hello, world!')
      case '/echo': return echo(url.searchParams.get('value'))
      case '/bigtable': return bigtable()
      case '/file.png': return file()
      default: return new Response(null, { status: 404 })
    }
  },
}
