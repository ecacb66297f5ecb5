import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, natsAbsent, populateAt, procAbsent, type Setup, startCluster } from '../cluster.ts'
import { copyLocation, type DataLocation } from '../disk.ts'
import { saturate } from '../drive.ts'
import { median } from '../percentile.ts'
import { openPollers } from '../pollers.ts'
import type { Population, Size } from '../populate.ts'
import { type BenchUser, writeRequest } from '../request.ts'
import type { BenchContext, Measurement, Row } from '../row.ts'
import { cpuOf, medianOf, type UnitCost, type Used, usedPerUnit } from '../unit-cost.ts'
import { hostileNodesRows } from './hostile.ts'
import { registration } from './large.ts'

// The rows measure the cost of each unit of work for all processes of an installation: one process, or up to three nodes.
// They measure CPU times rather than rates, because these depend less on what else the machine does. Installations that
// are compared run at the same time, and their rounds alternate. Each node gets its requests while the others get none:
// all processes of the bench share one core, and processes that take turns on one core cost each other a quarter of its
// time, which nodes with cores of their own do not.

/** The members of the channel of messages, the senders among them, and the clients that wait for events in another channel. */
const RECIPIENTS = 200
const SENDERS = 180
const POLLERS = 1000

const WARM_UPS = 2
const ROUNDS = 3
/** The longest time for the requests of a node in a round on a busy machine. */
const MAX_SECONDS = 6
const CONNECTIONS = 64
const IDLE_SECONDS = 3

/** A kind of request. */
type Unit = {
  readonly name: string
  /** The number of requests that each node gets in a round. */
  readonly count: number
  readonly request: (population: Population, number: number) => Buffer
  /** The number of requests of all nodes before the clock advances. */
  readonly oncePer?: { readonly requests: number; readonly seconds: number }
  /** The seconds after a round in which the requests still cause work. */
  readonly settle?: number
}

const memberOf = ({ people }: Population, number: number) => people[number % SENDERS] as BenchUser

const page = { anchor: 'newest', num_before: 50, num_after: 0, apply_markdown: true }

const send = (person: BenchUser, channelId: number | undefined, number: number) =>
  writeRequest(
    'POST /messages',
    { type: 'channel', to: String(channelId), topic: `topic ${number % 10}`, content: `Message **${number}**` },
    person,
  )

const SEND: Unit = {
  name: 'message sent',
  count: 320,
  request: (population, number) => send(memberOf(population, number), population.channels[0]?.id, number),
}

const READ: Unit = {
  name: 'history of 50 messages',
  count: 240,
  request: (population, number) =>
    writeRequest(
      'GET /messages',
      { ...page, narrow: [['channel', population.channels[0]?.id]] },
      memberOf(population, number),
    ),
}

const PRESENCE: Unit = {
  name: 'presence report',
  count: 3 * (RECIPIENTS + POLLERS),
  oncePer: { requests: RECIPIENTS + POLLERS, seconds: 60 },
  settle: 1.2,
  request: ({ people }, number) =>
    writeRequest('POST /users/me/presence', { status: 'active', ping_only: true }, people[number % people.length]),
}

const UNITS: readonly Unit[] = [
  SEND,
  READ,
  PRESENCE,
  {
    name: 'mark of 5 messages as read',
    count: SENDERS / 2,
    request: (population, number) => {
      const first = (Math.floor(number / SENDERS) * 5) % population.messageIds.length
      const messages = population.messageIds.slice(first, first + 5)
      return writeRequest('POST /messages/flags', { messages, op: 'add', flag: 'read' }, memberOf(population, number))
    },
  },
  {
    name: 'typing',
    count: 1800,
    request: (population, number) =>
      writeRequest(
        'POST /typing',
        {
          ...{ type: 'stream', op: number % 2 === 0 ? 'start' : 'stop' },
          ...{ stream_id: population.channels[0]?.id, topic: 'builds' },
        },
        memberOf(population, number),
      ),
  },
  {
    name: 'search',
    count: 60,
    request: (population, number) =>
      writeRequest('GET /messages', { ...page, narrow: [['search', 'runner']] }, memberOf(population, number)),
  },
  {
    name: 'register',
    count: 10,
    request: (population, number) =>
      writeRequest('POST /register', registration, memberOf(population, number), ['Accept-Encoding: gzip']),
  },
]

