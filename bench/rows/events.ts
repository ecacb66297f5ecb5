import { setTimeout as sleep } from 'node:timers/promises'
import type { Child, Usage } from '../child.ts'
import { launch, makeDatabase } from '../launched.ts'
import { figures } from '../measure.ts'
import { percentile } from '../percentile.ts'
import { openPollers } from '../pollers.ts'
import type { Population } from '../populate.ts'
import { writeRequest } from '../request.ts'
import { compare, type Side } from '../rounds.ts'
import { atMost, type Row } from '../row.ts'
import { startNoOp, startServer, succeed } from '../servers.ts'

const POLLERS = 1000
const IDLE_POLLS = 10_000

/** The limit of the goal, in MiB. */
const MAX_MEMORY = 250

const poll = ({ people, queueIds }: Population, recipient: number, lastEventId: number) =>
  writeRequest('GET /events', { queue_id: queueIds[recipient], last_event_id: lastEventId }, people[recipient])

const sendRequest = ({ people, channels }: Population) =>
  writeRequest(
    'POST /messages',
    { type: 'channel', to: String(channels[0]?.id), topic: 'news', content: 'Lunch is **ready**' },
    people[0],
  )

const fanOut: Row = {
  name: 'event-fan-out-1000',
  goal: atMost(1.5, 'at most 1.5 times the shared-Buffer baseline per delivery'),
  async measure(tools) {
    await using own = await startServer(tools, { people: POLLERS, channels: 1, queues: true })
    await succeed(own.port, sendRequest(own))
    const { text } = await succeed(own.port, poll(own, 1, -1))
    await using base = await startNoOp({ routes: [], polls: { count: POLLERS, body: text } })

    const requests = {
      poll: (recipient: number, lastId: number) => poll(own, recipient, lastId),
      send: sendRequest(own),
    }
    using ownPollers = await openPollers([own.port], POLLERS, requests)
    using basePollers = await openPollers([base.port], POLLERS, requests)
    const latencies: number[] = []
    const comparison = await compare(
      deliveries(own.child, async () => void latencies.push(...(await ownPollers.sendToAll()))),
      deliveries(base.child, async () => void (await basePollers.sendToAll())),
    )
    return {
      ...(await figures(own.child, comparison)),
      ratio: comparison.ownToBase.cpuMicros.median,
      ratioOf: 'CPU time',
      spread: comparison.ownToBase.cpuMicros.spread,
      latency: { median: percentile(latencies, 0.5), slowest99: percentile(latencies, 0.99) },
    }
  },
}

/** Returns a side that sends one event after another to all users, and counts the responses. */
function deliveries(server: Child, notifyAll: () => Promise<void>): Side {
  return async (seconds) => {
    const before = (await server.ask('usage')) as Usage
    const startedAt = performance.now()
    let count = 0
    for (; performance.now() - startedAt < seconds * 1000; count += POLLERS) await notifyAll()
    const taken = (performance.now() - startedAt) / 1000
    const after = (await server.ask('usage')) as Usage
    return { rate: count / taken, cpuMicros: (after.cpuMicros - before.cpuMicros) / count }
  }
}

const idlePolls: Row = {
  name: 'idle-polls-10000',
  goal: {
    text: `at most ${MAX_MEMORY} MiB while ${IDLE_POLLS} polls wait, before an event to all of them and after it`,
    isMet: ({ rssMb }) => rssMb <= MAX_MEMORY,
  },
  async measure(tools) {
    const location = await tools.disk.newLocation()
    const population = await makeDatabase(location, { people: IDLE_POLLS, channels: 1, queues: true })
    await using server = await launch(location)
    await server.untilAnswers(writeRequest('GET /users/me', {}, population.people[0]))
    using recipients = await openPollers([server.port], IDLE_POLLS, {
      poll: (recipient, lastId) => poll(population, recipient, lastId),
      send: sendRequest(population),
    })
    const before = await settledMb(server.residentMb)
    const latencies = await recipients.sendToAll()
    const after = await settledMb(server.residentMb)
    return {
      ...{ rate: null, cpuMicros: null, baseRate: null, baseCpuMicros: null, ratio: null, ratioOf: '', spread: 0 },
      latency: { median: percentile(latencies, 0.5), slowest99: percentile(latencies, 0.99) },
      rssMb: Math.max(before, after),
    }
  },
}

/** Returns the memory once it has been constant for a second: every poll has arrived by then. */
async function settledMb(residentMb: () => Promise<number>): Promise<number> {
  for (let previous = await residentMb(); ; ) {
    await sleep(1000)
    const now = await residentMb()
    if (Math.abs(now - previous) < 1) return Math.max(now, previous)
    previous = now
  }
}

export const eventRows: readonly Row[] = [fanOut, idlePolls]
