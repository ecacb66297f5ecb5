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
// They measure CPU times rather than rates, because these depend less on what else the machine does.

/** The members of the channel of messages, the senders among them, and the clients that wait for events in another channel. */
const RECIPIENTS = 200
const SENDERS = 180
const POLLERS = 1000

const ROUNDS = 3
/** The longest time for a round on a busy machine. */
const MAX_SECONDS = 6
const CONNECTIONS = 64
const IDLE_SECONDS = 3

/** A kind of request, and the number of requests in a round. */
type Unit = {
  readonly name: string
  readonly count: number
  readonly request: (population: Population, number: number) => Buffer
  /** Seconds by which the clock advances before each round. */
  readonly advance?: number
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
  count: 960,
  request: (population, number) => send(memberOf(population, number), population.channels[0]?.id, number),
}

const READ: Unit = {
  name: 'history of 50 messages',
  count: 360,
  request: (population, number) =>
    writeRequest(
      'GET /messages',
      { ...page, narrow: [['channel', population.channels[0]?.id]] },
      memberOf(population, number),
    ),
}

const PRESENCE: Unit = {
  name: 'presence report',
  count: RECIPIENTS + POLLERS,
  advance: 60,
  request: ({ people }, number) =>
    writeRequest('POST /users/me/presence', { status: 'active', ping_only: true }, people[number % people.length]),
}

const UNITS: readonly Unit[] = [
  SEND,
  READ,
  PRESENCE,
  {
    name: 'mark of 5 messages as read',
    count: 360,
    request: (population, number) => {
      const first = (Math.floor(number / SENDERS) * 5) % population.messageIds.length
      const messages = population.messageIds.slice(first, first + 5)
      return writeRequest('POST /messages/flags', { messages, op: 'add', flag: 'read' }, memberOf(population, number))
    },
  },
  {
    name: 'typing',
    count: 720,
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
    count: 180,
    request: (population, number) =>
      writeRequest('GET /messages', { ...page, narrow: [['search', 'runner']] }, memberOf(population, number)),
  },
  {
    name: 'register',
    count: 60,
    request: (population, number) =>
      writeRequest('POST /register', registration, memberOf(population, number), ['Accept-Encoding: gzip']),
  },
]

/** Sends `count` requests, each user's to the same node. Returns the requests per second. */
async function drive({ ports }: Cluster, first: number, count: number, request: (number: number) => Buffer) {
  const startedAt = performance.now()
  const driven = await Promise.all(
    ports.map((port, node) => {
      let number = first + node
      const next = () => {
        if (number >= first + count) return null
        number += ports.length
        return request(number - ports.length)
      }
      return saturate({ port, connections: Math.ceil(CONNECTIONS / ports.length), next }, MAX_SECONDS)
    }),
  )
  const requests = driven.reduce((sum, result) => sum + result.requests, 0)
  return { requests, rate: requests / ((performance.now() - startedAt) / 1000) }
}

type Figures = Omit<UnitCost, 'setup'>

async function measureUnit(cluster: Cluster, population: Population, unit: Unit): Promise<Figures> {
  let first = 0
  const round = async (count: number) => {
    if (unit.advance !== undefined) await cluster.advance(unit.advance)
    const before = await cluster.used()
    const { requests, rate } = await drive(cluster, first, count, (number) => unit.request(population, number))
    first += count
    return { used: usedPerUnit(before, await cluster.used(), requests), rate }
  }
  // Each node compiles its code by itself.
  for (let warmUp = 0; warmUp < cluster.ports.length; warmUp += 1) await round(unit.count)
  const rounds: { used: Used; rate: number }[] = []
  while (rounds.length < ROUNDS) rounds.push(await round(unit.count))
  return { unit: unit.name, ...medianOf(rounds.map(({ used }) => used)), rate: median(rounds.map(({ rate }) => rate)) }
}

/** Measures nodes without requests, for each second and all nodes together. */
async function measureIdle(cluster: Cluster): Promise<Figures> {
  const before = await cluster.used()
  await sleep(IDLE_SECONDS * 1000)
  return {
    unit: 'second without requests',
    ...usedPerUnit(before, await cluster.used(), IDLE_SECONDS),
    rate: null,
    spread: 0,
  }
}

