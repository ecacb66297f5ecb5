import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../base/log.ts'
import { StorageUnavailable } from '../engine.ts'
import { part } from './part.ts'
import { COMMIT_CHANNEL } from './postgres.ts'

/** The advisory lock, as two numbers; nothing but Parley has a meaning for them. Several nodes share it. */
export const LOCK = [0x5061726c, 1] as const

/** Tries, 50 ms apart, before a lock counts as held: a command that migrates holds it for a moment only. */
const ATTEMPTS = 10

/** How often, 500 ms apart, a lost lock may still be held by the connection that was lost with it. */
export const REGAIN_ATTEMPTS = 120

export type PostgresLock = {
  /** False while the connection that holds the lock is being made again. */
  isHeld(): boolean
  /** Calls `listener` after commits of other processes, and whenever some may have gone unheard. */
  onOutsideCommit(listener: () => void): void
  release(): Promise<void>
}

type LockOptions = {
  url: string
  log: Log
  /** Called when another process has taken the lock after the connection was lost. */
  onFatal: (error: unknown) => void
}

/** Takes the lock that only one process has for the database, on a connection of its own, and listens there. */
export async function takePostgresLock({ url, log, onFatal }: LockOptions): Promise<PostgresLock> {
  const listeners: (() => void)[] = []
  const tell = () => {
    for (const listener of listeners) listener()
  }
  let isReleased = false
  let client: pg.Client | null = await holdLock(url, ATTEMPTS)
  attend(client)

  function attend(connected: pg.Client): void {
    connected.on('notification', tell)
    connected.on('end', () => {
      client = null
      if (!isReleased) recover().catch(onFatal)
    })
  }

  async function recover(): Promise<void> {
    log.warn({}, 'The connection that holds the lock on the database was lost')
    const regained = await regainLock(url, () => isReleased)
    if (regained === null || isReleased) return regained === null ? undefined : part(regained)
    client = regained
    attend(regained)
    // What was notified in between went unheard.
    tell()
  }

  return {
    isHeld: () => client !== null,
    onOutsideCommit: (listener) => listeners.push(listener),
    async release() {
      isReleased = true
      if (client !== null) await part(client)
    },
  }
}

/** A connection that says in the list of connections whose it is; rejects after `timeout` milliseconds, if any is given. */
export async function connectByName(url: string, timeout = 0): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: `parley, process ${process.pid} on ${hostname()}`,
    keepAlive: true,
    connectionTimeoutMillis: timeout,
  })
  // What goes wrong with a connection shows as its end.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** The connection that holds the lock. */
async function holdLock(url: string, attempts: number): Promise<pg.Client> {
  const client = await connectByName(url)
  try {
    for (let attempt = 1; ; attempt++) {
      const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as "isHeld"', [...LOCK])
      if (rows[0]?.isHeld) break
      if (attempt === attempts) throw await heldByAnother(client)
      await sleep(50)
    }
    await client.query(`listen ${COMMIT_CHANNEL}`)
    return client
  } catch (error) {
    await part(client)
    throw error
  }
}

/** Tries until the lock is held again; null when it is no longer wanted. */
async function regainLock(url: string, isReleased: () => boolean): Promise<pg.Client | null> {
  for (let refusals = 0; !isReleased(); ) {
    try {
      return await holdLock(url, 1)
    } catch (error) {
      if (error instanceof StorageUnavailable && ++refusals === REGAIN_ATTEMPTS) throw error
    }
    await sleep(500)
  }
  return null
}

export async function heldByAnother(client: pg.Client): Promise<StorageUnavailable> {
  const { rows } = await client.query(
    `select application_name as "holder" from pg_stat_activity join pg_locks using (pid)
      where locktype = 'advisory' and granted and classid = $1 and objid = $2
        and pg_locks.database = (select oid from pg_database where datname = current_database())`,
    [...LOCK],
  )
  const holder = String(rows[0]?.holder ?? '').replace(/^parley, /, '') || 'another process'
  return new StorageUnavailable(
    `The database is already being served by ${holder}. Stop that process first. ` +
      'Several processes serve one database where each of them is started with SEVERAL_NODES=true.',
  )
}
