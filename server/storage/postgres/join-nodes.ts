import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../../base/log.ts'
import { type NodeTie, type RunStatement, StorageUnavailable } from '../engine.ts'
import { postgresTypes, toQueryResult } from './connection.ts'
import { connectByName, heldByAnother, LOCK, REGAIN_ATTEMPTS } from './lock.ts'
import { cut, part } from './part.ts'
import { COMMIT_CHANNEL } from './postgres.ts'

/** Held by the node that leads. */
const LEADER_LOCK = [LOCK[0], 2] as const

/** Tries, 50 ms apart, before the place among the nodes counts as refused: the first of them migrates meanwhile. */
const ATTEMPTS = 100

/** Milliseconds between two signs of life on the connection, and how long one may take before it counts as lost. */
const PULSE = 1000
const PATIENCE = 3000

/** Milliseconds that connecting, and asking for the place, may take each before another connection is tried. */
const REJOIN_TIME = 5000

/**
 * A machine that dies says no farewell, and PostgreSQL would keep its locks for hours. So it gives up who is silent for
 * some ten seconds: later than a node itself gives up the connection, and writes nothing any more.
 */
const SILENCE_ENDS = `
  set tcp_keepalives_idle = 5;
  set tcp_keepalives_interval = 2;
  set tcp_keepalives_count = 3;
  set tcp_user_timeout = 10000`

export type PostgresNode = NodeTie & {
  /** Whether no other node served the database when this one came. */
  readonly isFirst: boolean
  /** False while the connection that holds the place among the nodes is being made again. */
  isHeld(): boolean
  release(): Promise<void>
}

type NodeOptions = {
  url: string
  log: Log
  /** Throws where the database is not, or no longer, of the version that this program knows. */
  requireSameSchema: (read: RunStatement) => Promise<void>
  /** Called when the place that was lost cannot be had again. */
  onFatal: (error: unknown) => void
}

/**
 * Takes a place among the nodes that serve the database: the lock, shared by all of them, on a connection of its own that
 * listens to the others. The first has the lock alone until it admits others.
 */
export async function joinNodes({ url, log, requireSameSchema, onFatal }: NodeOptions): Promise<PostgresNode> {
  const wordListeners: ((word: string) => void)[] = []
  const hearingListeners: ((hears: boolean) => void)[] = []
  const leadListeners: (() => void)[] = []
  const tell = <Value>(listeners: readonly ((value: Value) => void)[], value: Value) => {
    for (const listener of listeners) listener(value)
  }
  let isReleased = false
  let isLeading = false
  let isAdmitted = false
  let pulse: NodeJS.Timeout | undefined

  const joined = await join(url)
  const { isFirst } = joined
  let client: pg.Client | null = joined.client
  attend(client)

  function attend(connected: pg.Client): void {
    connected.on('notification', ({ payload }) => tell(wordListeners, payload ?? ''))
    connected.on('end', () => lose(connected))
  }

  function lose(lost: pg.Client): void {
    if (client !== lost) return
    client = null
    isLeading = false
    clearTimeout(pulse)
    if (isReleased) return
    tell(hearingListeners, false)
    recover().catch(onFatal)
  }

  async function recover(): Promise<void> {
    log.warn({}, 'The connection to the other nodes was lost')
    const regained = await rejoin({ url, requireSameSchema, isReleased: () => isReleased })
    if (regained === null || isReleased) return regained === null ? undefined : part(regained)
    client = regained
    attend(regained)
    tell(hearingListeners, true)
    // What was said in between went unheard.
    tell(wordListeners, '')
    if (isAdmitted) await beat()
  }

  /** A connection that dropped silently would hear nothing and not know it. */
  async function beat(): Promise<void> {
    const beating = client
    if (beating === null) return
    const giveUp = setTimeout(() => cut(beating), PATIENCE)
    try {
      if (isLeading) await beating.query('select 1')
      else if (await tryLock(beating, 'pg_try_advisory_lock', LEADER_LOCK)) lead()
      if (client === beating && !isReleased) pulse = setTimeout(beat, PULSE).unref()
    } catch {
      cut(beating)
      lose(beating)
    } finally {
      clearTimeout(giveUp)
    }
  }

  function lead(): void {
    isLeading = true
    tell(leadListeners, undefined)
  }

  return {
    isFirst,
    isHeld: () => client !== null,
    leads: () => isLeading,
    onLead: (listener) => leadListeners.push(listener),
    onWord: (listener) => wordListeners.push(listener),
    onHearing: (listener) => hearingListeners.push(listener),
    async admitOthers() {
      isAdmitted = true
      if (isFirst) {
        await client?.query('select pg_advisory_lock_shared($1, $2)', [...LOCK])
        await client?.query('select pg_advisory_unlock($1, $2)', [...LOCK])
      }
      await beat()
    },
    async release() {
      isReleased = true
      clearTimeout(pulse)
      if (client !== null) await part(client)
    },
  }
}