/** Measures the delivery of an event to clients that wait for it, with their next poll, and the memory of each client. */
async function measureDeliveries(cluster: Cluster, population: Population) {
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
  return { figures: { unit: 'event delivered', ...medianOf(rounds), rate: null }, idleKb }
}

async function measureSetup(name: string, setup: Setup, location: DataLocation, population: Population) {
  await using cluster = await startCluster(location, setup)
  await sleep(1000)
  const idle = await measureIdle(cluster)
  const { figures, idleKb } = await measureDeliveries(cluster, population)
  const found = [idle, figures]
  for (const unit of UNITS) found.push(await measureUnit(cluster, population, unit))
  const residentMb = await Promise.all(cluster.children.map((child) => child.ask('collectGarbage')))
  const rssMb = Math.max(...residentMb.map(Number))
  process.stderr.write(
    `  ${name}: ${idleKb.toFixed(0)} KB for each client that waits, ${rssMb.toFixed(0)} MB for a node\n`,
  )
  return { costs: found.map((figures) => ({ setup: name, ...figures })), rssMb }
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
      const setup = isPostgres ? '1 process, PostgreSQL' : '1 process, SQLite'
      const { costs, rssMb } = await measureSetup(setup, { nodes: 1, bus: 'none' }, location, population)
      const { rate, spread } = costOf(costs, SEND.name)
      return { ...NOTHING, costs, rate, cpuMicros: cpuOf(costOf(costs, SEND.name)), spread, rssMb }
    },
  }
}

const NODES = [1, 2, 3] as const

const setupName = (nodes: number, bus: string) =>
  `${nodes} ${nodes === 1 ? 'node' : 'nodes'}, ${bus === 'nats' ? 'NATS' : 'NOTIFY'}`

/** Returns how much more of a unit N nodes do than one, if each gets as much CPU time as the one. */
function gain(costs: readonly UnitCost[], nodes: number, unit: string, bus: string): number {
  const [one, many] = [costOf(costs, unit, setupName(1, bus)), costOf(costs, unit, setupName(nodes, bus))]
  return (nodes * cpuOf(one)) / cpuOf(many)
}

const MIN_GAIN: Readonly<Record<number, number>> = { 2: 1.8, 3: 2.6 }

function nodesRow(bus: 'notify' | 'nats'): Row {
  return {
    name: `scale-${bus}`,
    skip: procAbsent || (bus === 'nats' && natsAbsent),
    goal: {
      text: 'two nodes do 1.8 times and three 2.6 times the reads and presence reports of one, per CPU time given',
      isMet: ({ costs = [] }) =>
        [2, 3].every((nodes) =>
          [READ.name, PRESENCE.name].every((unit) => gain(costs, nodes, unit, bus) >= (MIN_GAIN[nodes] ?? nodes)),
        ),
    },
    async measure({ disk }): Promise<Measurement> {
      const original = await disk.newPostgresLocation()
      const population = await populateAt(original, SIZE)
      const costs: UnitCost[] = []
      let rssMb = 0
      for (const nodes of NODES) {
        const location = await copyLocation(original, String(nodes))
        const found = await measureSetup(setupName(nodes, bus), { nodes, bus }, location, population)
        costs.push(...found.costs)
        rssMb = Math.max(rssMb, found.rssMb)
      }
      const gains = [2, 3].map((nodes) => {
        const [read, presence] = [READ.name, PRESENCE.name].map((unit) => gain(costs, nodes, unit, bus).toFixed(2))
        return `${nodes} nodes: ${read} times the reads, ${presence} times the presence reports`
      })
      process.stderr.write(`  ${gains.join('; ')}\n`)
      return {
        ...NOTHING,
        costs,
        ratio: Math.min(...[READ.name, PRESENCE.name].map((unit) => gain(costs, 3, unit, bus))),
        ratioOf: 'CPU time, 3 nodes',
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
    for (const unit of units)
      costs.push({ setup: '1 process, PostgreSQL', ...(await measureUnit(cluster, population, unit)) })
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
