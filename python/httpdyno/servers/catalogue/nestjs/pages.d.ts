import type { Server } from 'node:http'
import type { ListenOptions } from 'node:net'

export const picture: string
export function echo(value?: string): string
export function bigtable(): string
export function serve(listen: (options: ListenOptions) => Promise<Server>): Promise<void>
