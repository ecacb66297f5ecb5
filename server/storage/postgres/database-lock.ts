import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '#lib/log.ts'
import { CannotOpenStorage } from '../storage.ts'
import { destroyConnection, disconnect, SETUP_TIME } from './connection.ts'

/**
 * The queries that identify the database, the PostgreSQL installation, and the timeline. A standby that takes over
 * starts a new timeline.
 */
const [DATABASE_QUERY, SYSTEM_QUERY] = [
  'select oid::text as answer from pg_database where datname = current_database()',
  'select system_identifier::text as answer from pg_control_system()',
] as const
const IDENTITY_QUERIES = [
  DATABASE_QUERY,
  SYSTEM_QUERY,
  'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as answer',
] as const

/** The answers to `IDENTITY_QUERIES`; null for answers that this PostgreSQL does not give. */
type Identity = readonly (string | null)[]

/** The database is not the database that was served: it may lack the last commits, or contain others. */
export class DatabaseReplaced extends Error {}

const REPLACED =
  'PostgreSQL now has another database in place of the one that was served: a restored copy, or a standby that ' +
  'took over, which may lack the last commits'

async function findIdentity(client: pg.Client): Promise<Identity> {
  const answers: (string | null)[] = []
  for (const query of IDENTITY_QUERIES) answers.push(await ask(client, query))
  return answers
}

/**
 * Returns a name that all nodes of the database find, and no other database has. If PostgreSQL does not identify its
 * installation, nodes find the same name only by the same URL.
 */
export async function findUniqueName(pool: pg.Pool, url: string): Promise<string> {
  const [database, system] = [await ask(pool, DATABASE_QUERY), await ask(pool, SYSTEM_QUERY)]
  const { host, port } = new pg.Client({ connectionString: url })
  return `${database} of ${system ?? `${host}:${port}`}`
}

async function requireSameDatabase(client: pg.Client, known: Identity): Promise<void> {
  const found = await findIdentity(client)
  const isSame = found.every((answer, at) => answer === known[at] || answer === null || known[at] === null)
  if (!isSame) throw new DatabaseReplaced(REPLACED)
}

/** The last id of each counter that this process knows to be committed. */
export type LastIds = ReadonlyMap<string, number>

/**
 * Refuses an older copy of the database. A copy of PostgreSQL's data folder has the same identity, but its counters lag
 * behind.
 */
export async function requireLastIds(client: pg.ClientBase, lastIds: LastIds): Promise<void> {
  if (lastIds.size === 0) return
  const known = [...lastIds]
  const query: pg.QueryConfig & { query_timeout: number } = {
    text: 'select "name", "value" from "counters" where "name" = any($1)',
    values: [known.map(([name]) => name)],
    query_timeout: SETUP_TIME,
  }
  const { rows } = await client.query<{ name: string; value: string }>(query)
  const found = new Map(rows.map(({ name, value }) => [name, Number(value)]))
  if (known.some(([name, id]) => (found.get(name) ?? 0) < id)) throw new DatabaseReplaced(REPLACED)
}

async function ask(client: pg.Client | pg.Pool, query: string): Promise<string | null> {
  try {
    const { rows } = await client.query(query)
    return rows[0]?.answer ?? null
  } catch (error) {
    if (error instanceof pg.DatabaseError) return null
    throw error
  }
}

/**
 * The interval between heartbeats, and the time without a response after which the connection counts as lost, in
 * milliseconds.
 */
const HEARTBEAT_INTERVAL = 1000
const HEARTBEAT_TIMEOUT = 3000

/** The lock is no longer certain this many milliseconds after the last answered heartbeat was sent. */
const CONFIRMATION_TIME = HEARTBEAT_INTERVAL + HEARTBEAT_TIMEOUT

/** The maximum number of heartbeats to confirm the lock. The answers of the first ones may be read too late. */
const MAX_HEARTBEATS = 3

/** The maximum time to take the lock on a new connection, in milliseconds, before another connection is tried. */
const RETAKE_TIME = 5000

