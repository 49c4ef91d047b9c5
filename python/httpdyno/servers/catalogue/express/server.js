// The workloads on Express.
'use strict'

const express = require('express')
const { bigtable, echo, picture, serve } = require('./pages')

const app = express()
app.get('/pong', (request, response) => response.type('text/plain').send('PONG'))
app.get('/hello', (request, response) => response.type('text/plain').send('Hello, world!'))
app.get('/echo', (request, response) => response.type('text/xml').send(echo(request.query.value)))
app.get('/bigtable', (request, response) => response.send(bigtable()))
app.get('/file.png', (request, response) => response.sendFile(picture))

serve((options) => app.listen(options))
