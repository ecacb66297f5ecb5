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

/** Milliseconds between two signs of life of the connection, and how long one may take before it counts as lost. */
const PULSE = 1000
const PATIENCE = 3000

/** Milliseconds since a sign of life was asked for after which nobody can say whether the place is still held. */
const CERTAINTY = PULSE + PATIENCE

/** Milliseconds that taking the place may take on a connection that was made again, before another is tried. */
const RETAKE_TIME = 5000

/** How often, 500 ms apart, the place may be refused: it may still be held by the connection that was lost with it. */
const REFUSALS = 120

/** What holds the lock on the database, and listens: a connection that is made again when it is lost. */
export type DatabaseLock = {
  /** The connection; null while it is being made again. */
  readonly client: pg.Client | null
  /** Whether it was there some seconds ago, and what was notified until then has been heard. */
  isConfirmed(): boolean
  /** Whether the place is held. Where the process stood still, it is asked for a sign of life. */
  confirm(): Promise<boolean>
  /** Lets go of it, with a farewell where somebody hears it. */
  release(): Promise<void>
}

export type DatabaseLockOptions = {
  /** The connection that holds the place. */
  client: pg.Client
  /** Makes another, which holds nothing yet, in bounded time. */
  connect: () => Promise<pg.Client>
  /** Takes the place on it; refuses with `StorageUnavailable` where somebody else has it. */
  take: (client: pg.Client) => Promise<void>
  /** Asks the other end for a sign of life. */
  ask: (client: pg.Client) => Promise<unknown>
  /** By counter, the last id that this process knows to be committed. */
  lastIds: LastIds
  log: Log
  onNotification: (payload: string) => void
  onLost: () => void
  /** What was notified in between went unheard. */
  onRegained: () => void
  /** Puts new ones in the place of the other connections of this process: they may be as dead, and nobody would know. */
  replaceOthers: () => void
  /** Called when the place cannot be had again, or is one at another database. */
  onFatal: (error: unknown) => void
}

/** A connection that drops silently would hear nothing and not know it: so it is asked each second. */
export async function holdDatabaseLock(options: DatabaseLockOptions): Promise<DatabaseLock> {
  const { ask, log, onNotification, onLost, onRegained, replaceOthers, onFatal } = options
  const identity = await findIdentity(options.client)
  let client: pg.Client | null = null
  let isReleased = false
  let pulse: NodeJS.Timeout | undefined
  let beating: Promise<void> | null = null
  /** When the last sign of life was asked for that came: what was notified before that has come, too. */
  let heardAt = Number.NEGATIVE_INFINITY
  hold(options.client)

  function hold(held: pg.Client): void {
    client = held
    heardAt = performance.now()
    held.on('notification', ({ payload }) => onNotification(payload ?? ''))
    held.on('end', () => lose(held))
    void beat(held)
  }

  function beat(held: pg.Client): Promise<void> {
    clearTimeout(pulse)
    beating = askForSign(held).finally(() => {
      beating = null
    })
    return beating
  }

  async function askForSign(held: pg.Client): Promise<void> {
    const askedAt = performance.now()
    let isAnswered = false
    // Where this process stood still, the answer may be there and not read yet.
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
      'The connection by which this process has its place at the database was lost, and nothing is written until it is ' +
        'there again. See whether PostgreSQL runs, and can be reached from here',
    )
    const regained = await retake({ ...options, identity, isReleased: () => isReleased })
    if (regained === null || isReleased) return regained === null ? undefined : disconnect(regained)
    log.warn({ seconds: Math.round((performance.now() - lostAt) / 1000) }, 'The place at the database is held again')
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

/** Tries until the place is taken again; null when it is no longer wanted. */
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

/** Where that fails, or takes too long, the connection ends. */
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
