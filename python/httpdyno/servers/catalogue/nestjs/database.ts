// TechEmpower's tests on NestJS, with TypeORM and templates as its documentation uses them, on Fastify.
import 'reflect-metadata'
import { join } from 'node:path'
import { Controller, Get, Header, Module, Query, Render } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm'
import type { FastifyListenOptions } from 'fastify'
import * as handlebars from 'handlebars'
import { Column, Entity, PrimaryColumn, Repository } from 'typeorm'
import { serve } from './pages'
import { drawn, idOf, ids, withAdded } from './world'

@Entity('world')
class World {
  @PrimaryColumn()
  id!: number

  @Column({ name: 'randomnumber' })
  randomNumber!: number
}

@Entity('fortune')
class Fortune {
  @PrimaryColumn()
  id!: number

  @Column()
  message!: string
}

@Controller()
class WorldController {
  constructor(
    @InjectRepository(World) private readonly worlds: Repository<World>,
    @InjectRepository(Fortune) private readonly rows: Repository<Fortune>
  ) {}

  @Get('pong')
  @Header('Content-Type', 'text/plain')
  pong() {
    return 'PONG'
  }

  @Get('json')
  json() {
    return { message: 'Hello, World!' }
  }

  @Get('plaintext')
  @Header('Content-Type', 'text/plain')
  plaintext() {
    return 'Hello, World!'
  }

  @Get('db')
  db(@Query('id') id?: string) {
    return this.worlds.findOneByOrFail({ id: idOf(id) })
  }

  @Get('queries')
  queries(@Query('queries') queries?: string) {
    return this.several(queries)
  }

  @Get('fortunes')
  @Render('fortunes.hbs')
  async fortunes() {
    return { fortunes: withAdded(await this.rows.find()) }
  }

  @Get('updates')
  async updates(@Query('queries') queries?: string) {
    const worlds = await this.several(queries)
    for (const world of worlds) {
      world.randomNumber = drawn()
      await this.worlds.update(world.id, { randomNumber: world.randomNumber })
    }
    return worlds
  }

  private async several(queries?: string) {
    const worlds: World[] = []
    for (const id of ids(queries)) worlds.push(await this.worlds.findOneByOrFail({ id }))
    return worlds
  }
}

const entities = [World, Fortune]
const database = TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL, entities })

@Module({ imports: [database, TypeOrmModule.forFeature(entities)], controllers: [WorldController] })
class AppModule {}

serve(async (options) => {
  const adapter = new FastifyAdapter()
  const logger: ['error', 'warn'] = ['error', 'warn']
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger })
  app.setViewEngine({ engine: { handlebars }, templates: join(__dirname, 'views') })
  await app.listen(options as FastifyListenOptions)
  return app.getHttpServer()
})
