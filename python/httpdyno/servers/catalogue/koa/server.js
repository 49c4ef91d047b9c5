// The workloads on Koa, with the router and the file sender of its own project.
'use strict'

const path = require('node:path')
const Koa = require('koa')
const { Router } = require('@koa/router')
const send = require('koa-send')
const { bigtable, echo, picture, serve } = require('./pages')

const router = new Router()
router.get('/pong', (ctx) => { ctx.body = 'PONG' })
router.get('/hello', (ctx) => { ctx.body = 'Hello, world!' })
router.get('/echo', (ctx) => {
  ctx.type = 'text/xml'
  ctx.body = echo(ctx.query.value)
})
router.get('/bigtable', (ctx) => {
  ctx.type = 'html'
  ctx.body = bigtable()
})
router.get('/file.png', (ctx) => send(ctx, 'file.png', { root: path.dirname(picture) }))

const app = new Koa()
app.use(router.routes()).use(router.allowedMethods())
serve((options) => app.listen(options))
