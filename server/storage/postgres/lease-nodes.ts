import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import type { Log } from '#lib/log.ts'
import { NODE_TABLES } from '../migrations/0070-create-nodes.ts'
import { NEWEST } from '../migrations.ts'
import type { Bus } from '../nats/bus.ts'
import { EventHints } from '../nats/event-hints.ts'
import { CannotOpenStorage } from '../storage.ts'
import { NO_FEED } from '../transactions/engine.ts'
import { transactionLimits } from './connection.ts'
import { type DatabaseLock, holdDatabaseLock } from './database-lock.ts'
import {
  connectAndLock,
  connectByName,
  findHolders,
  isLive,
  LEASE_TIME,
  processName,
  runOver,
  SERVING_LOCK,
  withoutProgram,
} from './exclusive-lock.ts'
import { MIGRATION_LOCK, type NodeOptions, type PostgresNode, watchClock } from './join-nodes.ts'

// Nodes with NATS_URL. Nothing here needs a session of PostgreSQL, so a pooler may be in between. A node has a row with
// a lease, which it renews with each query for messages, once a second. Commits insert their messages into a table;
// NATS carries copies of them, which nodes apply at once, and every message that did not arrive in this way is found by
// the next query. So nothing is missed, and nothing is applied twice, whatever NATS loses, doubles or delays.

/** Milliseconds between two queries for messages: if NATS brings them, and if it does not. */
const INTERVAL = 1000
const INTERVAL_WITHOUT_BUS = 100

/** A message that a query finds this many seconds after its commit, and that NATS has not brought, is late. */
const LATE = 0.05

/** Milliseconds for which queries are frequent after a late message. */
const FREQUENT_TIME = 10_000

/** The number of queries with late messages, and no message over NATS in between, before this is logged. */
const SILENT_QUERIES = 10

/** The leader deletes the messages that all nodes have read after each query of this number. */
const QUERIES_PER_DELETION = 5

/** The number of attempts, 50 ms apart, before the database counts as served by others. */
const ATTEMPTS = 100

/** The maximum length of a message, which is far below what NATS servers accept by default, 1 MB. */
const MAX_MESSAGE_BYTES = 100_000

/** The subject with the messages about commits. */
const COMMITS = 'commits'

/** The subject with messages without a commit, and that of those about an organization. */
const SENT = 'sent'
const sentTo = (realmId: number) => `${SENT}.${realmId}`

/** The number of the migration with the tables of this file. Older programs do not know that nodes serve the database. */
const FIRST_PROGRAM = 70

const IS_LIVE = isLive('"seenAt"')

const NOW = 'extract(epoch from clock_timestamp())::double precision'

const QUERY = `
  with renewed as (
    update "nodes" set "seenAt" = ${NOW}, "readUpTo" = pg_snapshot_xmin($2::pg_snapshot)
    where "id" = $1 and ${IS_LIVE} returning 1),
  lead as (
    insert into "nodeLeader" as held ("role", "node", "seenAt") select 'leader', $1, ${NOW} where $3
    on conflict ("role") do update set "node" = excluded."node", "seenAt" = excluded."seenAt"
      where held."node" = $1 or abs(excluded."seenAt" - held."seenAt") >= ${LEASE_TIME} returning 1),
  state as (
    select ${NOW} as "time", pg_current_snapshot()::text as "snapshot",
      exists (select from renewed) as "isRenewed", exists (select from lead) as "isLeading")
  select state.*, "id", "node", "message", "isOrdered", "sentAt" from state
    left join "nodeMessages" on "xid" >= pg_snapshot_xmin($2::pg_snapshot) and not pg_visible_in_snapshot("xid", $2::pg_snapshot)
  order by "id"`

type QueriedState = { time: number; snapshot: string; isRenewed: boolean; isLeading: boolean }
type QueriedMessage = { id: string; node: string; message: string; isOrdered: string; sentAt: number }
type QueriedRow = QueriedState & (QueriedMessage | { id: null })

/** A message as NATS carries it: its row. */
type Hint = { id: string; xid: string; message: string }

type LeaseOptions = NodeOptions & {
  /** The id of this node. */
  id: string
  /** Null for a command, which serves no one. */
  bus: Bus | null
}

