import { startChild } from '../child.ts'
import { byRate, figures, measureLatency } from '../measure.ts'
import type { Size } from '../populate.ts'
import { type BenchUser, inTurn, writeRequest } from '../request.ts'
import { type Comparison, compare, httpSide, type Sample, type Side } from '../rounds.ts'
import { atLeast, atMost, type BenchContext, type Goal, type Row } from '../row.ts'
import { startServer, startServerAt, succeed } from '../servers.ts'

const CONNECTIONS = 10
const PEOPLE = 100
const CHANNELS = 40

/** Enough messages for PostgreSQL to look them up by an index. */
const EXISTING_MESSAGES = 500

/**
 * Returns the number of rows that the request writes on SQLite, which is exact in an organization with the same ids.
 */
async function rowsOf({ disk }: BenchContext, size: Size, request: Buffer): Promise<number> {
  await using server = await startServerAt(await disk.newSqliteLocation(), size)
  const before = (await server.child.ask('rowsWritten')) as number
  await succeed(server.port, request)
  return ((await server.child.ask('rowsWritten')) as number) - before
}

/** Runs transactions with the given number of rows, on the bench's disk. */
async function bareSide({ disk }: BenchContext, rows: number): Promise<{ side: Side } & AsyncDisposable> {
  const { databaseUrl } = await disk.newLocation()
  const child = await startChild('bare-transactions.ts', { databaseUrl, rows })
  const side: Side = async (seconds) => (await child.ask('run', seconds)) as Sample
  return { side, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() }
}

const bareGoal = atLeast(0.6, 'at least 60 % of a bare SQLite transaction')

const unsubscribe: Row = {
  name: 'unsubscribe',
  goal: bareGoal,
  async measure(tools) {
    const size = { people: PEOPLE, channels: CHANNELS }
    await using own = await startServer(tools, size)
    const requests = own.channels.flatMap(({ name }) =>
      own.people.map((person) => writeRequest('DELETE /users/me/subscriptions', { subscriptions: [name] }, person)),
    )
    await using bare = await bareSide(tools, await rowsOf(tools, size, requests[0] as Buffer))

    let unused: Iterator<Buffer> = requests.values()
    const load = { port: own.port, connections: CONNECTIONS, next: () => unused.next().value ?? null }
    const resubscribe = async () => {
      await own.child.ask('resubscribe')
      unused = requests.values()
    }
    const comparison = await compare(httpSide(own.child, load, resubscribe), bare.side)
    await resubscribe()
    const latency = await measureLatency(load, comparison.own.rate, tools)
    return { ...(await figures(own.child, comparison)), ...byRate(comparison), latency }
  },
}

/** Returns requests that each invite a number of people who have not been invited before. */
function invitations(people: readonly BenchUser[], count: number): () => Buffer {
  let number = 0
  return () => {
    const addresses = Array.from({ length: count }, () => `guest${count}-${++number}@example.org`)
    const params = { invitee_emails: addresses.join(','), stream_ids: [], invite_expires_in_minutes: 14_400 }
    return writeRequest('POST /invites', params, people[number % people.length] as BenchUser)
  }
}

const inviteOne: Row = {
  name: 'invite-one',
  goal: bareGoal,
  async measure(tools) {
    const size = { people: PEOPLE }
    await using own = await startServer(tools, size)
    const load = { port: own.port, connections: CONNECTIONS, next: invitations(own.people, 1) }
    await using bare = await bareSide(tools, await rowsOf(tools, size, load.next()))
    const comparison = await compare(httpSide(own.child, load), bare.side)
    const latency = await measureLatency(load, comparison.own.rate, tools)
    return { ...(await figures(own.child, comparison)), ...byRate(comparison), latency }
  },
}

const inviteHundred: Row = {
  name: 'invite-100',
  goal: atMost(8, 'at most 8 times invite-one'),
  async measure(tools) {
    await using own = await startServer(tools, { people: PEOPLE })
    const load = { port: own.port, connections: CONNECTIONS, next: invitations(own.people, 100) }
    const one = { ...load, next: invitations(own.people, 1) }
    const comparison: Comparison = await compare(httpSide(own.child, load), httpSide(own.child, one))
    const latency = await measureLatency(load, comparison.own.rate, tools)
    const taken = byRate(comparison)
    return {
      ...(await figures(own.child, comparison)),
      ...taken,
      ratio: 1 / comparison.ownToBase.rate.median,
      ratioOf: 'time',
      latency,
    }
  },
}

/** All users of the organization are subscribed to the channel, so each of the `PEOPLE` adds a record. */
function sendRow(name: string, connections: number, goal: Goal): Row {
  return {
    name,
    goal,
    async measure(tools) {
      await using own = await startServer(tools, { people: PEOPLE, channels: 1, messages: EXISTING_MESSAGES })
      const requests = own.people.map((person, number) =>
        writeRequest(
          'POST /messages',
          {
            type: 'channel',
            to: String(own.channels[0]?.id),
            topic: `topic ${number % 10}`,
            content: `Message **${number}**`,
          },
          person,
        ),
      )
      await using bare = await bareSide(tools, 1)
      const load = { port: own.port, connections, next: inTurn(requests) }
      const comparison = await compare(httpSide(own.child, load), bare.side)
      const latency = await measureLatency(load, comparison.own.rate, tools)
      return { ...(await figures(own.child, comparison)), ...byRate(comparison), latency }
    },
  }
}

export const writeRows: readonly Row[] = [
  unsubscribe,
  inviteOne,
  inviteHundred,
  sendRow('send-channel-100', 1, atLeast(0.4, 'at least 40 % of a bare FULL commit')),
  sendRow('send-channel-100-at-64', 64, atLeast(3, 'at least 3 times a bare FULL commit')),
]
