import type { Usage } from '../child.ts'
import { askForLength } from '../drive.ts'
import { median, percentile } from '../percentile.ts'
import { type BenchUser, writeRequest } from '../request.ts'
import { figure } from '../rounds.ts'
import type { Row } from '../row.ts'
import { startServer } from '../servers.ts'

// The lists of accounts of a large organization, as clients that accept gzip fetch them.

const PEOPLE = 10_000

/** All users are subscribed to each of them. */
const CHANNELS = 5
const WARM_UP_REQUESTS = 30
const ROUNDS = 21
const REQUESTS_PER_ROUND = 5

const ACCEPTS_GZIP = ['Accept-Encoding: gzip, deflate']

/** A client that fetches everything, with all its capabilities. */
export const registration = {
  apply_markdown: true,
  include_subscribers: true,
  slim_presence: true,
  client_gravatar: false,
  client_capabilities: {
    archived_channels: true,
    bulk_message_deletion: true,
    empty_topic_name: true,
    linkifier_url_template: true,
    notification_settings_null: true,
    stream_typing_notifications: true,
    user_avatar_url_field_optional: true,
    user_list_incomplete: true,
    user_settings_object: true,
  },
}

type Limits = { cpuMs: number; megabytes: number }

function listRow(name: string, request: (person: BenchUser) => Buffer, { cpuMs, megabytes }: Limits): Row {
  return {
    name,
    goal: {
      text: `at most ${cpuMs} ms of CPU time and ${megabytes} MB`,
      isMet: ({ cpuMicros, ratio }) => (cpuMicros ?? Number.NaN) <= cpuMs * 1000 && (ratio ?? Number.NaN) <= megabytes,
    },
    async measure(tools) {
      await using server = await startServer(tools, { people: PEOPLE, channels: CHANNELS })
      const { port, people, child } = server
      const report = { status: 'active', new_user_input: false, ping_only: true }
      for (const person of people.slice(0, 2000))
        await askForLength(port, writeRequest('POST /users/me/presence', report, person))
      let turn = 0
      const fetchList = () => askForLength(port, request(people[turn++ % 100] as BenchUser))
      for (let warmUps = 0; warmUps < WARM_UP_REQUESTS; warmUps += 1) await fetchList()
      const [costs, latencies, sizes]: [number[], number[], number[]] = [[], [], []]
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = (await child.ask('usage')) as Usage
        for (let number = 0; number < REQUESTS_PER_ROUND; number += 1) {
          const startedAt = performance.now()
          sizes.push(await fetchList())
          latencies.push(performance.now() - startedAt)
        }
        const after = (await child.ask('usage')) as Usage
        costs.push((after.cpuMicros - before.cpuMicros) / REQUESTS_PER_ROUND)
      }
      const { rssMb } = (await child.ask('usage')) as Usage
      return {
        ...{ rate: null, baseRate: null, baseCpuMicros: null },
        cpuMicros: median(costs),
        ratio: Math.max(...sizes) / 1e6,
        ratioOf: 'MB sent',
        latency: { median: percentile(latencies, 0.5), slowest99: percentile(latencies, 0.99) },
        rssMb,
        spread: figure(costs).spread,
      }
    },
  }
}

export const largeRows: readonly Row[] = [
  listRow('users-10000', (person) => writeRequest('GET /users', {}, person, ACCEPTS_GZIP), { cpuMs: 10, megabytes: 1 }),
  listRow('register-10000', (person) => writeRequest('POST /register', registration, person, ACCEPTS_GZIP), {
    cpuMs: 60,
    megabytes: 1.5,
  }),
]
