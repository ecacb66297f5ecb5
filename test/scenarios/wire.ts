import type http from 'node:http'

/** The parts of a request; `form` becomes an urlencoded body. */
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
  /** The text parsed as JSON; null if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers field by field
  body: any
}
