import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { NO_FEED, type NodeMembership, type RunStatement } from '../transactions/engine.ts'
import { type DatabaseLock, holdDatabaseLock } from './database-lock.ts'
import {
  connectAndLock,
  connectByName,
  heldByAnother,
  isLockHeld,
  type LockOptions,
  requireNoLeases,
  runOver,
  SERVING_LOCK,
  tryLock,
} from './exclusive-lock.ts'
import { type Announcement, COMMIT_CHANNEL, NOTIFICATION } from './postgres.ts'

/** The tolerated difference between this node's clock and PostgreSQL's clock, in seconds. */
const TOLERANCE = 2

/** Compares the clock with the time that PostgreSQL returned for a request sent at `askedAt`. */
type CompareClock = (askedAt: number, postgresTime: number) => void

/**
 * Logs once that the clock differs, and once that it agrees again. If clocks differ, timers are due at different times
 * on different nodes.
 */
export function watchClock({ clock, log }: { clock: Clock; log: Log }): CompareClock {
  let differs = false
  return (askedAt, postgresTime) => {
    const [ahead, behind] = [askedAt - postgresTime, postgresTime - clock.now()]
    const didDiffer = differs
    differs = Math.max(ahead, behind) > TOLERANCE
    if (differs === didDiffer) return
    const seconds = Math.round(ahead > behind ? ahead : -behind)
    if (differs)
      log.error(
        { seconds },
        'The clock of this machine differs from that of PostgreSQL: timers and expirations do not happen at the same time as on ' +
          'other nodes. Synchronize the clocks of all machines with NTP',
      )
    else log.warn({}, 'The clock of this machine agrees with that of PostgreSQL again')
  }
}

/** The lock of the leader. */
const LEADER_LOCK = [SERVING_LOCK[0], 2] as const

/** The lock that the first node holds while it migrates and prepares the database. */
export const PREPARING_LOCK = [SERVING_LOCK[0], 3] as const

/** The lock that a node holds in the transaction of a migration while other nodes serve the database. */
export const MIGRATION_LOCK = [SERVING_LOCK[0], 4] as const

/**
 * The number of attempts, 50 ms apart, before the lock counts as refused. While a node prepares the database, there is
 * no limit.
 */
const ATTEMPTS = 100

/** PostgreSQL limits notifications to less than 8,000 bytes. */
const MAX_NOTIFICATION_BYTES = 7900

export type PostgresNode = NodeMembership & {
  readonly databaseLock: DatabaseLock
  /** True if no other node served the database when this one joined. */
  readonly isFirst: boolean
  readonly announcement: Announcement
}

export type NodeOptions = LockOptions & {
  clock: Clock
  /** Throws if this program cannot use the database. */
  requireUsable: (read: RunStatement) => Promise<void>
}

/**
 * Joins the nodes that serve the database. A separate connection takes the shared lock and receives the messages of the
 * other nodes. The first node has the lock exclusively until it admits others.
 */