/**
 * The maximum number of attempts, 500 ms apart, to take the lock again. The lost connection may still hold the lock.
 */
const MAX_REFUSALS = 120

/** The lock on the database and the subscription to notifications, on a connection that is replaced when it is lost. */
export type DatabaseLock = {
  /** The connection; null while it is being replaced. */
  readonly client: pg.Client | null
  /** Returns whether a recent heartbeat was answered, so that all earlier notifications have arrived. */
  isConfirmed(): boolean
  /** Returns whether the lock is held. If this process was suspended, up to three heartbeats are sent first. */
  confirm(): Promise<boolean>
  /** Sends a heartbeat now. Resolves when it was answered, or when the connection is lost. */
  beatNow(): Promise<void>
  /** Releases the lock and closes the connection. */
  release(): Promise<void>
}

export type DatabaseLockOptions = {
  /** The connection that holds the lock. */
  client: pg.Client
  /** Opens another connection without the lock, in bounded time. */
  connect: () => Promise<pg.Client>
  /** Takes the lock on the connection; refuses with `CannotOpenStorage` if another process holds it. */
  take: (client: pg.Client) => Promise<void>
  sendHeartbeat: (client: pg.Client) => Promise<unknown>
  /** Called with the connection before it is closed on purpose. */
  onRelease?: (client: pg.Client) => Promise<unknown>
  /** Returns the milliseconds from an answered heartbeat to the next one; a second if omitted. */
  interval?: () => number
  /** The last id of each counter that this process knows to be committed. */
  lastIds: LastIds
  log: Log
  onNotification: (payload: string) => void
  /** Called when the lock is certain again, on the same connection, after it was not for a while. */
  onConfirmedAgain?: () => void
  onLost: () => void
  /** Called when the lock has been taken again. Notifications sent in between were missed. */
  onRegained: () => void
  /**
   * Replaces the other connections of this process. They may have been dropped as well, without this process noticing.
   */
  replaceOthers: () => void
  /** Called if the lock cannot be taken again, or belongs to another database. */
  onFatal: (error: unknown) => void
}

/** Keeps the lock that `options.client` holds, until it is released. */
export async function holdDatabaseLock(options: DatabaseLockOptions): Promise<DatabaseLock> {
  return new HeldLock(options, await findIdentity(options.client))
}

/**
 * Sends a heartbeat every second. Without heartbeats, this process would not notice that the connection was dropped.
 */
class HeldLock implements DatabaseLock {
  readonly #options: DatabaseLockOptions
  readonly #identity: Identity
  #client: pg.Client | null = null
  #isReleased = false
  #timer: NodeJS.Timeout | undefined
  #heartbeat: Promise<void> | null = null
  /** A heartbeat that begins after the current one. */
  #nextHeartbeat: Promise<void> | null = null
  /** The time at which the last answered heartbeat was sent: all earlier notifications have arrived. */
  #confirmedAt = Number.NEGATIVE_INFINITY

  constructor(options: DatabaseLockOptions, identity: Identity) {
    this.#options = options
    this.#identity = identity
    this.#hold(options.client)
  }

  get client(): pg.Client | null {
    return this.#client
  }

  readonly isConfirmed = (): boolean =>
    this.#client !== null && performance.now() - this.#confirmedAt < CONFIRMATION_TIME

