import { setTimeout as sleep } from 'node:timers/promises'
import type { CompiledQuery, QueryResult } from 'kysely'
import pg from 'pg'
import type { Log } from '#lib/log.ts'
import type { ReplicaState } from '../../storage.ts'
import type { Replicas, RunStatement } from '../../transactions/engine.ts'
import { isOutdatedPlan, statementNamer, toQueryResult } from '../connection.ts'
import { type Connections, openConnections } from '../pool.ts'
import {
  FACTS,
  findReplicaProblem,
  type Position,
  PRIMARY_POSITION,
  REPLAYED_POSITION,
  type ServerFacts,
  serverName,
} from './facts.ts'
import { sharedReading } from './shared-reading.ts'

// Read replicas: which of them runs a read, how far it may lag behind the primary, and how long a read waits for it.

/** Milliseconds for which a read waits until the replica has replayed its position. */
const CATCH_UP_TIME = 50

/** Milliseconds between two checks of a replica that is used, and of one that is not. */
const [CHECK_INTERVAL, RETRY_INTERVAL] = [1000, 3000]

/** Milliseconds after which a check without a response has failed. */
const CHECK_TIME = 2000

/** The maximum number of earlier positions of the primary that are kept to compute the lag: one for each second. */
const MAX_MARKS = 3600

type ReplicaOptions = {
  url: string
  log: Log
  maxConnections: number
  findPrimary: () => Promise<ServerFacts>
}

/** The replica has not replayed the position, or stopped being a replica. */
class NotReplayed extends Error {}

/**
 * One hot standby. A check each second decides whether it is used; its failure fails all pending reads at once. Each
 * read compares the position again on the connection of its statement, because the server may have been restarted or
 * promoted, or its address may belong to several servers.
 */
