import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { CannotOpenStorage } from '../engine.ts'
import { destroyConnection, disconnect } from './disconnect.ts'
import {
  DatabaseReplaced,
  findIdentity,
  type Identity,
  type LastIds,
  requireLastIds,
  requireSameDatabase,
} from './identity.ts'

/**
 * Milliseconds between two heartbeats of the connection, and the time after which it counts as lost without a response.
 */
const PULSE = 1000
const PATIENCE = 3000

/** Milliseconds after the last answered heartbeat was sent until the lock is no longer certain. */
const CERTAINTY = PULSE + PATIENCE

/** The maximum time to take the lock on a new connection, in milliseconds, before another connection is tried. */
const RETAKE_TIME = 5000

/** The number of attempts, 500 ms apart, to take the lock again: the lost connection may still hold it. */
const REFUSALS = 120

/** The lock on the database and the subscription to notifications, on a connection that is replaced when it is lost. */
export type DatabaseLock = {
  /** The connection; null while it is being replaced. */
  readonly client: pg.Client | null
  /** Returns whether a recent heartbeat was answered, so that all earlier notifications have arrived. */
  isConfirmed(): boolean
  /** Returns whether the lock is held. If this process was suspended, a heartbeat is sent first. */
  confirm(): Promise<boolean>
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
  /** Sends a heartbeat. */
  ask: (client: pg.Client) => Promise<unknown>
  /** By counter, the last id that this process knows to be committed. */
  lastIds: LastIds
  log: Log
  onNotification: (payload: string) => void
  onLost: () => void
  /** Notifications in between were missed. */
  onRegained: () => void
  /** Replaces the other connections of this process, which may be dead without being noticed. */
  replaceOthers: () => void
  /** Called if the lock cannot be taken again, or belongs to another database. */
  onFatal: (error: unknown) => void
}

/** A silently dropped connection would receive nothing without noticing it, so a heartbeat is sent every second. */
export async function holdDatabaseLock(options: DatabaseLockOptions): Promise<DatabaseLock> {
  const { ask, log, onNotification, onLost, onRegained, replaceOthers, onFatal } = options
  const identity = await findIdentity(options.client)
  let client: pg.Client | null = null
  let isReleased = false
  let pulse: NodeJS.Timeout | undefined
  let beating: Promise<void> | null = null
  /** The time at which the last answered heartbeat was sent: all earlier notifications have arrived. */
  let heardAt = Number.NEGATIVE_INFINITY
  hold(options.client)

  function hold(connection: pg.Client): void {
    client = connection
    heardAt = performance.now()
    connection.on('notification', ({ payload }) => onNotification(payload ?? ''))
    connection.on('end', () => lose(connection))
    void beat(connection)
  }

  function beat(current: pg.Client): Promise<void> {
    clearTimeout(pulse)
    beating = askForSign(current).finally(() => {
      beating = null
    })
    return beating
  }

  async function askForSign(held: pg.Client): Promise<void> {
    const askedAt = performance.now()
    let isAnswered = false
    // If this process was suspended, the answer may have arrived without having been read.
    const giveUp = setTimeout(() => setImmediate(() => isAnswered || cutSilent(held)), PATIENCE)
    try {
      await ask(held)
      if (client !== held) return
      heardAt = askedAt
      if (!isReleased) pulse = setTimeout(beat, PULSE, held).unref()
    } catch {
      destroyConnection(held)
      lose(held)
    } finally {
      isAnswered = true
      clearTimeout(giveUp)
    }
  }

  function cutSilent(held: pg.Client): void {
    destroyConnection(held)
    if (client === held) replaceOthers()
  }

  function lose(lost: pg.Client): void {
    if (client !== lost) return
    client = null
    clearTimeout(pulse)
    if (isReleased) return
    onLost()
    recover().catch(onFatal)
  }

  async function recover(): Promise<void> {
    const lostAt = performance.now()
    log.error(
      {},
      'The connection that holds the lock on the database was lost, and nothing is written until it is restored. ' +
        'Check whether PostgreSQL is running and can be reached from here',
    )
    const regained = await retake({ ...options, identity, isReleased: () => isReleased })
    if (regained === null || isReleased) return regained === null ? undefined : disconnect(regained)
    log.warn({ seconds: Math.round((performance.now() - lostAt) / 1000) }, 'The lock on the database is held again')
    replaceOthers()
    hold(regained)
    onRegained()
  }

  const isHeard = () => client !== null && performance.now() - heardAt < CERTAINTY

  return {
    get client() {
      return client
    },
    isConfirmed: isHeard,
    async confirm() {
      if (client !== null && !isHeard()) await (beating ?? beat(client))
      return isHeard()
    },
    async release() {
      isReleased = true
      clearTimeout(pulse)
      if (client !== null) await disconnect(client, beating)
    },
  }
}

type RetakeOptions = Pick<DatabaseLockOptions, 'connect' | 'take' | 'lastIds'> & {
  identity: Identity
  isReleased: () => boolean
}

/** Tries until the lock is taken again; returns null if it is no longer wanted. */
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
      if (error instanceof CannotOpenStorage && ++refusals === REFUSALS) throw error
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
