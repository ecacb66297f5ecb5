import lightMyRequest, { type InjectOptions, type Response } from 'light-my-request'
import type { HttpServer } from '#http/wire/server.ts'

/** Sends a request to a server without a connection. */
export function inject(server: Pick<HttpServer, 'answer'>, request: InjectOptions): Promise<Response> {
  return lightMyRequest(server.answer, request)
}
