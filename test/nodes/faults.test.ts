import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { activeSeconds } from '../active-time.ts'
import { openDatabaseProxy } from '../database-proxy.ts'
import { type NatsCluster, natsAbsent, openNatsProxy, startNats } from '../nats.ts'
import { type Postgres, REPLICATED, startPostgres } from '../postgres.ts'
import { callServer, follow, inOrder, isBusy } from '../processes/call-server.ts'
import type { KillableServer } from '../processes/killable-server.ts'
import { isLong, sized } from '../size.ts'
import { connectTo } from './node-storage.ts'
import { type Nodes, options, prepareNodes } from './nodes.ts'

// Three nodes, three NATS servers, PostgreSQL and a replica, of which any part fails at any time, while people send,
// follow, read and search. One of the nodes reaches NATS and PostgreSQL over connections that can be cut.

const NODES = 3
const SENDERS = sized(4, 8)
const READERS = 2
const FOLLOWERS = sized(6, 40)

/** The minimum number of messages that followers receive in all. */
const DELIVERIES = sized(600, 100_000)

/** The minimum number of faults of nodes, and of all else, each of which happens at least once. */
const FAULTS = sized(0, 60)

/** The time after which nothing new begins, in milliseconds. */
const MAX_TIME = sized(120_000, 600_000)

/** The time, in milliseconds, in which the last faults are over and all messages have arrived afterwards, on any machine. */
const ENDING_TIME = 600_000

/** The longest time, in milliseconds, for which a part is away, and between two faults. */
const PATIENCE = sized(1000, 6000)

/** The time, in milliseconds, for which a node is cut off from all else, and a person does not poll. */
const MINUTES = sized(4000, 130_000)

/** The time, in milliseconds, after which no node uses a permission that was taken away. */
const REVOCATION_TIME = 4000

/** The maximum number of messages that a reader requests. */
const PAGE = 100

/** The random numbers of the schedule begin with this. A failing long run is repeated with PARLEY_TEST_SEED. */
const SEED = sized(11, Number(process.env['PARLEY_TEST_SEED'] ?? 11))

type Random = (bound: number) => number

function seededRandom(seed: number): Random {
  let state = seed
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * bound)
  }
}

