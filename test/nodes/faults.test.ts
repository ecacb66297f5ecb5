import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type NatsCluster, natsAbsent, startNats } from '../nats.ts'
import { callServer, follow, inOrder } from '../processes/call-server.ts'
import type { KillableServer } from '../processes/killable-server.ts'
import { sized } from '../size.ts'
import { type Nodes, options, prepareNodes } from './nodes.ts'

const NODES = 3
const SENDERS = 4
const FOLLOWERS = sized(6, 40)

/** The number of messages that followers receive in all, which the messages sent until then follow from. */
const DELIVERIES = sized(600, 100_000)

/** The longest time, in milliseconds, for which a part is away, and between two faults. */
const PATIENCE = sized(1500, 6000)

/** The random numbers of the schedule begin with this; a failing run is repeated with its seed. */
const SEED = Number(process.env['PARLEY_TEST_SEED'] ?? 11)

function seededRandom(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * bound)
  }
}

const signal = (node: KillableServer, name: 'SIGSTOP' | 'SIGCONT') => process.kill(node.pid as number, name)

/** Nodes of which some are away at times; a client asks one of those that are there. */
class Site {
  readonly nodes: Nodes
  readonly running: KillableServer[] = []
  readonly random = seededRandom(SEED)
  isOver = false

  constructor(nodes: Nodes) {
    this.nodes = nodes
  }

  async startAll(): Promise<void> {
    while (this.running.length < NODES) this.running.push(await this.nodes.start({ LOG_LEVEL: 'silent' }))
  }

  /** Returns the answer of any node; null if that node did not answer, or answered that it cannot at the moment. */
  async ask(authorization: string, route: string, params: Record<string, unknown>) {
    const node = this.running[Math.floor(Math.random() * this.running.length)]
    const answer = node && (await callServer(node, authorization, route, params).catch(() => undefined))
    if (answer !== undefined && answer.status < 500) return answer
    await sleep(50)
    return null
  }

  /** Asks again until a node answers. */
  async untilAnswered(authorization: string, route: string, params: Record<string, unknown>) {
    for (;;) {
      const answer = await this.ask(authorization, route, params)
      if (answer !== null) return answer
    }
  }
}

type Fault = (site: Site, nats: NatsCluster) => Promise<void>

const takeAny = ({ running, random }: Site) => running.splice(random(running.length), 1)[0] as KillableServer

const faults: Readonly<Record<string, Fault>> = {
  async killNode(site) {
    await takeAny(site).kill()
  },
  async stopNode(site) {
    assert.equal(await takeAny(site).stop(), 0)
  },
  async suspendNode(site) {
    const node = site.running[site.random(site.running.length)] as KillableServer
    signal(node, 'SIGSTOP')
    await sleep(1000 + site.random(PATIENCE))
    signal(node, 'SIGCONT')
  },
  async killOneNatsServer({ random }, { servers }) {
    const server = servers[random(servers.length)]
    await server?.kill()
    await sleep(random(PATIENCE))
    await server?.start()
  },
  async killAllNatsServers({ random }, { servers }) {
    await Promise.all(servers.map((server) => server.kill()))
    await sleep(random(PATIENCE))
    await Promise.all(servers.map((server) => server.start()))
  },
  async cutConnectionsToPostgres({ nodes }) {
    await nodes.sql.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
  },
}

/** Causes each fault once, then any of them, until the site is over. Nodes that ended are replaced. */
async function causeFaults(site: Site, nats: NatsCluster, report: (name: string) => void): Promise<void> {
  const all = Object.entries(faults)
  for (let count = 0; !site.isOver || count < all.length; count += 1) {
    const [name, cause] = all[count < all.length ? count : site.random(all.length)] as [string, Fault]
    report(name)
    await cause(site, nats)
    await site.startAll()
    await sleep(site.random(PATIENCE / 4))
  }
}

type Client = Awaited<ReturnType<typeof follow>>

/** A person who follows the channel, polling a node until the last message has arrived. */
async function keepPolling(site: Site, client: Client, authorization: string, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    const answer = await site.ask(authorization, 'GET /events', {
      queue_id: client.queue_id,
      last_event_id: client.ids.at(-1),
      dont_block: Math.random() < 0.2,
    })
    assert.ok(answer === null || answer.status === 200, `A queue was refused: ${JSON.stringify(answer)}`)
    for (const { type, id, message } of answer?.['events'] ?? []) {
      // A heartbeat repeats the last id.
      if (type !== 'heartbeat') client.ids.push(id)
      if (message !== undefined) client.received.push(message.id)
    }
  }
}

/** A time in which a person was certainly not subscribed, or certainly subscribed: from one answer to the next request. */
type Period = { isSubscribed: boolean; from: number; to: number }