  async confirm(): Promise<boolean> {
    for (let beats = 0; beats < MAX_HEARTBEATS && this.#client !== null && !this.isConfirmed(); beats += 1)
      await (this.#heartbeat ?? this.#beat(this.#client))
    return this.isConfirmed()
  }

  beatNow(): Promise<void> {
    this.#nextHeartbeat ??= this.#beatAfterCurrent()
    return this.#nextHeartbeat
  }

  async #beatAfterCurrent(): Promise<void> {
    // The answer to the current heartbeat may be older than the call.
    await this.#heartbeat
    this.#nextHeartbeat = null
    if (this.#client !== null && !this.#isReleased) await (this.#heartbeat ?? this.#beat(this.#client))
  }

  async release(): Promise<void> {
    this.#isReleased = true
    clearTimeout(this.#timer)
    const client = this.#client
    if (client === null) return
    const last = Promise.resolve(this.#heartbeat).then(() => this.#options.onRelease?.(client))
    await disconnect(client, last)
  }

  #hold(client: pg.Client): void {
    this.#client = client
    this.#confirmedAt = performance.now()
    client.on('notification', ({ payload }) => this.#options.onNotification(payload ?? ''))
    client.on('end', () => this.#lose(client))
    void this.#beat(client)
  }

  #beat(client: pg.Client): Promise<void> {
    clearTimeout(this.#timer)
    this.#heartbeat = this.#sendHeartbeat(client).finally(() => {
      this.#heartbeat = null
    })
    return this.#heartbeat
  }

  async #sendHeartbeat(client: pg.Client): Promise<void> {
    const sentAt = performance.now()
    let isAnswered = false
    // If this process was suspended, the answer may have arrived without having been read.
    const giveUp = setTimeout(() => setImmediate(() => isAnswered || this.#destroySilent(client)), HEARTBEAT_TIMEOUT)
    try {
      await this.#options.sendHeartbeat(client)
      if (this.#client !== client) return
      const wasConfirmed = this.isConfirmed()
      this.#confirmedAt = sentAt
      if (!wasConfirmed && this.isConfirmed()) this.#options.onConfirmedAgain?.()
      const interval = this.#options.interval?.() ?? HEARTBEAT_INTERVAL
      if (!this.#isReleased) this.#timer = setTimeout(() => this.#beat(client), interval).unref()
    } catch {
      destroyConnection(client)
      this.#lose(client)
    } finally {
      isAnswered = true
      clearTimeout(giveUp)
    }
  }

  #destroySilent(client: pg.Client): void {
    destroyConnection(client)
    if (this.#client === client) this.#options.replaceOthers()
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = null
    clearTimeout(this.#timer)
    if (this.#isReleased) return
    this.#options.onLost()
    this.#recover().catch(this.#options.onFatal)
  }

  async #recover(): Promise<void> {
    const { log, replaceOthers, onRegained } = this.#options
    const lostAt = performance.now()
    log.error(
      {},
      'The connection that holds the lock on the database was lost, and nothing is written until it is restored. ' +
        'Check whether PostgreSQL is running and can be reached from here',
    )
    const client = await retake({ ...this.#options, identity: this.#identity, isReleased: () => this.#isReleased })
    if (client === null || this.#isReleased) return client === null ? undefined : disconnect(client)
    log.warn({ seconds: Math.round((performance.now() - lostAt) / 1000) }, 'The lock on the database is held again')
    replaceOthers()
    this.#hold(client)
    onRegained()
  }
}

type RetakeOptions = Pick<DatabaseLockOptions, 'connect' | 'take' | 'lastIds'> & {
  identity: Identity
  isReleased: () => boolean
}

/** Tries until the lock is taken again. Returns null if the lock is no longer wanted. */
async function retake(options: RetakeOptions): Promise<pg.Client | null> {
  const { connect, take, lastIds, identity, isReleased } = options
  for (let refusals = 0; !isReleased(); ) {
    try {
      const client = await connect()
      await inTime(client, async () => {
        await take(client)
        await requireSameDatabase(client, identity)
        await requireLastIds(client, lastIds)
      })
      return client
    } catch (error) {
      if (error instanceof DatabaseReplaced) throw error
      if (error instanceof CannotOpenStorage && ++refusals === MAX_REFUSALS) throw error
    }
    await sleep(500)
  }
  return null
}

/** Runs `work` and closes the connection if it fails or takes too long. */
async function inTime(client: pg.Client, work: () => Promise<void>): Promise<void> {
  const giveUp = setTimeout(() => destroyConnection(client), RETAKE_TIME)
  try {
    await work()
  } catch (error) {
    await disconnect(client)
    throw error
  } finally {
    clearTimeout(giveUp)
  }
}
