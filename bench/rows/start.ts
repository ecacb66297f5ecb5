import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { leanEnvironment, leanFlags } from '../../tools/lean.mjs'
import { onServerCore, untilExit } from '../child.ts'
import { ask, saturate } from '../drive.ts'
import type { Population } from '../populate.ts'
import { writeRequest } from '../request.ts'
import { percentile } from '../rounds.ts'
import type { Row } from '../row.ts'
import { startServer } from '../servers.ts'

const STARTS = 7
const REQUESTS = 1000

/** The limits of the goal, in milliseconds and MB. */
const MOST_TIME = 600
const MOST_MEMORY = 120

export const startRow: Row = {
  name: 'start',
  goal: {
    text: `at most ${MOST_TIME} ms to the first 200, at most ${MOST_MEMORY} MB after ${REQUESTS} mixed requests`,
    isMet: ({ latency, rssMb }) => latency !== null && latency.median <= MOST_TIME && rssMb <= MOST_MEMORY,
  },
  async measure(tools) {
    const folder = await tools.newFolder()
    const population = await makeDatabase(folder)
    const request = writeRequest(`GET /messages/${population.messageIds[0]}`, {}, population.people[0])
    const times: number[] = []
    let rssMb = 0
    // The first start only fills the compile cache, as the first start of an installation does.
    for (let start = 0; start <= STARTS; start += 1) {
      await using server = await launch(folder)
      const took = await server.untilAnswers(request)
      if (start > 0) times.push(took)
      if (start < STARTS) continue
      const requests = mixedRequests(population).values()
      await saturate({ port: server.port, connections: 10, next: () => requests.next().value ?? null }, 60)
      rssMb = await residentMb(server.pid)
    }
    const median = percentile(times, 0.5)
    return {
      ...{ rate: null, cpuMicros: null, baseRate: null, baseCpuMicros: null, ratio: null, ratioOf: '' },
      latency: { median, slowest99: percentile(times, 0.99) },
      spread: (percentile(times, 0.75) - percentile(times, 0.25)) / median,
      rssMb,
    }
  },
}

async function makeDatabase(folder: string): Promise<Population> {
  await using server = await startServer(
    { newFolder: async () => folder },
    { people: 100, channels: 10, messages: 500 },
  )
  const { people, channels, messageIds } = server
  return { people, channels, messageIds }
}

/** The server as `npm start` runs it, but for npm. */
async function launch(folder: string) {
  const port = await freePort()
  const startedAt = performance.now()
  const [program = '', ...args] = onServerCore([
    process.execPath,
    ...leanFlags,
    join(import.meta.dirname, '../../server/main.ts'),
  ])
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      ...leanEnvironment,
      DATABASE_URL: join(folder, 'parley.db'),
      DATA_DIR: folder,
      PORT: String(port),
    },
  })
  return {
    port,
    pid: child.pid as number,
    /** Milliseconds from the start to the first answer. */
    async untilAnswers(request: Buffer): Promise<number> {
      for (;;) {
        const answer = await ask(port, request).catch(() => null)
        if (answer?.status === 200) return performance.now() - startedAt
        if (child.exitCode !== null) throw new Error('The server did not start')
        await sleep(2)
      }
    },
    async [Symbol.asyncDispose]() {
      const ended = untilExit(child)
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** What a morning is made of: people come and read, some leave a channel, one invites. */
function mixedRequests({ people, channels, messageIds }: Population): Buffer[] {
  return Array.from({ length: REQUESTS }, (_, number) => {
    const person = people[number % people.length]
    const [channel, messageId] = [channels[number % channels.length], messageIds[number % messageIds.length]]
    const kind = number % 20
    if (kind < 8) {
      return writeRequest(
        'POST /users/me/presence',
        { status: 'active', last_update_id: number < 400 ? -1 : 50 },
        person,
      )
    }
    if (kind < 18) return writeRequest(`GET /messages/${messageId}`, { apply_markdown: kind < 14 }, person)
    if (kind === 18) return writeRequest('DELETE /users/me/subscriptions', { subscriptions: [channel?.name] }, person)
    return writeRequest('POST /invites', { invitee_emails: `guest${number}@example.org`, stream_ids: [] }, people[0])
  })
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer()
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
  return promise
}
