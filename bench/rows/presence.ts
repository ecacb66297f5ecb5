import { type LoadResult, saturate } from '../drive.ts'
import { byCpuTime, figures, measureLatency } from '../measure.ts'
import { type BenchUser, inTurn, writeRequest } from '../request.ts'
import { compare, httpSide } from '../rounds.ts'
import { atLeast, type BenchContext, type Row } from '../row.ts'
import { type BenchServer, startNoOp, startServer, succeed } from '../servers.ts'

const CONNECTIONS = 10

/** The number of users who poll in turn: as many in a large organization as there are in the small one. */
const POLLERS = 100

const ROUTE = 'POST /users/me/presence'

/** The header that all known clients send. */
const ACCEPTS_GZIP = ['Accept-Encoding: gzip, deflate']

const report = (person: BenchUser) => writeRequest(ROUTE, { status: 'active', ping_only: true }, person)

const poll = (person: BenchUser, lastUpdateId: number, headers: readonly string[] = []) =>
  writeRequest(ROUTE, { status: 'active', new_user_input: false, last_update_id: lastUpdateId }, person, headers)

/**
 * Reports the presence of all users, one after another. Further reports change nothing for 55 seconds. Returns the last
 * update id.
 */
async function reportAll({ port, people }: BenchServer): Promise<number> {
  const requests = people.map(report).values()
  const driven: LoadResult = await saturate({ port, connections: 8, next: () => requests.next().value ?? null }, 60)
  if (driven.requests !== people.length) throw new Error('Some users have not reported')
  const everything = await succeed(port, poll(people[0] as BenchUser, -1))
  return everything.json['presence_last_update_id'] as number
}

/** Starts a server on which all users are present, and polls for the changes of the last `changes` of them. */
async function startPolls(tools: BenchContext, people: number, changes: number) {
  const server = await startServer(tools, { people })
  const lastId = await reportAll(server)
  const requests = server.people.slice(0, POLLERS).map((person) => poll(person, lastId - changes))
  const requireChanges = async () => {
    const { text, json } = await succeed(server.port, requests[0] as Buffer)
    const found = Object.keys(json['presences'] as object).length
    if (found !== changes) throw new Error(`A poll returned ${found} presences rather than ${changes}`)
    return text
  }
  const load = { port: server.port, connections: CONNECTIONS, next: inTurn(requests) }
  return { server, load, requireChanges }
}

function pollRow(name: string, changes: number, least: number): Row {
  return {
    name,
    goal: atLeast(least, `at least ${Math.round(least * 100)} % of the no-op`),
    async measure(tools) {
      const { server, load, requireChanges } = await startPolls(tools, 100, changes)
      await using own = server
      const route = { method: 'POST' as const, path: '/api/v1/users/me/presence', body: await requireChanges() }
      await using base = await startNoOp({ routes: [route] })
      const comparison = await compare(httpSide(own.child, load), httpSide(base.child, { ...load, port: base.port }))
      await requireChanges()
      const latency = await measureLatency(load, comparison.own.rate, tools)
      return { ...(await figures(own.child, comparison)), ...byCpuTime(comparison), latency }
    },
  }
}

const pollOfLargeOrganization: Row = {
  name: 'presence-poll-20-of-10000',
  goal: atLeast(0.9, 'within 10 % of presence-poll-20'),
  async measure(tools) {
    const large = await startPolls(tools, 10_000, 20)
    await using own = large.server
    const small = await startPolls(tools, 100, 20)
    await using base = small.server
    const comparison = await compare(httpSide(own.child, large.load), httpSide(base.child, small.load))
    await Promise.all([large.requireChanges(), small.requireChanges()])
    const latency = await measureLatency(large.load, comparison.own.rate, tools)
    return { ...(await figures(own.child, comparison)), ...byCpuTime(comparison), latency }
  },
}

const pollOfEverybody: Row = {
  name: 'presence-poll-all-10000',
  goal: atLeast(20, 'at least 20 times the stringify baseline'),
  async measure(tools) {
    await using own = await startServer(tools, { people: 10_000 })
    // Makes the change of every user new to a client that has the first report.
    await succeed(own.port, report(own.people[0] as BenchUser))
    await own.child.ask('advance', 60)
    const lastId = await reportAll(own)
    const requests = own.people.slice(0, 8).map((person) => poll(person, lastId - 10_000, ACCEPTS_GZIP))
    for (const request of requests) {
      const { json } = await succeed(own.port, request)
      if (Object.keys(json['presences'] as object).length !== 10_000) throw new Error('Some users have not changed')
    }

    await using base = await startNoOp({ routes: [], presences: 10_000 })
    const load = { port: own.port, connections: 8, next: inTurn(requests) }
    const everything = writeRequest(
      'POST /presences',
      { status: 'active', new_user_input: false, last_update_id: 0 },
      undefined,
      ACCEPTS_GZIP,
    )
    const path = Buffer.from(everything.toString().replace('/api/v1/presences', '/presences'))
    const comparison = await compare(
      httpSide(own.child, load),
      httpSide(base.child, { ...load, port: base.port, next: () => path }),
    )
    const latency = await measureLatency(load, comparison.own.rate, tools)
    return { ...(await figures(own.child, comparison)), ...byCpuTime(comparison), latency }
  },
}

const presenceReport: Row = {
  name: 'presence-report',
  goal: atLeast(0.55, 'at least 55 % of the no-op'),
  async measure(tools) {
    await using own = await startServer(tools, { people: 10_000 })
    const { text } = await succeed(own.port, report(own.people[0] as BenchUser))
    await reportAll(own)
    const route = { method: 'POST' as const, path: '/api/v1/users/me/presence', body: text }
    await using base = await startNoOp({ routes: [route] })

    const requests = own.people.map(report)
    // A round ends when all users have reported; the clock then advances by a minute, so that each report changes a
    // row.
    let unused: Iterator<Buffer> = requests.values()
    const load = { port: own.port, connections: CONNECTIONS, next: () => unused.next().value ?? null }
    const aMinuteLater = async () => {
      await own.child.ask('advance', 60)
      unused = requests.values()
    }
    const comparison = await compare(
      httpSide(own.child, load, aMinuteLater),
      httpSide(base.child, { ...load, port: base.port, next: inTurn(requests) }),
    )
    await aMinuteLater()
    const latency = await measureLatency(load, comparison.own.rate, tools)
    return { ...(await figures(own.child, comparison)), ...byCpuTime(comparison), latency }
  },
}

export const presenceRows: readonly Row[] = [
  pollRow('presence-poll-0', 0, 0.6),
  pollRow('presence-poll-20', 20, 0.55),
  pollOfLargeOrganization,
  pollOfEverybody,
  presenceReport,
]