/** Unsubscribes the person and subscribes them again, until the site is over. */
async function changeSubscription(site: Site, owner: string, email: string): Promise<Period[]> {
  const periods: Period[] = [{ isSubscribed: true, from: performance.now(), to: Number.POSITIVE_INFINITY }]
  for (let isSubscribed = false; !site.isOver || isSubscribed; isSubscribed = !isSubscribed) {
    const [method, subscriptions] = isSubscribed ? ['POST', [{ name: 'all' }]] : ['DELETE', ['all']]
    ;(periods.at(-1) as Period).to = performance.now()
    const params = { subscriptions, principals: [email] }
    const { status } = await site.untilAnswered(owner, `${method} /users/me/subscriptions`, params)
    assert.equal(status, 200)
    periods.push({ isSubscribed, from: performance.now(), to: Number.POSITIVE_INFINITY })
    await sleep(300 + site.random(1500))
  }
  return periods
}

type Sent = { id: number; from: number; to: number }

/** Sends messages one after another, and repeats those whose answer did not arrive, as clients do. */
async function keepSending(site: Site, authorization: string, sent: Sent[]): Promise<void> {
  let last = 0
  while (!site.isOver) {
    const params = { type: 'channel', to: 'all', topic: 'faults', content: 'hi', queue_id: 'q', local_id: randomUUID() }
    const from = performance.now()
    const { status, id, ...rest } = await site.untilAnswered(authorization, 'POST /messages', params)
    assert.equal(status, 200, JSON.stringify(rest))
    assert.ok(id > last, 'the ids of a sender increase')
    last = id
    sent.push({ id, from, to: performance.now() })
  }
}

async function run(bus: Record<string, string>, nats: NatsCluster, context: TestContext): Promise<void> {
  const names = ['owner', 'leaver', ...Array.from({ length: FOLLOWERS }, (_, at) => `person${at}`)]
  const nodes = await prepareNodes(names, bus)
  const [owner, leaver, ...people] = nodes.signatures as [string, string, ...string[]]
  const site = new Site(nodes)
  await site.startAll()
  const [first] = site.running as [KillableServer]
  const principals = names.map((name) => `${name}@example.com`)
  await callServer(first, owner, 'POST /users/me/subscriptions', { subscriptions: [{ name: 'all' }], principals })
  const followers = await Promise.all(people.map((person) => follow(first, person)))
  const ofLeaver = await follow(first, leaver)

  const sent: Sent[] = []
  let isDone = false
  const lastOf = (client: Client) => client.received.at(-1) ?? 0
  const polling = [...followers.map((client, at) => keepPolling(site, client, people[at] as string, () => isDone))]
  const watching = keepPolling(site, ofLeaver, leaver, () => isDone)
  const changing = changeSubscription(site, owner, 'leaver@example.com')
  const sending = Array.from({ length: SENDERS }, (_, at) => keepSending(site, people[at] as string, sent))
  const causing = causeFaults(site, nats, (name) => context.diagnostic(name))
  const failed = Promise.all([...polling, watching, changing, ...sending, causing])

  const untilSent = async () => {
    while (sent.length * FOLLOWERS < DELIVERIES) await sleep(100)
    site.isOver = true
    await Promise.all([...sending, causing, changing])
    const { id } = await site.untilAnswered(owner, 'POST /messages', {
      ...{ type: 'channel', to: 'all', topic: 'faults', content: 'the end' },
    })
    while ([...followers, ofLeaver].some((client) => lastOf(client) < id)) await sleep(50)
    isDone = true
    await failed
  }
  await Promise.race([untilSent(), failed])
  const periods = await changing
  await Promise.all(site.running.map((node) => node.stop()))

  const { rows } = await nodes.sql.query(`select id::int from messages where "topic" = 'faults' order by id`)
  const saved = rows.map(({ id }: { id: number }) => id)
  assert.deepEqual(
    sent.map(({ id }) => id).filter((id) => !saved.includes(id)),
    [],
  )
  for (const { ids, received } of followers) {
    assert.deepEqual(received, saved, `seed ${SEED}`)
    assert.deepEqual(ids, inOrder(ids))
  }
  assert.deepEqual(ofLeaver.received, inOrder(ofLeaver.received))
  const receivedByLeaver = new Set(ofLeaver.received)
  for (const { id, from, to } of sent) {
    const period = periods.find((one) => from >= one.from && to <= one.to)
    if (period !== undefined) assert.equal(receivedByLeaver.has(id), period.isSubscribed, `message ${id}, seed ${SEED}`)
  }
}

test('under random faults of nodes, NATS servers and connections, each message reaches its recipients once, in order, and no one else', {
  skip: options.skip || natsAbsent,
}, async (context) => {
  const nats = await startNats(3)
  await run({ NATS_URL: nats.url, SECRET_KEY: 'the secret of all nodes of the tests' }, nats, context)
})
