import type http from 'node:http'

/** What a request carries; `form` becomes an urlencoded body. */
export type Request = {
  method: string
  path: string
  host?: string
  headers?: Record<string, string | string[]>
  form?: string
  body?: string | Buffer
}

export type Answer = {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  /** The text read as JSON; null when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
  body: any
}