/** An installation that is measured, and what was found. */
type Measured = { readonly name: string; readonly cluster: Cluster; readonly costs: UnitCost[] }

/** Sends the requests of one round. Returns their number, and the number per second. */
async function drive({ ports, advance }: Cluster, population: Population, unit: Unit, first: number) {
  const total = unit.count * ports.length
  const { requests: portion, seconds } = unit.oncePer ?? { requests: total, seconds: 0 }
  let [requests, elapsed] = [0, 0]
  for (let start = 0; start < total; start += portion) {
    if (seconds > 0) await advance(seconds)
    for (const [node, port] of ports.entries()) {
      let number = start + node
      const next = () => {
        if (number >= start + portion) return null
        number += ports.length
        return unit.request(population, first + number - ports.length)
      }
      const driven = await saturate({ port, connections: CONNECTIONS, next }, MAX_SECONDS)
      requests += driven.requests
      elapsed += driven.seconds
    }
  }
  return { requests, rate: requests / elapsed }
}

/**
 * Measures a unit of work in all setups, which take turns. Returns for each setup how many times the work of the first
 * one it does, if each of its nodes gets the CPU time of the first setup: the median of the rounds.
 */
async function measureUnit(setups: readonly Measured[], population: Population, unit: Unit): Promise<number[]> {
  const sent = setups.map(() => 0)
  const round =
    ({ cluster }: Measured, at: number) =>
    async () => {
      const before = await cluster.used()
      const { requests, rate } = await drive(cluster, population, unit, sent[at] ?? 0)
      sent[at] = (sent[at] ?? 0) + unit.count * cluster.ports.length
      if (unit.settle !== undefined) await sleep(unit.settle * 1000)
      return { used: usedPerUnit(before, await cluster.used(), requests), rate }
    }
  const rounds = setups.map(round)
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) for (const run of rounds) await run()
  const found: { used: Used; rate: number }[][] = setups.map(() => [])
  for (let number = 0; number < ROUNDS; number += 1)
    for (const [at, run] of rounds.entries()) found[at]?.push(await run())
  return setups.map(({ name: setup, cluster, costs }, at) => {
    const own = found[at] ?? []
    const rate = median(own.map((each) => each.rate))
    costs.push({ setup, unit: unit.name, ...medianOf(own.map(({ used }) => used)), rate })
    return median(
      own.map(({ used }, number) => {
        const first = found[0]?.[number]?.used ?? used
        return (cluster.ports.length * cpuOf(first)) / cpuOf(used)
      }),
    )
  })
}

/** Measures nodes without requests, for each second and all nodes together. */
async function measureIdle({ name: setup, cluster, costs }: Measured): Promise<void> {
  await sleep(1000)
  const before = await cluster.used()
  await sleep(IDLE_SECONDS * 1000)
  const used = usedPerUnit(before, await cluster.used(), IDLE_SECONDS)
  costs.push({ setup, unit: 'second without requests', ...used, rate: null, spread: 0 })
}

/** Measures the delivery of an event to clients that wait for it, with their next poll, and the memory of each client. */
async function measureDeliveries({ name: setup, cluster, costs }: Measured, population: Population): Promise<void> {
  const { people, queueIds, channels } = population
  const residentMb = async () => {
    const sizes = await Promise.all(cluster.children.map((child) => child.ask('collectGarbage')))
    return sizes.map(Number).reduce((sum, size) => sum + size, 0)
  }
  const before = await residentMb()
  using pollers = await openPollers(cluster.ports, POLLERS, {
    poll: (recipient, lastEventId) =>
      writeRequest(
        'GET /events',
        { queue_id: queueIds[RECIPIENTS + recipient], last_event_id: lastEventId },
        people[RECIPIENTS + recipient],
      ),
    send: send(people[RECIPIENTS] as BenchUser, channels[1]?.id, 0),
  })
  for (let warmUp = 0; warmUp < 2 * cluster.ports.length; warmUp += 1) await pollers.sendToAll()
  const rounds: Used[] = []
  while (rounds.length < ROUNDS) {
    const start = await cluster.used()
    await pollers.sendToAll()
    await pollers.sendToAll()
    rounds.push(usedPerUnit(start, await cluster.used(), 2 * POLLERS))
  }
  const idleKb = (((await residentMb()) - before) * 1024) / POLLERS
  process.stderr.write(`  ${setup}: ${idleKb.toFixed(0)} KB for each client that waits\n`)
  costs.push({ setup, unit: 'event delivered', ...medianOf(rounds), rate: null })
}

