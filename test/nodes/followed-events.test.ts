import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type App, openApp } from '#app.ts'
import { readSettings } from '#config.ts'
import { testClock } from '#lib/clock.ts'
import { openLog } from '#lib/log.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { freePort } from '../free-port.ts'
import { inject } from '../inject.ts'
import { natsAbsent, startNats } from '../nats.ts'
import { waitUntil } from './node-storage.ts'
import { options, prepareNodes } from './nodes.ts'

/** Starts NATS. `subjects` returns those to which nodes have subscribed, without the prefix of the installation. */
async function startWatchedNats() {
  const port = await freePort()
  const cluster = await startNats(1, `http: "127.0.0.1:${port}"\nmax_payload: 8192`)
  return {
    ...cluster,
    async subjects(): Promise<string[]> {
      const answer = await fetch(`http://127.0.0.1:${port}/connz?subs=1`)
      const { connections } = (await answer.json()) as { connections: { subscriptions_list?: string[] }[] }
      return connections
        .flatMap(({ subscriptions_list = [] }) => subscriptions_list)
        .map((subject) => subject.split('.').slice(2).join('.'))
        .sort()
    },
  }
}

/** The numbers of subjects to which two nodes have subscribed without clients, and of those of an organization. */
const [OF_TWO_NODES, OF_ORGANIZATION] = [4, 2]

/** The number of attempts, half a second apart, to receive a message over NATS in time. */
const MAX_TRIES = 60

async function openNode(settings: Record<string, string>) {
  const clock = testClock(Date.now() / 1000)
  const app = await openApp({
    settings: readSettings(settings),
    clock,
    log: openLog('silent'),
    passwordCost: MIN_PASSWORD_COST,
  })
  return { app, clock, [Symbol.asyncDispose]: () => app.close() }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they are about
type Answer = Record<string, any>

async function call(
  app: App,
  authorization: string,
  route: string,
  params: Record<string, string> = {},
): Promise<Answer> {
  const [method, path] = route.split(' ') as ['GET' | 'POST', string]
  const headers = { host: 'localhost:9991', authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const form = String(new URLSearchParams(params))
  const url = `/api/v1${path}${method === 'GET' ? `?${form}` : ''}`
  return (await inject(app.http, { method, url, headers, ...(method === 'POST' && { payload: form }) })).json()
}

test('a node subscribes to the events of an organization while it has clients of it, and needs no query for any of them', {
  skip: options.skip || natsAbsent,
}, async () => {
  const nats = await startWatchedNats()
  const bus = { NATS_URL: nats.url, SECRET_KEY: 'the secret of all nodes of the tests' }
  const { settings, signatures } = await prepareNodes(['ada', 'ben'], bus)
  const [ada, ben] = signatures as [string, string]
  await using leader = await openNode(settings)
  await using other = await openNode(settings)
  await waitUntil(async () => (await nats.subjects()).length === OF_TWO_NODES)
  const before = await nats.subjects()
  const isSubscribed = async () => (await nats.subjects()).length === OF_TWO_NODES + OF_ORGANIZATION
  const { queue_id, last_event_id } = await call(other.app, ada, 'POST /register', {
    event_types: '["message","typing"]',
  })
  await waitUntil(isSubscribed)
  const subjects = (await nats.subjects()).filter((subject) => !before.includes(subject))
  const { user_id } = await call(other.app, ada, 'GET /users/me')
  const toAda = `[${user_id}]`
  let last = String(last_event_id)
  const poll = async () => {
    const { events } = await call(other.app, ada, 'GET /events', { queue_id, last_event_id: last })
    last = String(events.at(-1).id)
    return events.map(({ type, message }: Answer) => message?.content ?? type)
  }
  const receive = async (content: string) => {
    const waiting = poll()
    await waitUntil(() => other.app.services.hub.counts().waitingPolls === 1)
    const statements = other.app.storage.statements
    await call(leader.app, ben, 'POST /messages', { type: 'direct', to: toAda, content })
    return { received: await waiting, statements: other.app.storage.statements - statements }
  }

  await receive('first')
  let second = await receive('second')
  // If a busy machine delays a message, the node prefers the database for a while.
  for (let tries = 0; second.statements > 0 && tries < MAX_TRIES; tries += 1) {
    await sleep(500)
    second = await receive('second')
  }
  await call(leader.app, ben, 'POST /typing', { type: 'direct', op: 'start', to: toAda })
  const typing = await poll()
  const long = await receive('x'.repeat(9000))
  const isConnected = async () =>
    (await call(other.app, ada, 'GET /server/health'))['server'].nodes[0].is_connected_to_nats
  const connected = [await isConnected()]
  const [server] = nats.servers
  await server?.kill()
  const third = await receive('third')
  connected.push(await isConnected())
  await server?.start()
  await waitUntil(isSubscribed)
  await waitUntil(isConnected)
  const fourth = await receive('fourth')
  await other.clock.advance(1300)
  await waitUntil(async () => (await nats.subjects()).length === OF_TWO_NODES)

  assert.deepEqual(
    subjects.map((subject) => subject.replace(/\d+/, 'ID')),
    ['log.ID', 'sent.ID'],
  )
  assert.deepEqual(second, { received: ['second'], statements: 0 })
  assert.deepEqual(typing, ['typing'])
  assert.deepEqual(
    [long, third, fourth].flatMap(({ received }) => received),
    ['x'.repeat(9000), 'third', 'fourth'],
  )
  assert.deepEqual(connected, [true, false])
  assert.ok((other.app.storage.bus()?.counts.received ?? 0) > 0)
})