/** Joins the nodes that serve the database. The first one is alone until it admits others. */
export async function joinNodesByLease(options: LeaseOptions): Promise<PostgresNode> {
  const { url, id, bus, clock, log, requireUsable } = options
  const messageListeners: ((message: string) => void)[] = []
  const leaderListeners: (() => void)[] = []
  const compareClocks = watchClock({ clock, log })
  const inbox = new Inbox((message) => {
    for (const listener of messageListeners) listener(message)
  })
  const arrivals = new Arrivals(bus, log)
  const hints = bus === null ? null : new EventHints({ bus, areTimely: () => arrivals.areTimely() })
  let isFirst = false
  let isAdmitted = false
  let isLeading = false
  let queries = 0
  const notifyLeaderListeners = () => {
    for (const listener of leaderListeners) listener()
  }

  const connect = () => connectByName(url, { isPooled: true })
  const lock: DatabaseLock = await holdDatabaseLock({
    ...options,
    client: await connectAndLock(connect, async (client) => {
      const lease = await waitForLease(client, { id, log, requireUsable })
      isFirst = lease.isFirst
      inbox.startAt(lease.snapshot)
    }),
    connect,
    async take(client) {
      const lease = await takeLease(client, { id, requireUsable, isPreparing: isFirst && !isAdmitted })
      if (lease === 'taken') throw await servedWithoutNats(client)
      if (lease === 'preparing') throw new Error('Another node prepares the database')
      inbox.startAt(lease.snapshot)
    },
    sendHeartbeat: query,
    interval: () => (arrivals.areTimely() ? INTERVAL : INTERVAL_WITHOUT_BUS),
    onNotification: () => {},
    onConfirmedAgain: () => isLeading && notifyLeaderListeners(),
    onLost() {
      isLeading = false
    },
    onRegained: () => inbox.deliver(''),
    onRelease: (client) => client.query(LEAVING, [id]),
  })

  async function query(client: pg.Client): Promise<void> {
    const askedAt = clock.now()
    const { rows } = await client.query<QueriedRow>(QUERY, [id, inbox.snapshot, isAdmitted])
    const [state] = rows
    if (!state?.isRenewed) throw new Error('The lease of this node has expired')
    compareClocks(askedAt, state.time)
    const missed = inbox.receive(state.snapshot, rows)
    arrivals.record(missed.some(isLate(state.time, id)))
    const wasLeading = isLeading
    isLeading = state.isLeading
    if (isLeading && !wasLeading) notifyLeaderListeners()
    queries += 1
    if (isLeading && queries % QUERIES_PER_DELETION === 0) await client.query(DELETION)
  }

  bus?.subscribe(COMMITS, (text) => {
    arrivals.recordHint()
    // A node that may miss messages reads everything again later.
    if (lock.isConfirmed()) inbox.receiveHint(JSON.parse(text) as Hint)
  })
  bus?.subscribe(SENT, (text) => inbox.deliver(text))
  bus?.onChange(() => void lock.beatNow())

  return {
    databaseLock: lock,
    isFirst,
    hasAllMessages: lock.isConfirmed,
    isLeader: () => isLeading && lock.isConfirmed(),
    onBecomeLeader: (listener) => leaderListeners.push(listener),
    onMessage: (listener) => messageListeners.push(listener),
    maxMessageBytes: MAX_MESSAGE_BYTES,
    async send(message, realmId) {
      bus?.publish(realmId === undefined ? SENT : sentTo(realmId), message)
    },
    async followEvents(realmId) {
      if (bus === null || hints === null) return NO_FEED
      const unsubscribe = bus.subscribe(sentTo(realmId), (text) => inbox.deliver(text))
      const feed = hints.follow(realmId)
      await bus.arrived()
      return {
        take: (after, upTo) => feed.take(after, upTo),
        close() {
          unsubscribe()
          feed.close()
        },
      }
    },
    bus: () => bus?.state() ?? null,
    announcement: {
      toQuery(message) {
        if (message === undefined) return null
        return CompiledQuery.raw(message.isOrdered ? ORDERED_INSERTION : INSERTION, [id, message.text])
      },
      onCommitted({ text, isOrdered, appended }, [row]) {
        const hint: Hint = { ...(row as Pick<Hint, 'id' | 'xid'>), message: text }
        if (isOrdered) void lock.beatNow()
        else bus?.publish(COMMITS, JSON.stringify(hint))
        hints?.send(appended)
      },
    },
    async admitOthers() {
      const { client } = lock
      if (client === null) throw new Error('The lease of this node was lost before others were admitted')
      if (isFirst) {
        await client.query(REFUSAL_OF_OLDER_PROGRAMS)
        await client.query('update "nodes" set "isPreparing" = 0 where "id" = $1', [id])
      }
      isAdmitted = true
      await lock.beatNow()
    },
  }
}

