// The baseline server: a Fastify route that reads the same request and sends the same bytes.
import type { AddressInfo } from 'node:net'
import { parse } from 'node:querystring'
import fastify, { type FastifyReply } from 'fastify'
import { answerParent, usage } from './child.ts'

type Route = { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body: string }

/**
 * The routes with a constant response; true if all other requests get a short one, whatever their body; the number of
 * presences that `/presences` stringifies; and the polls that all get the same bytes as soon as a message is sent and
 * their number is reached.
 */
export type NoOpOptions = {
  routes: Route[]
  accepts?: boolean
  presences?: number
  polls?: { count: number; body: string }
}

const { routes, accepts = false, presences = 0, polls } = JSON.parse(process.argv[2] ?? '') as NoOpOptions
const app = fastify()
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
  done(null, parse(body as string)),
)
if (accepts) {
  app.addContentTypeParser('*', (_request, payload, done) => payload.resume().on('end', () => done(null)))
  app.all('/*', { bodyLimit: 30 * 1024 * 1024 }, (_request, reply) => reply.send({ result: 'success' }))
}
for (const { method, path, body } of routes) {
  app.route({
    method,
    url: path,
    handler: (_request, reply) => reply.header('content-type', 'application/json').send(body),
  })
}

/** The work of a server that keeps presences in a map, and filters and writes them for each poll. */
const byUser = new Map(
  Array.from({ length: presences }, (_, id) => [
    id,
    { updateId: id + 1, active_timestamp: 1_900_000_000 + id, idle_timestamp: 1_900_000_000 + id },
  ]),
)
app.post('/presences', (request, reply) => {
  const since = Number((request.body as Record<string, string>)['last_update_id'])
  const found: Record<string, { active_timestamp: number; idle_timestamp: number }> = {}
  for (const [id, { updateId, active_timestamp, idle_timestamp }] of byUser) {
    if (updateId > since) found[id] = { active_timestamp, idle_timestamp }
  }
  const answer = {
    result: 'success',
    msg: '',
    presence_last_update_id: presences,
    server_timestamp: 1,
    presences: found,
  }
  return reply.header('content-type', 'application/json').send(JSON.stringify(answer))
})

if (polls !== undefined) {
  const shared = Buffer.from(polls.body)
  const waiting: FastifyReply[] = []
  let hasNews = false
  const answerAll = () => {
    if (!hasNews || waiting.length < polls.count) return
    hasNews = false
    for (const reply of waiting.splice(0)) reply.header('content-type', 'application/json').send(shared)
  }
  app.get('/api/v1/events', (_request, reply) => {
    waiting.push(reply)
    answerAll()
  })
  app.post('/api/v1/messages', (_request, reply) => {
    hasNews = true
    reply.header('content-type', 'application/json').send('{}')
    answerAll()
  })
}

await app.listen({ host: '127.0.0.1', port: 0 })
answerParent({ port: (app.server.address() as AddressInfo).port }, { usage }, () => app.close())
