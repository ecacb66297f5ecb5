import { saturate } from '../drive.ts'
import { launch, makeDatabase } from '../launched.ts'
import { percentile } from '../percentile.ts'
import type { Population } from '../populate.ts'
import { writeRequest } from '../request.ts'
import { figure } from '../rounds.ts'
import type { Row } from '../row.ts'

const STARTS = 7
const REQUESTS = 1000

/** The limits of the goal, in milliseconds and MB. */
const MAX_TIME = 600
const MAX_MEMORY = 120

export const startRow: Row = {
  name: 'start',
  goal: {
    text: `at most ${MAX_TIME} ms to the first 200, at most ${MAX_MEMORY} MB after ${REQUESTS} mixed requests`,
    isMet: ({ latency, rssMb }) => latency !== null && latency.median <= MAX_TIME && rssMb <= MAX_MEMORY,
  },
  async measure(tools) {
    const location = await tools.disk.newLocation()
    const population = await makeDatabase(location, { people: 100, channels: 10, messages: 500 })
    const request = writeRequest(`GET /messages/${population.messageIds[0]}`, {}, population.people[0])
    const times: number[] = []
    let rssMb = 0
    // The first start only fills the compile cache, like the first start of an installation.
    for (let start = 0; start <= STARTS; start += 1) {
      await using server = await launch(location)
      const took = await server.untilAnswers(request)
      if (start > 0) times.push(took)
      if (start < STARTS) continue
      const requests = mixedRequests(population).values()
      await saturate({ port: server.port, connections: 10, next: () => requests.next().value ?? null }, 60)
      rssMb = await server.residentMb()
    }
    const { median, spread } = figure(times)
    return {
      ...{ rate: null, cpuMicros: null, baseRate: null, baseCpuMicros: null, ratio: null, ratioOf: '' },
      latency: { median, slowest99: percentile(times, 0.99) },
      spread,
      rssMb,
    }
  },
}

/** Returns the requests of a typical morning: users log in and read, some leave a channel, one invites. */
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