type SetupOf = { readonly name: string; readonly setup: Setup; readonly location: DataLocation }

/**
 * Measures the costs of the units of work in setups that run at the same time, each unit in those that `isMeasured`
 * accepts. Returns the gain of each setup for each unit, too, by the names of both.
 */
async function measureSetups(
  setups: readonly SetupOf[],
  population: Population,
  isMeasured: (unit: Unit, setup: Setup) => boolean = () => true,
) {
  await using stack = new AsyncDisposableStack()
  const measured: Measured[] = []
  for (const { name, setup, location } of setups) {
    measured.push({ name, cluster: stack.use(await startCluster(location, setup)), costs: [] })
    // The processes of PostgreSQL are those of all setups, so only the first one is measured alone.
    if (measured.length === 1) await measureIdle(measured[0] as Measured)
  }
  for (const one of measured) await measureDeliveries(one, population)
  const gains = new Map<string, number>()
  for (const unit of UNITS) {
    const chosen = measured.filter((_, at) => isMeasured(unit, (setups[at] as SetupOf).setup))
    if (chosen.length === 0) continue
    for (const [at, gain] of (await measureUnit(chosen, population, unit)).entries())
      gains.set(`${unit.name} ${chosen[at]?.name}`, gain)
  }
  const residentMb = await Promise.all(
    measured.flatMap(({ cluster }) => cluster.children.map((child) => child.ask('collectGarbage'))),
  )
  return { costs: measured.flatMap(({ costs }) => costs), gains, rssMb: Math.max(...residentMb.map(Number)) }
}

/** The people of all setups. */
const SIZE: Size = {
  people: RECIPIENTS + POLLERS,
  channels: 2,
  members: [
    [0, RECIPIENTS],
    [RECIPIENTS, RECIPIENTS + POLLERS],
  ],
  messages: 500,
  queues: true,
}

const NOTHING = {
  rate: null,
  cpuMicros: null,
  baseRate: null,
  baseCpuMicros: null,
  ratio: null,
  ratioOf: '',
  latency: null,
}

function costOf(costs: readonly UnitCost[], unit: string, setup = costs[0]?.setup): UnitCost {
  const found = costs.find((cost) => cost.setup === setup && cost.unit === unit)
  if (found === undefined) throw new Error(`${setup} has no costs of a ${unit}`)
  return found
}

function oneProcessRow(name: string, isPostgres: boolean): Row {
  return {
    name,
    skip: procAbsent,
    goal: isPostgres
      ? {
          text: 'a message sent costs at most 1.2 ms of CPU time and 4 statements',
          isMet: ({ costs = [] }) => {
            const sent = costOf(costs, SEND.name)
            return cpuOf(sent) <= 1200 && sent.statements <= 4
          },
        }
      : { text: 'for comparison', isMet: () => true },
    async measure({ disk }) {
      const location = await (isPostgres ? disk.newPostgresLocation() : disk.newSqliteLocation())
      const population = await populateAt(location, SIZE)
      const name = isPostgres ? '1 process, PostgreSQL' : '1 process, SQLite'
      const { costs, rssMb } = await measureSetups([{ name, setup: { nodes: 1, bus: 'none' }, location }], population)
      const sent = costOf(costs, SEND.name)
      return { ...NOTHING, costs, rate: sent.rate, cpuMicros: cpuOf(sent), spread: sent.spread, rssMb }
    },
  }
}

const setupName = (nodes: number, bus: string) =>
  `${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${bus === 'nats' ? 'NATS' : 'NOTIFY'}`

const MIN_GAIN: Readonly<Record<number, number>> = { 2: 1.8, 3: 2.6 }

/** The units that cost the same with every bus, because nodes send each other nothing for them. */
const ALIKE: readonly Unit[] = UNITS.filter(({ name }) => ['search', 'register'].includes(name))

