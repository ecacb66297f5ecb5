import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Usage } from '../child.ts'
import { median } from '../percentile.ts'
import { type BenchUser, writeRequest } from '../request.ts'
import { figure } from '../rounds.ts'
import { atMost, type Goal, type Row } from '../row.ts'
import { type BenchServer, startServer, succeed } from '../servers.ts'

const PEOPLE = 10_000
const WARM_UP_REQUESTS = 150
const ROUNDS = 40

/** Writes the request of a round. `turn` increases with each request. */
type Writer = (server: BenchServer, turn: number) => Buffer

/**
 * A request that changes nothing. Each measured request without a change follows one, so that both have run other code
 * just before.
 */
const noChange: Writer = (server, turn) => writeRequest('PATCH /settings', {}, changer(server, turn))

/** Changes by another user, each of which once emptied the caches of all users. */
const changes: readonly Writer[] = [
  (server, turn) => writeRequest('PATCH /settings', { full_name: `Renamed ${turn}` }, changer(server, turn)),
  (server, turn) => writeRequest('PATCH /settings', { twenty_four_hour_time: turn % 2 === 0 }, changer(server, turn)),
  (server, turn) => {
    const change = { stream_id: server.channels[0]?.id, property: 'is_muted', value: turn % 2 === 0 }
    const params = { subscription_data: [change] }
    return writeRequest('POST /users/me/subscriptions/properties', params, changer(server, turn))
  },
]

const changer = ({ people }: BenchServer, turn: number) => people[people.length - 1 - (turn % 100)] as BenchUser

const sender = ({ people }: BenchServer, turn: number) => people[turn % 100] as BenchUser

const toAll =
  (content: string): Writer =>
  (server, turn) => {
    const message = { type: 'channel', to: String(server.channels[0]?.id), topic: 'news', content }
    return writeRequest('POST /messages', message, sender(server, turn))
  }

const presencePoll: Writer = (server, turn) => {
  const report = { status: 'active', new_user_input: false, last_update_id: 100 }
  return writeRequest('POST /users/me/presence', report, sender(server, turn))
}

const directMessage: Writer = (server, turn) => {
  const message = { type: 'direct', to: [server.people[200]?.id], content: 'Lunch is **ready**' }
  return writeRequest('POST /messages', message, sender(server, turn))
}

const reaction: Writer = (server, turn) => {
  const path = `POST /messages/${server.messageIds[Math.floor(turn / 90)]}/reactions`
  return writeRequest(path, { emoji_name: 'tada' }, sender(server, turn % 90))
}

/** Compares the CPU time of a request just after a change by another user with that of a request without one. */
function costRow(name: string, request: Writer, goal: Goal): Row {
  return {
    name: `cachecost-${name}`,
    goal,
    async measure(tools) {
      await using server = await startServer(tools, { people: PEOPLE, channels: 1, messages: 10 })
      let turn = 0
      const ask = (writer: Writer) => succeed(server.port, writer(server, turn++))
      const cpuMicrosOfRequest = async () => {
        const before = await settledCpuMicros(server.child.pid)
        await ask(request)
        return (await settledCpuMicros(server.child.pid)) - before
      }
      for (let warmUps = 0; warmUps < WARM_UP_REQUESTS; warmUps += 1) await ask(request)

      const without: number[] = []
      const withEach = changes.map((): number[] => [])
      for (let round = 0; round < ROUNDS; round += 1) {
        await ask(noChange)
        without.push(await cpuMicrosOfRequest())
        for (const [kind, change] of changes.entries()) {
          await ask(change)
          withEach[kind]?.push(await cpuMicrosOfRequest())
        }
      }
      const slowest = withEach.reduce((one, other) => (median(one) > median(other) ? one : other))
      const { rssMb } = (await server.child.ask('usage')) as Usage
      return {
        rate: null,
        cpuMicros: median(slowest),
        baseRate: null,
        baseCpuMicros: median(without),
        ratio: median(slowest) / median(without),
        ratioOf: 'CPU time',
        latency: null,
        rssMb,
        spread: figure(slowest).spread,
      }
    },
  }
}

/** Waits until the process sleeps. Returns the CPU time that its threads have used. */
async function settledCpuMicros(pid: number): Promise<number> {
  for (let before = -1; ; ) {
    const now = cpuMicros(pid)
    if (now === before) return now
    before = now
    await sleep(3)
  }
}

/** Reads the time from outside, because asking the process would use more of it than some requests do. Linux only. */
function cpuMicros(pid: number): number {
  const tasks = `/proc/${pid}/task`
  const nanoseconds = readdirSync(tasks).map((id) =>
    Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ', 1)[0]),
  )
  return nanoseconds.reduce((sum, own) => sum + own, 0) / 1000
}

const independent = atMost(1.3, 'at most 1.3 times the CPU time without a change by another user')

const cheap: Goal = { text: 'at most 3 ms of CPU time', isMet: (row) => (row.cpuMicros ?? Number.NaN) <= 3000 }

export const cacheCostRows: readonly Row[] = [
  costRow('presence', presencePoll, independent),
  costRow('direct', directMessage, independent),
  costRow('send-all', toAll('Lunch is **ready**'), independent),
  costRow('mention', toAll('Lunch is ready, @**Person 300**'), independent),
  costRow('reaction', reaction, cheap),
]