const signal = (node: Node, name: 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2') => process.kill(node.pid as number, name)

type Node = KillableServer & {
  /** True for the node whose connections to NATS and PostgreSQL can be cut. */
  readonly isFar: boolean
  /** The numbers of faults that disturb the node now, and that have disturbed it so far. */
  disturbances: { now: number; total: number }
}

/** The servers and connections that nodes need, each of which can fail. */
type Engines = {
  readonly nats: NatsCluster
  readonly standby: Postgres
  /** The connections of the far node. */
  readonly wires: {
    readonly postgres: Awaited<ReturnType<typeof openDatabaseProxy>>
    readonly nats: Awaited<ReturnType<typeof openNatsProxy>>
  }
}

/** Nodes of which some are away at times; a client asks one of those that are there. */
class Site {
  readonly engines: Engines
  readonly nodes: Nodes
  readonly running: Node[] = []
  /** True while the far node is cut off for minutes, so that clients have turned to the other nodes. */
  isFarLost = false
  isOver = false
  /** True if the test has failed, so that nobody waits for messages. */
  isAborted = false
  readonly #failed = Promise.withResolvers<never>()
  /** Rejects if a node ends by itself. */
  readonly failure: Promise<never> = this.#failed.promise

  constructor(nodes: Nodes, engines: Engines) {
    this.nodes = nodes
    this.engines = engines
  }

  /** Waits for some milliseconds, or until the site is over. */
  async pause(milliseconds: number): Promise<void> {
    for (const endsAt = performance.now() + milliseconds; performance.now() < endsAt && !this.isOver; ) await sleep(50)
  }

  async startAll(): Promise<void> {
    while (this.running.length < NODES && !this.isAborted) {
      const isFar = !this.running.some((node) => node.isFar)
      const server = await this.#start(isFar).catch((error: Error) => {
        // Its connections were closed during the start, and it is started again, as a service manager does.
        if (!/with code 1$/.test(error.message)) throw error
      })
      if (server === undefined) continue
      const node = { ...server, isFar, disturbances: { now: 0, total: 0 } }
      this.running.push(node)
      void server.ended.then((ending) => {
        if (this.running.includes(node)) this.#failed.reject(new Error(`A node ended by itself: ${ending}`))
      })
    }
  }

  #start(isFar: boolean): Promise<KillableServer> {
    const { postgres, nats } = this.engines.wires
    return this.nodes.start({
      ...{ LOG_LEVEL: 'silent', NODE_OPTIONS: `--import=${JUMPING_CLOCK}` },
      ...(isFar && { DATABASE_URL: postgres.url, NATS_URL: nats.url }),
    })
  }

  /** The nodes that clients ask. */
  get reachable(): readonly Node[] {
    return this.isFarLost ? this.running.filter(({ isFar }) => !isFar) : this.running
  }

  /** Returns the answer of any node; null if that node did not answer, or answered that it cannot at the moment. */
  async ask(authorization: string, route: string, params: Record<string, unknown>) {
    const node = this.reachable[Math.floor(Math.random() * this.reachable.length)]
    const answer = node && (await callServer(node, authorization, route, params).catch(() => undefined))
    if (answer !== undefined && answer.status < 500) return answer
    await sleep(50)
    return null
  }

  /** Asks again until a node answers. */
  async untilAnswered(authorization: string, route: string, params: Record<string, unknown>) {
    while (!this.isAborted) {
      const answer = await this.ask(authorization, route, params)
      if (answer !== null) return answer
    }
    throw new Error('The test has failed')
  }

  /** Runs a fault that these nodes notice, and waits until those that are left can serve again. */
  async disturb(nodes: readonly Node[], work: () => Promise<unknown>): Promise<void> {
    for (const { disturbances } of nodes) {
      disturbances.now += 1
      disturbances.total += 1
    }
    await work()
    for (const node of nodes) {
      while (this.running.includes(node) && !this.isAborted && !(await isHealthy(node))) await sleep(50)
      node.disturbances.now -= 1
    }
  }
}

const JUMPING_CLOCK = pathToFileURL(path.join(import.meta.dirname, 'jumping-clock.mjs')).href

const isHealthy = ({ url }: Node): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )

type Fault = (site: Site, random: Random) => Promise<void>

/** Returns one of the nodes; the far node cannot start while it is cut off for minutes, and is left alone then. */
const anyOf = ({ reachable }: Site, random: Random) => reachable[random(reachable.length)] as Node

function take(site: Site, random: Random): Node {
  const node = anyOf(site, random)
  site.running.splice(site.running.indexOf(node), 1)
  node.disturbances.total += 1
  return node
}

/** Runs `work` with the far node, unless it is cut off for minutes. */
async function withFarNode(site: Site, work: (node: Node) => Promise<unknown>): Promise<void> {
  const far = site.reachable.find(({ isFar }) => isFar)
  if (far !== undefined) await work(far)
}

const faultsOfNodes: Readonly<Record<string, Fault>> = {
  async killNode(site, random) {
    await take(site, random).kill()
  },
  async stopNode(site, random) {
    assert.equal(await take(site, random).stop(), 0)
  },
  async suspendNode(site, random) {
    const node = anyOf(site, random)
    await site.disturb([node], async () => {
      signal(node, 'SIGSTOP')
      await sleep(1000 + random(PATIENCE))
      signal(node, 'SIGCONT')
    })
  },
  async jumpClock(site, random) {
    signal(anyOf(site, random), 'SIGUSR2')
  },
  async cutNodeFromPostgres(site, random) {
    await withFarNode(site, (node) =>
      site.disturb([node], async () => {
        const { postgres } = site.engines.wires
        cut(postgres)
        await sleep(random(2 * PATIENCE))
        postgres.restore()
      }),
    )
  },
  async cutNodeFromNats(site, random) {
    await withFarNode(site, async () => {
      const { nats } = site.engines.wires
      nats.silence()
      await sleep(random(2 * PATIENCE))
      nats.restore()
    })
  },
}

function cut(postgres: Engines['wires']['postgres']): void {
  postgres.silence()
  postgres.swallow(true)
}

