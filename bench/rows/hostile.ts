import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { apiCalls } from '../api-calls.ts'
import type { Child, Usage } from '../child.ts'
import { natsAbsent, populateAt, startCluster } from '../cluster.ts'
import type { AttackName, FloodOptions } from '../flood.ts'
import { percentile } from '../percentile.ts'
import type { Population } from '../populate.ts'
import { type BenchUser, writeRequest } from '../request.ts'
import { figure } from '../rounds.ts'
import { atMost, type BenchContext, type Measurement, type Row } from '../row.ts'
import { startNoOp, startServer, succeed } from '../servers.ts'

const PEOPLE = 60
const BOTS = 12
const MESSAGES = 2000

/** The rounds of each side, their length, and the milliseconds between the requests of the other members together. */
const ROUNDS = 3
const SECONDS = 4
const PACE = 20

const NOTHING = { rate: null, cpuMicros: null, baseRate: null, baseCpuMicros: null, ratio: null, latency: null }

const ATTACKS: readonly AttackName[] = [
  'narrow',
  'search',
  'register',
  'render',
  'send',
  'pictures',
  'avatars',
  'polls',
  'login',
  'ignored-json',
  'upload',
  'everything',
  'refused-body',
  'anonymous-body',
]

/** A server, or several nodes, with rate limits, and the accounts of the attacker. */
type World = Population &
  AsyncDisposable & { readonly ports: readonly number[]; readonly children: readonly Child[]; attackers: BenchUser[] }

const SIZE = { people: PEOPLE, channels: 2, messages: MESSAGES, queues: true }

async function startWorld(tools: BenchContext): Promise<World> {
  const server = await startServer(tools, SIZE)
  const { port, child } = server
  return openWorld(server, { ports: [port], children: [child], [Symbol.asyncDispose]: server[Symbol.asyncDispose] })
}

/** Starts three nodes on PostgreSQL. */
async function startNodes({ disk }: BenchContext): Promise<World> {
  const location = await disk.newPostgresLocation()
  const population = await populateAt(location, SIZE)
  return openWorld(population, await startCluster(location, { nodes: 3, bus: natsAbsent ? 'notify' : 'nats' }))
}

/** Gives the second user twelve bots, and turns the limits on. */
async function openWorld(
  population: Population,
  servers: Pick<World, 'ports' | 'children' | typeof Symbol.asyncDispose>,
): Promise<World> {
  const { people, channels, messageIds, queueIds } = population
  const port = servers.ports[0] as number
  const owner = people[1] as BenchUser
  const attackers = [owner]
  for (let number = 0; number < BOTS; number += 1) {
    const form = { short_name: `bot${number}`, full_name: `Bot ${number}`, bot_type: 1 }
    const { json } = await succeed(port, writeRequest('POST /bots', form, owner))
    const { json: found } = await succeed(port, writeRequest(`GET /users/${json['user_id']}`, {}, owner))
    const { email } = found['user'] as { email: string }
    attackers.push({ id: json['user_id'] as number, email, apiKey: json['api_key'] as string })
  }
  await Promise.all(servers.children.map((child) => child.ask('limit')))
  const { ports, children } = servers
  return {
    ...{ people, channels, messageIds, queueIds, ports, children, attackers },
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
  }
}

/**
 * Sends requests of other members at a steady pace, whether or not earlier ones are answered. Returns the latencies in
 * milliseconds, and the number of requests that failed.
 */
async function measureOthers({ ports, people, messageIds }: World, seconds: number) {
  const others = people.slice(10)
  const nodes = ports.map(apiCalls)
  const times: number[] = []
  let failed = 0
  const pending: Promise<void>[] = []
  const endsAt = performance.now() + seconds * 1000
  for (let number = 0; performance.now() < endsAt; number += 1) {
    const person = others[(number >> 1) % others.length] as BenchUser
    const send = nodes[(number >> 1) % nodes.length] as ReturnType<typeof apiCalls>
    const account = { email: person.email, api_key: person.apiKey }
    const startedAt = performance.now()
    const request =
      number % 2 === 0
        ? send(account, 'GET', `/messages/${messageIds[number % messageIds.length]}`)
        : send(account, 'POST', '/users/me/presence', { status: 'active', ping_only: 'true' })
    const answered = request.then(
      ({ status }) => status === 200,
      () => false,
    )
    pending.push(
      answered.then((isDone) => {
        times.push(performance.now() - startedAt)
        if (!isDone) failed += 1
      }),
    )
    await sleep(PACE)
  }
  await Promise.all(pending)
  return { times, failed }
}