/** Returns a function that returns whether NATS should have brought a message of another node to this one before. */
const isLate = (time: number, id: string) => (message: QueriedMessage) =>
  ![id, ''].includes(message.node) && message.isOrdered === '0' && time - message.sentAt > LATE

/** Delivers each message once, whether a query finds it or NATS brings it. */
class Inbox {
  readonly #deliver: (message: string) => void
  /** The state of the last query. All messages that it sees were delivered. */
  #snapshot = parseSnapshot('')
  /** The delivered messages that the snapshot does not see: their ids and transactions. */
  readonly #hinted = new Map<string, number>()

  constructor(deliver: (message: string) => void) {
    this.#deliver = deliver
  }

  get snapshot(): string {
    return this.#snapshot.text
  }

  startAt(snapshot: string): void {
    this.#snapshot = parseSnapshot(snapshot)
    this.#hinted.clear()
  }

  deliver(message: string): void {
    this.#deliver(message)
  }

  receiveHint({ id, xid, message }: Hint): void {
    if (this.#hinted.has(id) || this.#snapshot.sees(Number(xid))) return
    this.#hinted.set(id, Number(xid))
    this.#deliver(message)
  }

  /** Delivers the messages that a query has found. Returns those that NATS has not brought before. */
  receive(snapshot: string, rows: readonly QueriedRow[]): QueriedMessage[] {
    const missed = rows.filter(
      (row): row is QueriedMessage & QueriedState => row.id !== null && !this.#hinted.has(row.id),
    )
    this.#snapshot = parseSnapshot(snapshot)
    for (const [id, xid] of this.#hinted) if (this.#snapshot.sees(xid)) this.#hinted.delete(id)
    for (const { message } of missed) this.#deliver(message)
    return missed
  }
}

/** Parses a value of the type `pg_snapshot`: the first running transaction, the next one, and those running in between. */
function parseSnapshot(text: string) {
  const [first = 0, next = 0] = text.split(':', 2).map(Number)
  const running = new Set(text.split(':')[2]?.split(',').map(Number))
  return { text, sees: (xid: number) => xid < first || (xid < next && !running.has(xid)) }
}

/** Notices whether messages arrive over NATS. */
class Arrivals {
  readonly #bus: Bus | null
  readonly #log: Log
  #lateAt = Number.NEGATIVE_INFINITY
  /** The number of queries with late messages since a message came over NATS. */
  #silentQueries = 0

  constructor(bus: Bus | null, log: Log) {
    this.#bus = bus
    this.#log = log
  }

  areTimely(): boolean {
    return (this.#bus?.isConnected() ?? true) && performance.now() - this.#lateAt > FREQUENT_TIME
  }

  recordHint(): void {
    this.#silentQueries = 0
  }

  /** Records whether a query has found late messages. */
  record(areLate: boolean): void {
    if (!areLate || !this.#bus?.isConnected()) return
    this.#lateAt = performance.now()
    this.#silentQueries += 1
    if (this.#silentQueries === SILENT_QUERIES)
      this.#log.error(
        {},
        'Other nodes write to the database, and none of their messages arrives over NATS, so that changes appear up to a ' +
          'tenth of a second later. Name NATS servers of one cluster by NATS_URL at all nodes',
      )
  }
}

const REFUSAL_OF_OLDER_PROGRAMS = `
  update "migrations" set "oldestProgram" = ${FIRST_PROGRAM}
  where "number" = ${FIRST_PROGRAM} and "oldestProgram" < ${FIRST_PROGRAM}`

const LEAVING = 'with node as (delete from "nodes" where "id" = $1) delete from "nodeLeader" where "node" = $1'

const INSERTION =
  'insert into "nodeMessages" ("node", "message", "isOrdered") values ($1, $2, 0) returning "id"::text, "xid"::text'

/** The lock that is held from the allocation of the id of an ordered message to its commit. */
const ORDER_LOCK = [SERVING_LOCK[0], 6] as const

/** Ordered messages do not come over NATS. The ids of those that a query finds are in the order of the commits. */
const ORDERED_INSERTION = `
  insert into "nodeMessages" ("node", "message", "isOrdered")
    select $1, $2, 1 from (select pg_advisory_xact_lock(${ORDER_LOCK.join(', ')}) offset 0) as locked
  returning "id"::text, "xid"::text`

const DELETION = `
  with gone as (delete from "nodes" where not ${IS_LIVE})
  delete from "nodeMessages" where "xid" < (select min("readUpTo") from "nodes" where ${IS_LIVE})`

type Lease = {
  /** True if no other node has a lease. */
  isFirst: boolean
  /** The node learns of all commits that this snapshot does not see. */
  snapshot: string
}

type TakeOptions = Pick<LeaseOptions, 'id' | 'requireUsable'> & {
  /** True if no other node may serve the database yet. Null if that is so when there is no other. */
  isPreparing: boolean | null
}

/** Takes a lease. Waits while another node prepares the database, and a while for other processes to end. */
async function waitForLease(
  client: pg.Client,
  options: Omit<TakeOptions, 'isPreparing'> & { log: Log },
): Promise<Lease> {
  for (let attempt = 1; ; attempt++) {
    const lease = await takeLease(client, { ...options, isPreparing: null })
    if (typeof lease === 'object') return lease
    if (attempt >= ATTEMPTS && lease === 'taken') throw await servedWithoutNats(client)
    if (attempt === ATTEMPTS)
      options.log.warn({}, 'Another node is migrating or preparing the database: waiting for it')
    await sleep(50)
  }
}

/**
 * Takes a lease in a transaction. Returns why that is not possible yet: a process without NATS serves the database, or
 * another node prepares it. Refuses a database that this program cannot use.
 */
async function takeLease(client: pg.Client, options: TakeOptions): Promise<Lease | 'taken' | 'preparing'> {
  await client.query(`begin${transactionLimits('server')}`)
  const lease = await tryToTakeLease(client, options)
  await client.query(typeof lease === 'object' ? 'commit' : 'rollback')
  return lease
}

async function tryToTakeLease(client: pg.Client, { id, isPreparing, requireUsable }: TakeOptions) {
  // A migrating node looks for the nodes that serve the database after it has taken this lock, so either it sees this
  // node, or this node waits here.
  await client.query('set local lock_timeout = 0')
  await client.query('select pg_advisory_xact_lock_shared($1, $2)', [...MIGRATION_LOCK])
  // Processes without NATS hold this lock as long as they serve the database.
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1, $2) as "isTaken"', [...SERVING_LOCK])
  if (rows[0]?.isTaken !== true) return 'taken'
  await requireUsable(runOver(client))
  for (const statement of NODE_TABLES) await client.query(statement)
  const { rows: others } = await client.query<{ isPreparing: string }>(
    `select "isPreparing" from "nodes" where "id" <> $1 and ${IS_LIVE}`,
    [id],
  )
  const isFirst = others.length === 0
  if (isPreparing === true && !isFirst)
    throw new CannotOpenStorage('Other nodes have begun to serve the database while this one prepared it.')
  if (others.some((other) => other.isPreparing === '1')) return 'preparing'
  const values = [id, NEWEST, processName(), (isPreparing ?? isFirst) ? 1 : 0]
  const [lease] = (await client.query<{ snapshot: string }>(JOINING, values)).rows
  return { isFirst, snapshot: lease?.snapshot ?? '' }
}

const JOINING = `
  insert into "nodes" ("id", "program", "description", "isPreparing", "seenAt", "readUpTo")
  values ($1, $2, $3, $4, ${NOW}, pg_snapshot_xmin(pg_current_snapshot()))
  on conflict ("id") do update set "isPreparing" = excluded."isPreparing", "seenAt" = excluded."seenAt",
    "readUpTo" = excluded."readUpTo"
  returning pg_current_snapshot()::text as "snapshot"`

async function servedWithoutNats(client: pg.Client): Promise<CannotOpenStorage> {
  const [holder = ''] = await findHolders(runOver(client), SERVING_LOCK)
  return new CannotOpenStorage(
    `The database is already being served without NATS_URL by ${withoutProgram(holder)}. ` +
      'All nodes need the same NATS_URL. To set it, stop all nodes first.',
  )
}
