import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { after } from 'node:test'
import { ownDatabaseUrl } from '../database.ts'
import { startServerProcess } from '../processes/server-process.ts'
import type { Answer, Request } from './wire.ts'
import { toWorld, type World } from './world.ts'

/** An email that the server sent. */
export type Mail = {
  id: number
  to: string[]
  from: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  sent_at: number
}

/** A disposable server in its own process, which stops after the tests of the file. */
export type Server = {
  readonly port: number
  /** Sends a request unchanged, and fails the test if the response is a 5xx. */
  request(request: Request): Promise<Answer>
  /** Calls the testing API and returns the body of its success. */
  testing(route: string, body?: unknown): Promise<Answer['body']>
  /** Creates an organization with users and channels, and empties the mailbox. */
  world(options?: { subdomain?: string; name?: string; settings?: Record<string, unknown> }): Promise<World>
  /** Stops the clock at a whole second, and returns its time. */
  freeze(): Promise<number>
  /** Advances the clock and returns its time. */
  advance(seconds: number): Promise<number>
  mail(to?: string): Promise<Mail[]>
  stop(): Promise<void>
}

/** Starts a server. The tests of one file share it, with organizations on different hosts. */
export async function startServer(): Promise<Server> {
  const database = (await ownDatabaseUrl()) ?? 'memory'
  const { port, stop } = await startServerProcess(database)
  const agent = new http.Agent({ keepAlive: true })

  const server: Server = {
    port,
    request: (request) => send(agent, port, request),
    async testing(route, body) {
      const [method = '', target = ''] = route.split(' ')
      const text = body === undefined ? undefined : JSON.stringify(body)
      const headers = { 'content-type': 'application/json' }
      const answer = await server.request({ method, path: target, ...(text !== undefined && { body: text, headers }) })
      assert.equal(answer.body?.result, 'success', `${route}: ${answer.text}`)
      return answer.body
    },
    async world(options = {}) {
      await server.testing('DELETE /testing/mail')
      return toWorld(server, await server.testing('POST /testing/organizations', options))
    },
    async freeze() {
      const { now } = await server.testing('POST /testing/clock', { freeze: true })
      return (await server.testing('POST /testing/clock', { set: Math.ceil(now) })).now
    },
    advance: async (seconds) => (await server.testing('POST /testing/clock', { advance: seconds })).now,
    async mail(to) {
      const query = to === undefined ? '' : `?to=${encodeURIComponent(to)}`
      return (await server.testing(`GET /testing/mail${query}`)).messages
    },
    async stop() {
      agent.destroy()
      await stop()
    },
  }
  after(() => server.stop())
  return server
}

async function send(agent: http.Agent, port: number, given: Request): Promise<Answer> {
  const body = given.form ?? given.body
  const request = http.request({
    agent,
    host: '127.0.0.1',
    port,
    method: given.method,
    path: given.path,
    headers: {
      host: given.host ?? 'localhost',
      ...(given.form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      ...given.headers,
    },
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const status = response.statusCode ?? 0
  assert.ok(status < 500, `${given.method} ${given.path}: ${status} ${text}`)
  return { status, headers: response.headers, text, body: asJson(text) }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
