export interface Row {
  id: number
  message: string
}

export function drawn(): number
export function idOf(given?: string): number
export function ids(queries?: string): number[]
export function withAdded(fortunes: Row[]): Row[]
