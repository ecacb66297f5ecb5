import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sized } from '../size.ts'
import { temporaryFolder } from '../storage.ts'
import { callServer, toAda } from './call-server.ts'
import { createOrganizationIn, type KillableServer, startKillableServer } from './killable-server.ts'

const skip = !existsSync('/proc/self/schedstat') && 'needs the CPU time of threads in /proc'

/** Returns the seconds of CPU time that all threads of a process have used. */
function cpuSeconds({ pid }: KillableServer): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const used = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
  return used.reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1e9, 0)
}

/** The number of attempts to overload the server on a machine whose other processes come and go. */
const MAX_TRIES = 8

type Outcomes = Map<number | string, number>

/** Opens a client that reads a long list of messages and counts the outcomes by status or error. */
function openReader({ url }: KillableServer, authorization: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const outcomes: Outcomes = new Map()
  const note = (outcome: number | string) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  const read = () =>
    new Promise<void>((resolve) => {
      const path = `${url}/api/v1/messages?anchor=newest&num_before=1000&num_after=0`
      request(path, { agent, headers: { authorization } }, (response) => {
        const isRefusal = response.statusCode === 503 && response.headers['retry-after'] !== undefined
        response.resume().on('close', () => {
          note(isRefusal ? 'refused' : response.complete ? (response.statusCode ?? 0) : 'cut off')
          resolve()
        })
      })
        .on('error', (error: NodeJS.ErrnoException) => {
          note(error.code ?? error.message)
          resolve()
        })
        .end()
    })
  return { read, outcomes, close: () => agent.destroy() }
}

/** Returns how many successful responses the server sends per second of its CPU time during `work`. */
async function efficiencyOf(server: KillableServer, outcomes: Outcomes, work: () => Promise<unknown>): Promise<number> {
  outcomes.clear()
  const before = cpuSeconds(server)
  await work()
  return (outcomes.get(200) ?? 0) / (cpuSeconds(server) - before)
}

/** Sends requests one after another on four connections for some seconds; returns the number of requests per second. */
async function readSteadily(read: () => Promise<void>, seconds: number): Promise<number> {
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1000
  let count = 0
  const reader = async () => {
    for (; elapsed() < seconds; count += 1) await read()
  }
  await Promise.all([reader(), reader(), reader(), reader()])
  return count / elapsed()
}

/** Sends requests at this rate, whether or not earlier ones are answered, and waits for all of them. */
async function readAtRate(read: () => Promise<void>, perSecond: number, seconds: number): Promise<void> {
  const start = performance.now()
  const all: Promise<void>[] = []
  while (all.length < perSecond * seconds) {
    const due = Math.min(seconds, (performance.now() - start) / 1000) * perSecond
    while (all.length < due) all.push(read())
    await sleep(5)
  }
  await Promise.all(all)
}

test('three times as many requests as the server can answer cost it few responses, and none is reset', {
  skip,
}, async () => {
  const folder = await temporaryFolder()
  const ada = await createOrganizationIn(folder)
  const server = await startKillableServer(folder, { LOG_LEVEL: 'silent' })
  for (let count = 0; count < 200; count += 1) await callServer(server, ada, 'POST /messages', toAda(`number ${count}`))
  const { read, outcomes, close } = openReader(server, ada)
  await readSteadily(read, 1)

  let [perSecond, efficiency, overloaded] = [0, 0, 0]
  const floodOutcomes = new Set<number | string>()
  const measureSteadily = () =>
    efficiencyOf(server, outcomes, async () => {
      perSecond = await readSteadily(read, sized(3, 20))
    })
  let isFine = false
  for (let tries = 0; tries < MAX_TRIES && !isFine; tries += 1) {
    const before = await measureSteadily()
    overloaded = await efficiencyOf(server, outcomes, () => readAtRate(read, 3 * perSecond, sized(5, 30)))
    for (const outcome of outcomes.keys()) floodOutcomes.add(outcome)
    const after = await measureSteadily()
    efficiency = Math.min(before, after)
    // With more load from other processes, each request takes more time of the processor, before, during or after the
    // flood. With less load during the flood than before it, the server can answer all requests. In all these cases it
    // has to be measured again.
    const isComparable = efficiency >= 0.8 * Math.max(before, after) && floodOutcomes.has('refused')
    isFine = isComparable && overloaded >= 0.8 * efficiency
  }
  close()
  await server.kill()

  assert.deepEqual(floodOutcomes, new Set([200, 'refused']))
  assert.ok(overloaded >= 0.8 * efficiency, `${overloaded} instead of ${efficiency} responses per second of CPU time`)
})