function nodesRow(bus: 'notify' | 'nats'): Row {
  const nodes = bus === 'nats' ? [1, 2, 3] : [1, 3]
  const judged = nodes.slice(1).flatMap((count) => [READ, PRESENCE].map(({ name }) => ({ count, unit: name })))
  return {
    name: `scale-${bus}`,
    skip: procAbsent || (bus === 'nats' && natsAbsent),
    goal: {
      text: 'two nodes do 1.8 times and three 2.6 times the reads and presence reports of one, with the same CPU time for each',
      isMet: ({ ratio }) => ratio !== null && ratio >= 1,
    },
    async measure({ disk }): Promise<Measurement> {
      const original = await disk.newPostgresLocation()
      const population = await populateAt(original, SIZE)
      const setups: SetupOf[] = []
      for (const count of nodes) {
        const location = await copyLocation(original, String(count))
        setups.push({ name: setupName(count, bus), setup: { nodes: count, bus }, location })
      }
      const { costs, gains, rssMb } = await measureSetups(setups, population, (unit, setup) =>
        setup.nodes === 2 ? unit === READ || unit === PRESENCE : bus === 'nats' || !ALIKE.includes(unit),
      )
      const gainOf = (count: number, unit: string) => gains.get(`${unit} ${setupName(count, bus)}`) ?? Number.NaN
      for (const { count, unit } of judged)
        process.stderr.write(`  ${count} nodes: ${gainOf(count, unit).toFixed(2)} times the ${unit}\n`)
      return {
        ...NOTHING,
        costs,
        ratio: Math.min(...judged.map(({ count, unit }) => gainOf(count, unit) / (MIN_GAIN[count] ?? count))),
        ratioOf: 'goals',
        spread: Math.max(...costs.filter(({ unit }) => unit === READ.name).map(({ spread }) => spread)),
        rssMb,
      }
    },
  }
}

const LARGE = { people: 10_000, readers: 5000 }
const SENDS = 30
const REACTIONS = 60
const MAX_SEND_MS = 30
const MAX_REACTION_MS = 4

const largeRow: Row = {
  name: 'scale-large',
  skip: procAbsent,
  goal: {
    text: `a send to 10,000 costs at most ${MAX_SEND_MS} ms of CPU time, a reaction to 5,000 readers ${MAX_REACTION_MS}`,
    isMet: ({ costs = [] }) =>
      cpuOf(costOf(costs, 'message to 10,000')) <= MAX_SEND_MS * 1000 &&
      cpuOf(costOf(costs, 'reaction of 5,000 readers')) <= MAX_REACTION_MS * 1000,
  },
  async measure({ disk }: BenchContext) {
    const location = await disk.newPostgresLocation()
    const members = [
      [0, LARGE.readers],
      [0, LARGE.people],
    ] as const
    const size = { people: LARGE.people, channels: 2, members, messages: 10 }
    const population = await populateAt(location, size)
    await using cluster = await startCluster(location, { nodes: 1, bus: 'none' })
    const units: Unit[] = [
      {
        name: 'message to 10,000',
        count: SENDS,
        request: ({ people, channels }, number) => send(people[number % 100] as BenchUser, channels[1]?.id, number),
      },
      {
        name: 'reaction of 5,000 readers',
        count: REACTIONS,
        request: ({ people, messageIds }, number) =>
          writeRequest(
            `POST /messages/${messageIds[number % messageIds.length]}/reactions`,
            { emoji_name: 'tada' },
            people[Math.floor(number / messageIds.length)],
          ),
      },
    ]
    const costs: UnitCost[] = []
    const measured = { name: '1 process, PostgreSQL', cluster, costs }
    for (const unit of units) await measureUnit([measured], population, unit)
    const rssMb = Number(await cluster.children[0]?.ask('collectGarbage'))
    return {
      ...NOTHING,
      costs,
      cpuMicros: cpuOf(costOf(costs, 'message to 10,000')),
      spread: Math.max(...costs.map(({ spread }) => spread)),
      rssMb,
    }
  },
}

export const scaleRows: readonly Row[] = [
  oneProcessRow('scale-sqlite', false),
  oneProcessRow('scale-postgres', true),
  nodesRow('notify'),
  nodesRow('nats'),
  largeRow,
  ...hostileNodesRows,
]
