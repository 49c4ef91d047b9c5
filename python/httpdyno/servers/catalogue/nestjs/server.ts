// The workloads on NestJS, as its documentation writes controllers, on Express or on Fastify.
import 'reflect-metadata'
import { createReadStream } from 'node:fs'
import type { ListenOptions } from 'node:net'
import { Controller, Get, Header, Module, Query, StreamableFile } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyListenOptions } from 'fastify'
import { bigtable, echo, picture, serve } from './pages'

@Controller()
class PagesController {
  @Get('pong')
  @Header('Content-Type', 'text/plain')
  pong() {
    return 'PONG'
  }

  @Get('hello')
  @Header('Content-Type', 'text/plain')
  hello() {
    return 'Hello, world!'
  }

  @Get('echo')
  @Header('Content-Type', 'text/xml')
  echo(@Query('value') value?: string) {
    return echo(value)
  }

  @Get('bigtable')
  @Header('Content-Type', 'text/html')
  bigtable() {
    return bigtable()
  }

  @Get('file.png')
  picture() {
    return new StreamableFile(createReadStream(picture), { type: 'image/png' })
  }
}

@Module({ controllers: [PagesController] })
class AppModule {}

const logger: ['error', 'warn'] = ['error', 'warn']

async function onExpress(options: ListenOptions) {
  const app = await NestFactory.create(AppModule, { logger })
  await app.init()
  return app.getHttpServer().listen(options)
}

async function onFastify(options: ListenOptions) {
  const adapter = new FastifyAdapter()
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger })
  await app.listen(options as FastifyListenOptions)
  return app.getHttpServer()
}

serve(process.argv[6] === 'fastify' ? onFastify : onExpress)