class Replica {
  readonly #name: string
  readonly #log: Log
  readonly #findPrimary: () => Promise<ServerFacts>
  readonly #connections: ReturnType<typeof openConnections>
  /** One connection that waits for no statement of a user. */
  readonly #checking: ReturnType<typeof openConnections>
  readonly #namer = statementNamer()
  readonly #pollPosition: () => Promise<number>
  readonly #pending = new Set<(error: Error) => void>()
  #problem: string | null = 'it has not been checked yet'
  /** True if the log has reported the problem. */
  #isReported = false
  #timeline = 0
  #replayed = 0
  /** The highest position for which a read has waited in vain. Until it is replayed, no other read waits. */
  #missed = 0
  /** Earlier positions of the primary that have not been replayed, and their times. */
  #marks: { at: number; lsn: number }[] = []
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ url, log, maxConnections, findPrimary }: ReplicaOptions) {
    this.#name = serverName(url)
    this.#log = log
    this.#findPrimary = findPrimary
    const opening = { url, log, kind: 'server', requireIds: async () => {} } as const
    this.#connections = openConnections({ ...opening, max: maxConnections })
    this.#checking = openConnections({ ...opening, max: 1 })
    this.#pollPosition = sharedReading(async () => {
      const { rows } = await this.#checking.pool.query(this.#namer.toQuery(REPLAYED_POSITION))
      return this.#noteReplayed(rows[0].lsn)
    })
  }

  /** Returns whether the replica can be asked for reads at the position now. */
  isUsable({ timeline }: Position): boolean {
    // The reads that it does not get find out when it has caught up.
    if (this.isUp && this.#missed > this.#replayed) this.#pollPosition().catch(() => undefined)
    const isFree = this.#connections.counts().waiting === 0
    return this.isUp && this.#timeline === timeline && this.#missed <= this.#replayed && isFree
  }

  get isUp(): boolean {
    return this.#problem === null
  }

  hasReplayed({ lsn }: Position): boolean {
    return this.#replayed >= lsn
  }

  state(): ReplicaState {
    const [oldest] = this.#marks
    const lag = oldest === undefined ? 0 : (performance.now() - oldest.at) / 1000
    return { name: this.#name, problem: this.#problem, lagSeconds: this.isUp ? lag : null }
  }

  /** Runs a statement at the position or a later one. Rejects if that is not possible soon. */
  read(query: CompiledQuery, position: Position): Promise<QueryResult<unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult<unknown>>()
    this.#pending.add(reject)
    this.#readAt(query, position)
      .then(resolve, (error) => {
        if (isConnectionError(error)) this.#stopUsing(error.message)
        reject(error)
      })
      .finally(() => this.#pending.delete(reject))
    return promise
  }

  async #readAt(query: CompiledQuery, position: Position): Promise<QueryResult<unknown>> {
    if (!this.hasReplayed(position)) await this.#catchUp(position)
    const client = await this.#connections.pool.connect()
    let isBroken = true
    try {
      const [replayed, result] = await Promise.all([
        client.query(this.#namer.toQuery(REPLAYED_POSITION)),
        client.query(this.#namer.toQuery(query)),
      ])
      isBroken = false
      if (this.#noteReplayed(replayed.rows[0].lsn) < position.lsn) throw new NotReplayed('The replica was restarted')
      return toQueryResult(result)
    } catch (error) {
      if (isOutdatedPlan(error)) this.#namer.forget()
      throw error
    } finally {
      client.release(isBroken)
    }
  }

  async #catchUp({ lsn }: Position): Promise<void> {
    const endsAt = performance.now() + CATCH_UP_TIME
    while (this.#replayed < lsn) {
      const rest = endsAt - performance.now()
      if (rest <= 0) {
        this.#missed = Math.max(this.#missed, lsn)
        throw new NotReplayed('The replica is behind')
      }
      const polled = this.#pollPosition()
      polled.catch(() => undefined)
      await Promise.race([polled, sleep(rest)])
      if (this.#replayed < lsn) await sleep(1)
    }
  }

  #noteReplayed(lsn: number | null): number {
    if (lsn === null) throw new NotReplayed('The replica was promoted')
    this.#replayed = lsn
    return lsn
  }

  /** Checks whether the replica can be used, now and from time to time. */
  async watch(): Promise<void> {
    await this.#check()
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.watch(), this.isUp ? CHECK_INTERVAL : RETRY_INTERVAL)
    this.#timer.unref()
  }

  async #check(): Promise<void> {
    const primary = await this.#findPrimary().catch(() => null)
    // Without a primary, nothing can be compared. Reads do not get their position then.
    if (primary === null) return
    this.#mark(primary)
    let facts: ServerFacts
    try {
      const found = this.#checking.pool.query(FACTS)
      found.catch(() => undefined)
      const noAnswer = sleep(CHECK_TIME, null, { ref: false })
      const result = await Promise.race([found, noAnswer])
      if (result === null) throw new Error('it does not answer')
      facts = result.rows[0]
    } catch (error) {
      this.#checking.replaceAll()
      return this.#stopUsing((error as Error).message)
    }
    const problem = findReplicaProblem(facts, primary)
    if (problem !== null) return this.#stopUsing(problem.reason, problem.fix)
    this.#timeline = facts.timeline
    this.#replayed = facts.lsn ?? 0
    this.#marks = this.#marks.filter(({ lsn }) => lsn > this.#replayed)
    if (this.#isReported) this.#log.warn({ replica: this.#name }, 'A replica of the database is used again')
    this.#problem = null
    this.#isReported = false
  }

  #mark({ lsn }: ServerFacts): void {
    if (lsn !== null && this.#marks.length < MAX_MARKS) this.#marks.push({ at: performance.now(), lsn })
  }

  /** Sends no more reads to the replica until a check succeeds. */
  #stopUsing(reason: string, fix?: string): void {
    if (this.#isClosed) return
    const isNew = this.#problem !== reason
    const wasUp = this.isUp
    this.#problem = reason
    this.#replayed = 0
    this.#missed = 0
    for (const reject of this.#pending) reject(new NotReplayed(reason))
    this.#pending.clear()
    if (wasUp) this.#connections.replaceAll()
    if (isNew || !this.#isReported)
      this.#log.error(
        { replica: this.#name, reason, ...(fix !== undefined && { fix }) },
        'A replica of the database cannot be used. The primary answers its reads meanwhile',
      )
    this.#isReported = true
  }

  giveUp(): void {
    this.#end()
    this.#connections.giveUp()
    this.#checking.giveUp()
  }

  async close(): Promise<void> {
    this.#end()
    await Promise.all([this.#connections.close(), this.#checking.close()])
  }

  #end(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }
}

/** SQLSTATE: connection exceptions, and a server that shuts down or starts. */
const LOST = /^(08|57P0[1-5])/

const isConnectionError = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError
    ? LOST.test(error.code ?? '')
    : error instanceof Error && (error.constructor === Error || 'syscall' in error)

export type OpenReplicas = Replicas & {
  giveUp(): void
  close(): Promise<void>
}

type ReplicasOptions = {
  urls: readonly string[]
  log: Log
  /** The maximum number of connections to each replica. */
  maxConnections: number
  primary: Connections
  readPrimary: RunStatement
}

/** Opens the replicas. Those that cannot be used are logged, and tried again from time to time. */
export async function openReplicas(options: ReplicasOptions): Promise<OpenReplicas> {
  const { urls, log, maxConnections, primary, readPrimary } = options
  const findPrimary = sharedReading(async () => (await primary.pool.query(FACTS)).rows[0])
  const findPosition = sharedReading(async () => (await readPrimary(PRIMARY_POSITION)).rows[0] as Position)
  const replicas = urls.map((url) => new Replica({ url, log, maxConnections, findPrimary }))
  const counts = { replica: 0, primary: 0 }
  let turn = 0

  /** Returns a replica that need not wait, or else any that can be used. They take turns. */
  function choose(position: Position): Replica | null {
    turn += 1
    const usable = replicas.filter((replica) => replica.isUsable(position))
    const ready = usable.filter((replica) => replica.hasReplayed(position))
    const some = ready.length > 0 ? ready : usable
    return some[turn % some.length] ?? null
  }

  /**
   * The first read asks the primary for the end of its log, and a replica runs the reads if it has replayed the log until
   * there. Otherwise, and after any failure, the primary runs this read and the following ones.
   */
  function beginReads(): RunStatement {
    let position: Promise<Position> | null = null
    let chosen: Replica | null = null
    // After a read of the primary, a replica could lack what that read has seen.
    let isOnPrimary = !replicas.some(({ isUp }) => isUp)
    return async (query) => {
      if (!isOnPrimary)
        try {
          position ??= findPosition()
          const at = await position
          chosen ??= choose(at)
          if (chosen !== null) {
            const result = await chosen.read(query, at)
            counts.replica += 1
            return result
          }
        } catch {
          // The primary either runs the statement, or reports what is wrong with it.
        }
      isOnPrimary = true
      counts.primary += 1
      return readPrimary(query)
    }
  }

  await Promise.all(replicas.map((replica) => replica.watch()))
  return {
    beginReads,
    reads: () => ({ counts: { ...counts }, replicas: replicas.map((replica) => replica.state()) }),
    giveUp() {
      for (const replica of replicas) replica.giveUp()
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()))
    },
  }
}