/** Measures how much longer the requests of others take during an attack than during the same flood of another server. */
const attackRow = (attack: AttackName, name = `hostile-${attack}`, start = startWorld): Row => ({
  name,
  goal: atMost(2, 'p99 of others at most 2 × that with the same flood of a no-op server'),
  async measure(tools) {
    await using server = await start(tools)
    await using dummy = await startNoOp({ routes: [], accepts: true })
    const beside = async (
      ports: readonly number[],
      seconds = SECONDS,
      accounts: readonly BenchUser[] = server.attackers,
    ) => {
      const { channels, queueIds } = server
      const workerData: FloodOptions = {
        ...{ ports, attack, accounts },
        channelId: channels[0]?.id ?? 0,
        queueId: queueIds[1] ?? '',
      }
      const flood = new Worker(new URL('../flood.ts', import.meta.url), { workerData })
      await once(flood, 'message')
      const measured = await measureOthers(server, seconds)
      flood.postMessage('stop')
      const [statuses] = (await once(flood, 'message')) as [ReadonlyMap<number, number>]
      return { ...measured, statuses }
    }

    // Meanwhile, the messages are added to the search index.
    await measureOthers(server, 8)
    // The first request of a kind loads libraries and compiles code, once for the whole life of the process.
    await beside(server.ports, 1, server.people.slice(2, 3))
    const [control, attacked]: [number[], number[]] = [[], []]
    const ratios: number[] = []
    const answers = new Map<number, number>()
    let failed = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const base = await beside([dummy.port])
      const own = await beside(server.ports)
      control.push(...base.times)
      attacked.push(...own.times)
      failed += own.failed
      ratios.push(percentile(own.times, 0.99) / percentile(base.times, 0.99))
      for (const [status, count] of own.statuses) answers.set(status, (answers.get(status) ?? 0) + count)
    }
    const show = (times: readonly number[]) =>
      `p50 ${percentile(times, 0.5).toFixed(1)}, p99 ${percentile(times, 0.99).toFixed(1)} ms`
    const counts = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ')
    process.stderr.write(
      `  control ${show(control)}; attacked ${show(attacked)}; ${failed} of others failed; the flood got ${counts}\n`,
    )
    const usages = await Promise.all(server.children.map((child) => child.ask('usage')))
    return {
      ...NOTHING,
      latency: { median: percentile(attacked, 0.5), slowest99: percentile(attacked, 0.99) },
      ratio: percentile(attacked, 0.99) / percentile(control, 0.99),
      ratioOf: 'p99',
      spread: figure(ratios).spread,
      rssMb: Math.max(...usages.map((usage) => (usage as Usage).rssMb)),
    }
  },
})

const MEBIBYTE = 1024 * 1024

/** The maximum memory in the goals of the rows below, in MiB. */
const MAX_MEMORY = 300

type Scene = {
  name: string
  /** The number of connections, of users among whom they are divided, and the bytes that each sends. */
  connections: number
  users: number
  bytes: number
  /** True if the last byte is not sent. */
  isUnfinished: boolean
  /** True if the body is a file; otherwise, it is a form. */
  isFile: boolean
}

const SCENES: readonly Scene[] = [
  { name: 'uploads-5', connections: 120, users: 20, bytes: 5 * MEBIBYTE, isUnfinished: false, isFile: true },
  { name: 'uploads-10', connections: 40, users: 20, bytes: 10 * MEBIBYTE, isUnfinished: false, isFile: true },
  { name: 'unfinished-uploads', connections: 180, users: 1, bytes: 5 * MEBIBYTE, isUnfinished: true, isFile: true },
  { name: 'unfinished-bodies', connections: 1500, users: 1, bytes: MEBIBYTE, isUnfinished: true, isFile: false },
]

/** The time for which unfinished bodies are held, and the maximum time for all others to be answered, in milliseconds. */
const HELD = 8000
const MAX_TIME = 60_000

/** Measures the largest memory of the server while many bodies arrive at a time. */
const sceneRow = (scene: Scene): Row => ({
  name: `hostile-${scene.name}`,
  goal: { text: `at most ${MAX_MEMORY} MB`, isMet: ({ rssMb }) => rssMb <= MAX_MEMORY },
  async measure(tools): Promise<Measurement> {
    await using server = await startServer(tools, { people: 30 })
    await server.child.ask('limit')
    const sockets = Array.from({ length: scene.connections }, (_, at) =>
      sendBody(server.port, server.people[at % scene.users] as BenchUser, scene),
    )
    const answered = Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))))
    const endsAt = performance.now() + (scene.isUnfinished ? HELD : MAX_TIME)
    let isOver = false
    void answered.then(() => {
      isOver = true
    })
    let rssMb = 0
    while (!isOver && performance.now() < endsAt) {
      rssMb = Math.max(rssMb, ((await server.child.ask('usage')) as Usage).rssMb)
      await sleep(50)
    }
    for (const socket of sockets) socket.destroy()
    return { ...NOTHING, ratioOf: '', spread: 0, rssMb }
  },
})

const START = '--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n'
const END = '\r\n--x--\r\n'

/** Sends the body in pieces, as fast as the server reads it. Closes the connection after the response. */
function sendBody(port: number, person: BenchUser, { bytes, isUnfinished, isFile }: Scene): Socket {
  const socket = connect(port, '127.0.0.1')
  const [path, type] = isFile ? ['user_uploads', 'multipart/form-data; boundary=x'] : ['messages', 'text/plain']
  socket.write(
    `POST /api/v1/${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n` +
      `Authorization: Basic ${btoa(`${person.email}:${person.apiKey}`)}\r\n` +
      `Content-Length: ${(isFile ? START.length + END.length : 0) + bytes}\r\n\r\n${isFile ? START : ''}`,
  )
  const piece = Buffer.alloc(64 * 1024, 'a')
  let missing = isUnfinished ? bytes - 100 : bytes
  const write = () => {
    while (missing > 0 && !socket.destroyed) {
      const length = Math.min(piece.length, missing)
      missing -= length
      if (!socket.write(piece.subarray(0, length))) return
    }
    if (missing > 0 || isUnfinished || socket.writableEnded) return
    missing = -1
    if (isFile) socket.write(END)
  }
  socket.on('error', () => {}).on('drain', write)
  socket.on('data', () => socket.destroy())
  write()
  return socket
}

/** Attacks on three nodes, as part of the rows of larger installations. */
export const hostileNodesRows: readonly Row[] = (['everything', 'send'] as const).map((attack) =>
  attackRow(attack, `scale-hostile-${attack}`, startNodes),
)

export const hostileRows: readonly Row[] = [...ATTACKS.map((attack) => attackRow(attack)), ...SCENES.map(sceneRow)]