/** Waits until nodes read messages from the replica. */
async function untilReplicaAnswers(site: Site): Promise<void> {
  await using replica = await connectTo(site.engines.standby.url)
  const areRead = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    and query ~ 'userMessages' and state_change > clock_timestamp() - interval '500 ms'`
  while (!site.isOver && (await replica.query(areRead)).rows.length === 0) await sleep(100)
}

const faultsOfEngines: Readonly<Record<string, Fault>> = {
  async killOneNatsServer({ engines: { nats } }, random) {
    const server = nats.servers[random(nats.servers.length)]
    await server?.kill()
    await sleep(random(PATIENCE))
    await server?.start()
  },
  async killAllNatsServers({ engines: { nats } }, random) {
    await Promise.all(nats.servers.map((server) => server.kill()))
    await sleep(random(PATIENCE))
    await Promise.all(nats.servers.map((server) => server.start()))
  },
  async closeConnectionsToPostgres(site) {
    await site.disturb([...site.running], () =>
      site.nodes.sql.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      ),
    )
  },
  async killReplica(site, random) {
    const { standby } = site.engines
    await untilReplicaAnswers(site)
    await standby.kill()
    await sleep(random(PATIENCE))
    await standby.start()
  },
  async restartReplica(site) {
    await untilReplicaAnswers(site)
    await site.engines.standby.restart()
  },
  async freezeReplica(site, random) {
    const { standby } = site.engines
    await untilReplicaAnswers(site)
    await standby.freeze()
    await sleep(random(PATIENCE))
    standby.thaw()
  },
  async delayReplica(site, random) {
    await untilReplicaAnswers(site)
    await using replica = await connectTo(site.engines.standby.url)
    await replica.query('select pg_wal_replay_pause()')
    await sleep(500 + random(PATIENCE))
    await replica.query('select pg_wal_replay_resume()')
  },
}

type Report = (text: string) => void

type Schedule = { faults: Readonly<Record<string, Fault>>; random: Random; causes: string[] }

/** Causes each fault once, then any of them, until the site is over. Nodes that ended are replaced. */
async function causeFaults(site: Site, { faults, random, causes }: Schedule, report: Report): Promise<void> {
  const all = Object.entries(faults)
  while (causes.length < all.length || !site.isOver) {
    const [name, cause] = all[causes.length < all.length ? causes.length : random(all.length)] as [string, Fault]
    report(name)
    causes.push(name)
    await cause(site, random)
    if (faults === faultsOfNodes) await site.startAll()
    await site.pause(random(PATIENCE / 4))
  }
}

/** Cuts the far node off from NATS and PostgreSQL for minutes. */
async function loseFarNode(site: Site): Promise<void> {
  const far = site.running.find(({ isFar }) => isFar) as Node
  const { postgres, nats } = site.engines.wires
  site.isFarLost = true
  await site.disturb([far], async () => {
    cut(postgres)
    nats.silence()
    await sleep(MINUTES)
    postgres.restore()
    nats.restore()
  })
  site.isFarLost = false
}

/** Reads from nodes that no fault disturbs, which must answer. Returns the longest time of an answer in seconds. */
async function keepProbing(site: Site, authorization: string): Promise<number> {
  let longest = 0
  while (!site.isOver) {
    await sleep(50)
    const node = site.running[Math.floor(Math.random() * site.running.length)]
    if (node === undefined || node.disturbances.now > 0) continue
    const { total } = node.disturbances
    let answer: unknown
    const seconds = await activeSeconds(async () => {
      answer = await callServer(node, authorization, 'GET /messages', pageOf(1)).then(
        ({ status, code, msg }) => (status === 200 ? null : { status, code, msg }),
        ({ cause }) => String(cause),
      )
    })
    if (node.disturbances.total !== total || isBusy(answer)) continue
    const name = node.isFar ? 'the node over cut connections' : 'a node'
    assert.equal(
      answer,
      null,
      `${name}, undisturbed, failed after ${seconds} s: ${JSON.stringify(answer)}, seed ${SEED}`,
    )
    longest = Math.max(longest, seconds)
  }
  return longest
}

type Client = Awaited<ReturnType<typeof follow>>

const THE_END = 'the end'

/** A person who follows the channel, polling a node until the last message has arrived. `pause` is in milliseconds. */
async function keepPolling(site: Site, client: Client, authorization: string, pause = 0): Promise<void> {
  for (let isDone = false; !isDone && !site.isAborted; ) {
    await site.pause(pause)
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
      isDone ||= message?.content === THE_END
    }
  }
}

/** A time in which a person was certainly not subscribed, or certainly subscribed: from one answer to the next request. */
type Period = { isSubscribed: boolean; from: number; to: number }

/** Unsubscribes the person and subscribes them again, until the site is over. */
async function changeSubscription(site: Site, owner: string, email: string, random: Random): Promise<Period[]> {
  const periods: Period[] = [{ isSubscribed: true, from: performance.now(), to: Number.POSITIVE_INFINITY }]
  for (let isSubscribed = false; !site.isOver || isSubscribed; isSubscribed = !isSubscribed) {
    const [method, subscriptions] = isSubscribed ? ['POST', [{ name: 'all' }]] : ['DELETE', ['all']]
    ;(periods.at(-1) as Period).to = performance.now()
    const params = { subscriptions, principals: [email] }
    const { status } = await site.untilAnswered(owner, `${method} /users/me/subscriptions`, params)
    assert.equal(status, 200)
    periods.push({ isSubscribed, from: performance.now(), to: Number.POSITIVE_INFINITY })
    await site.pause(300 + random(isSubscribed ? 1500 : 3 * REVOCATION_TIME))
  }
  return periods
}

type Sent = { id: number; from: number; to: number }

const CONTENT = 'a lantern in the fog'

/** Sends messages one after another, and repeats those whose answer did not arrive, as clients do. */
async function keepSending(site: Site, authorization: string, sent: Sent[]): Promise<void> {
  let last = 0
  while (!site.isOver) {
    const message = { type: 'channel', to: 'all', topic: 'faults', content: CONTENT }
    const from = performance.now()
    const { status, id, ...rest } = await site.untilAnswered(authorization, 'POST /messages', {
      ...message,
      ...{ queue_id: 'q', local_id: randomUUID() },
    })
    assert.equal(status, 200, JSON.stringify(rest))
    assert.ok(id > last, 'the ids of a sender increase')
    last = id
    sent.push({ id, from, to: performance.now() })
  }
}

const pageOf = (num_before: number, ...narrow: object[]) => ({
  ...{ anchor: 'newest', num_before, num_after: 0, apply_markdown: false },
  narrow: [{ operator: 'channel', operand: 'all' }, ...narrow],
})

const SEARCH = { operator: 'search', operand: 'lantern' }

const idsIn = (answer: { [field: string]: unknown } | null): number[] =>
  ((answer?.['messages'] ?? []) as { id: number }[]).map(({ id }) => id)

/** The newest messages that a person was shown. */
type Reading = { from: number; to: number; ids: number[] }

/** Reads or searches the newest messages until the site is over. They include all that were acknowledged before. */
async function keepReading(site: Site, authorization: string, sent: readonly Sent[]): Promise<Reading[]> {
  const readings: Reading[] = []
  while (!site.isOver) {
    await sleep(100)
    const [from, { length }, searches] = [performance.now(), sent, Math.random() < 0.5]
    const answer = await site.ask(authorization, 'GET /messages', pageOf(PAGE, ...(searches ? [SEARCH] : [])))
    if (answer === null) continue
    assert.equal(answer.status, 200, JSON.stringify(answer))
    const ids = idsIn(answer)
    const shown = new Set(ids)
    const oldest = ids.length < PAGE ? 0 : Number(ids[0])
    const missing = sent.slice(0, length).filter(({ id }) => id >= oldest && !shown.has(id))
    assert.deepEqual(missing, [], `${searches ? 'a search' : 'a page'} shows all acknowledged messages, seed ${SEED}`)
    assert.deepEqual(ids, inOrder(ids))
    readings.push({ from, to: performance.now(), ids })
  }
  return readings
}

/** Reads and searches the channel as the person who leaves it at times, also from a node that is cut off. */
async function keepPeeking(site: Site, authorization: string): Promise<Reading[]> {
  const readings: Reading[] = []
  while (!site.isOver) {
    await sleep(100)
    const from = performance.now()
    const node = site.running[Math.floor(Math.random() * site.running.length)]
    const params = pageOf(PAGE, ...(Math.random() < 0.5 ? [SEARCH] : []))
    const answer = node && (await callServer(node, authorization, 'GET /messages', params).catch(() => undefined))
    if (answer !== undefined) readings.push({ from, to: performance.now(), ids: idsIn(answer) })
  }
  return readings
}

async function startEngines(context: TestContext): Promise<Engines & { settings: Record<string, string> }> {
  // The replica finds the log that it has missed.
  const primary = await startPostgres({ ...REPLICATED, wal_keep_size: '1GB' })
  const standby = await primary.addStandby()
  // Otherwise NATS would lead the far node around its cut connection.
  const nats = await startNats(3, 'cluster { no_advertise: true }')
  const wires = {
    postgres: await openDatabaseProxy(primary.url),
    nats: await openNatsProxy((nats.servers[0] as { url: string }).url),
  }
  context.after(async () => {
    await Promise.all(Object.values(wires).map((wire) => wire[Symbol.asyncDispose]()))
    await standby.stop()
    await primary.stop()
  })
  const settings = {
    ...{ DATABASE_URL: primary.url, DATABASE_READ_URLS: standby.url, NATS_URL: nats.url },
    SECRET_KEY: 'the secret of all nodes of the tests',
  }
  return { nats, standby, wires, settings }
}

const LEAVER = 'leaver@example.com'

test('under random faults of nodes, NATS servers, replicas, clocks and connections, each message reaches its recipients once, in order, and no one else', {
  skip: options.skip || natsAbsent,
}, async (context) => {
  const openedAt = performance.now()
  const report: Report = (text) =>
    context.diagnostic(`${((performance.now() - openedAt) / 1000).toFixed(1)} s: ${text}`)
  const { settings, ...engines } = await startEngines(context)
  const names = ['owner', 'leaver', 'absent', ...Array.from({ length: FOLLOWERS }, (_, at) => `person${at}`)]
  const nodes = await prepareNodes(names, settings)
  const [owner, leaver, absent, ...people] = nodes.signatures as [string, string, string, ...string[]]
  const site = new Site(nodes, engines)
  await site.startAll()
  const [first] = site.running as [Node]
  const created = await callServer(first, owner, 'POST /users/me/subscriptions', {
    subscriptions: [{ name: 'all' }],
    principals: names.map((name) => `${name}@example.com`),
    ...{ invite_only: true, history_public_to_subscribers: false },
  })
  assert.equal(created.status, 200, JSON.stringify(created))
  const followers = await Promise.all([...people, absent].map((person) => follow(first, person)))
  const ofAbsent = followers.at(-1) as Client
  const ofLeaver = await follow(first, leaver)

  const sent: Sent[] = []
  const startedAt = performance.now()
  const polling = followers.slice(0, -1).map((client, at) => keepPolling(site, client, people[at] as string))
  polling.push(keepPolling(site, ofAbsent, absent, MINUTES), keepPolling(site, ofLeaver, leaver))
  const changing = changeSubscription(site, owner, LEAVER, seededRandom(SEED + 2))
  const sending = people.slice(0, SENDERS).map((person) => keepSending(site, person, sent))
  const reading = people.slice(0, READERS).map((person) => keepReading(site, person, sent))
  const [peeking, probing] = [keepPeeking(site, leaver), keepProbing(site, owner)]
  const losing = loseFarNode(site)
  const schedules = [faultsOfNodes, faultsOfEngines].map((faults, at): Schedule => {
    return { faults, random: seededRandom(SEED + at), causes: [] }
  })
  const causing = schedules.map((schedule) => causeFaults(site, schedule, report))
  const busy = Promise.all([changing, ...sending, ...reading, peeking, probing, ...causing, losing])
  const all = Promise.race([Promise.all([...polling, busy]), site.failure])
  all.catch(() => {
    site.isOver = true
    site.isAborted = true
  })

  const untilSent = async () => {
    const isComplete = () =>
      sent.length * FOLLOWERS >= DELIVERIES &&
      schedules.every(({ faults, causes }) => causes.length >= Math.max(FAULTS, Object.keys(faults).length))
    await losing
    while (!isComplete() && performance.now() - startedAt < MAX_TIME) await sleep(100)
    site.isOver = true
    await busy
    await site.untilAnswered(owner, 'POST /messages', {
      ...{ type: 'channel', to: 'all', topic: 'faults', content: THE_END },
    })
  }
  const tooLate = sleep(MAX_TIME + MINUTES + ENDING_TIME, undefined, { ref: false }).then(() => {
    site.isOver = true
    site.isAborted = true
    assert.fail(`Some messages did not arrive, or someone got no answer, seed ${SEED}`)
  })
  await Promise.race([untilSent().then(() => all), all, tooLate])
  const [periods, readings, peeked] = [await changing, (await Promise.all(reading)).flat(), await peeking]
  const causes = schedules.flatMap((schedule) => schedule.causes)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  report(
    `${sent.length * FOLLOWERS} deliveries, ${causes.length + 1} faults, ${readings.length} pages and searches in ${seconds} s, seed ` +
      `${SEED}; the longest answer of an undisturbed node took ${(await probing).toFixed(1)} s`,
  )

  await context.test('what was acknowledged is there, and was delivered once', async () => {
    const { rows } = await nodes.sql.query(`select id::int from messages where "topic" = 'faults' order by id`)
    const saved = rows.map(({ id }: { id: number }) => id)
    const isSaved = new Set(saved)
    assert.ok(sent.length * FOLLOWERS >= DELIVERIES)
    assert.deepEqual(
      sent.map(({ id }) => id).filter((id) => !isSaved.has(id)),
      [],
    )
    for (const { ids, received } of followers) {
      assert.deepEqual(received, saved, `seed ${SEED}`)
      assert.deepEqual(ids, inOrder(ids))
    }
    for (const { ids } of readings) assert.ok(ids.every((id) => isSaved.has(id)))
  })

  await context.test('nothing was shown to the person who had left', async () => {
    assert.deepEqual(ofLeaver.received, inOrder(ofLeaver.received))
    const receivedByLeaver = new Set(ofLeaver.received)
    const shownToLeaver = new Set(peeked.flatMap(({ ids }) => ids))
    for (const { id, from, to } of sent) {
      const period = periods.find((one) => from >= one.from && to <= one.to)
      if (period === undefined) continue
      assert.equal(receivedByLeaver.has(id), period.isSubscribed, `message ${id}, seed ${SEED}`)
      assert.ok(period.isSubscribed || !shownToLeaver.has(id), `message ${id}, seed ${SEED}`)
    }
    const afterRevocation = peeked.filter(({ from, to }) =>
      periods.some((one) => !one.isSubscribed && from >= one.from + REVOCATION_TIME && to <= one.to),
    )
    report(`${afterRevocation.length} of ${peeked.length} pages and searches after a permission was taken away`)
    assert.ok(!isLong || afterRevocation.length > 0)
    for (const { ids } of afterRevocation) assert.deepEqual(ids, [], `seed ${SEED}`)
  })

  await context.test('the replica has answered reads, and answers none once it was promoted', async () => {
    const page = () =>
      Promise.all(site.running.map((node) => callServer(node, people[0] as string, 'GET /messages', pageOf(PAGE))))
    await using replica = await connectTo(engines.standby.url)
    const uses = async () => {
      const { rows } = await replica.query(
        `select sum(idx_scan)::int as uses from pg_stat_user_tables where relname in ('messages', 'userMessages')`,
      )
      return rows[0].uses
    }
    while ((await uses()) === 0) await page()

    await replica.query('select pg_promote()')
    await replica.query(`update messages set "content" = 'elsewhere', "renderedContent" = 'elsewhere'`)
    for (let turn = 0; turn < 5; turn += 1)
      for (const answer of await page()) {
        assert.equal(answer.status, 200)
        assert.ok(answer['messages'].length > 0)
        assert.ok(answer['messages'].every(({ content }: { content: string }) => content !== 'elsewhere'))
      }
  })
  await Promise.all(site.running.splice(0).map((node) => node.stop()))
  await nodes.sql.end()
})