async function join(url: string): Promise<{ client: pg.Client; isFirst: boolean }> {
  const client = await connectAsNode(url)
  try {
    for (let attempt = 1; ; attempt++) {
      const isFirst = await tryLock(client, 'pg_try_advisory_lock', LOCK)
      if (isFirst || (await tryLock(client, 'pg_try_advisory_lock_shared', LOCK))) {
        await client.query(`listen ${COMMIT_CHANNEL}`)
        return { client, isFirst }
      }
      if (attempt === ATTEMPTS) throw await heldByAnother(client)
      await sleep(50)
    }
  } catch (error) {
    await part(client)
    throw error
  }
}

type RejoinOptions = Pick<NodeOptions, 'url' | 'requireSameSchema'> & { isReleased: () => boolean }

/** Tries until the lock is shared again; null when it is no longer wanted. */
async function rejoin({ url, requireSameSchema, isReleased }: RejoinOptions): Promise<pg.Client | null> {
  for (let refusals = 0; !isReleased(); ) {
    try {
      return await shareLock(url, requireSameSchema)
    } catch (error) {
      if (error instanceof StorageUnavailable && ++refusals === REGAIN_ATTEMPTS) throw error
    }
    await sleep(500)
  }
  return null
}

async function shareLock(url: string, requireSameSchema: NodeOptions['requireSameSchema']): Promise<pg.Client> {
  const client = await connectAsNode(url)
  await prepareInTime(client, async () => {
    if (!(await tryLock(client, 'pg_try_advisory_lock_shared', LOCK))) throw await heldByAnother(client)
    await requireSameSchema(readsOver(client))
    await client.query(`listen ${COMMIT_CHANNEL}`)
  })
  return client
}

const readsOver =
  (client: pg.Client): RunStatement =>
  async ({ sql: text, parameters }) =>
    toQueryResult(await client.query({ text, values: [...parameters], types: postgresTypes }))

/** A connection that ends for PostgreSQL, and its locks with it, soon after the machine of the node has fallen silent. */
export async function connectAsNode(url: string): Promise<pg.Client> {
  const client = await connectByName(url, REJOIN_TIME)
  await prepareInTime(client, () => client.query(SILENCE_ENDS))
  return client
}

/** Where that fails, or takes too long, the connection ends. */
async function prepareInTime(client: pg.Client, prepare: () => Promise<unknown>): Promise<void> {
  const giveUp = setTimeout(() => cut(client), REJOIN_TIME)
  try {
    await prepare()
  } catch (error) {
    await part(client)
    throw error
  } finally {
    clearTimeout(giveUp)
  }
}

async function tryLock(
  client: pg.Client,
  take: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  lock: readonly [number, number],
): Promise<boolean> {
  const { rows } = await client.query(`select ${take}($1, $2) as "isHeld"`, [...lock])
  return rows[0]?.isHeld === true
}