export async function joinNodes({
  url,
  clock,
  requireUsable,
  send,
  ...options
}: NodeOptions & Pick<NodeMembership, 'send'>): Promise<PostgresNode> {
  const messageListeners: ((message: string) => void)[] = []
  const leaderListeners: (() => void)[] = []
  const notify = <Value>(listeners: readonly ((value: Value) => void)[], value: Value) => {
    for (const listener of listeners) listener(value)
  }
  let isFirst = false
  let isAdmitted = false
  let isLeading = false
  const compareClocks = watchClock({ clock, log: options.log })

  const connect = () => connectByName(url)
  const lock = await holdDatabaseLock({
    ...options,
    client: await connectAndLock(connect, async (client) => {
      isFirst = await takeLock(client, options.log)
      if (!isFirst) await requireUsableByNodes(client, requireUsable)
    }),
    connect,
    take: (client) => retakeLock(client, isFirst && !isAdmitted ? null : requireUsable),
    sendHeartbeat,
    onNotification: (message) => notify(messageListeners, message),
    onConfirmedAgain: () => isLeading && notify(leaderListeners, undefined),
    onLost() {
      isLeading = false
    },
    onRegained: () => notify(messageListeners, ''),
  })

  async function sendHeartbeat(client: pg.Client): Promise<void> {
    const askedAt = clock.now()
    const { rows } = await client.query('select extract(epoch from clock_timestamp())::double precision as "time"')
    compareClocks(askedAt, rows[0].time)
    if (!isLeading && isAdmitted && (await tryLock(client, 'pg_try_advisory_lock', LEADER_LOCK))) {
      isLeading = true
      notify(leaderListeners, undefined)
    }
  }

  return {
    databaseLock: lock,
    isFirst,
    hasAllMessages: lock.isConfirmed,
    isLeader: () => isLeading && lock.isConfirmed(),
    onBecomeLeader: (listener) => leaderListeners.push(listener),
    onMessage: (listener) => messageListeners.push(listener),
    maxMessageBytes: MAX_NOTIFICATION_BYTES,
    send,
    followEvents: async () => NO_FEED,
    bus: () => null,
    announcement: NOTIFICATION,
    async admitOthers() {
      const { client } = lock
      if (client === null) throw new Error('The lock of this node was lost before others were admitted')
      if (isFirst) {
        await client.query('select pg_advisory_lock_shared($1, $2)', [...SERVING_LOCK])
        await client.query('select pg_advisory_unlock($1, $2)', [...SERVING_LOCK])
        await client.query('select pg_advisory_unlock($1, $2)', [...PREPARING_LOCK])
      }
      isAdmitted = true
      await sendHeartbeat(client)
    },
  }
}

/** Takes the lock. Returns true if it is exclusive because no other node serves the database. */
async function takeLock(client: pg.Client, log: Log): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    // This must be checked before the attempt, because the first node shares the lock once it has prepared the
    // database.
    const mayWait = attempt < ATTEMPTS || (await isLockHeld(client, PREPARING_LOCK))
    const isFirst = await takeExclusively(client)
    if (isFirst || (await tryLock(client, 'pg_try_advisory_lock_shared', SERVING_LOCK))) {
      await requireNoLeases(runOver(client))
      await client.query(`listen ${COMMIT_CHANNEL}`)
      return isFirst
    }
    if (!mayWait) throw await heldByAnother(client)
    if (attempt === ATTEMPTS) log.warn({}, 'Another node is migrating or preparing the database: waiting for it')
    await sleep(50)
  }
}

async function takeExclusively(client: pg.Client): Promise<boolean> {
  const isTaken = await tryLock(client, 'pg_try_advisory_lock', SERVING_LOCK)
  // A terminated connection that holds both locks releases them one after another.
  if (isTaken) await client.query('select pg_advisory_lock($1, $2)', [...PREPARING_LOCK])
  return isTaken
}

/**
 * Takes the lock again on another connection. The lock is exclusive if `requireUsable` is null, because this node is
 * still preparing the database.
 */
async function retakeLock(client: pg.Client, requireUsable: NodeOptions['requireUsable'] | null): Promise<void> {
  const isTaken =
    requireUsable === null
      ? await takeExclusively(client)
      : await tryLock(client, 'pg_try_advisory_lock_shared', SERVING_LOCK)
  if (!isTaken) throw await heldByAnother(client)
  await requireNoLeases(runOver(client))
  if (requireUsable !== null) await requireUsableByNodes(client, requireUsable)
  await client.query(`listen ${COMMIT_CHANNEL}`)
}

/**
 * Refuses a database that this program cannot use, after the end of a migration. A migrating node looks for the nodes
 * that serve the database after it has taken its lock, so either it has seen this node, or this node waits here.
 */
async function requireUsableByNodes(client: pg.Client, requireUsable: NodeOptions['requireUsable']): Promise<void> {
  await client.query('begin')
  await client.query('select pg_advisory_xact_lock_shared($1, $2)', [...MIGRATION_LOCK])
  await requireUsable(runOver(client))
  await client.query('commit')
}
