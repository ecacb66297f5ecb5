import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#lib/clock.ts'
import { AlreadyRunning, OperatorError } from '#lib/errors.ts'
import { findIndexedUpTo, updateSearchIndex } from '#messages/search-index.ts'
import { countMessagesOfOthers } from '#organizations/usage.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { findSchemaVersion, requireOwnVersion } from '#storage/migrations.ts'
import {
  CommitOutcomeUnknown,
  DatabaseUnavailable,
  LockTimeout,
  type Storage,
  type Transaction,
} from '#storage/storage.ts'
import {
  findState,
  type MoveState,
  PASSING,
  recordChanges,
  removeTriggers,
  run,
  saveState,
  waitForWriters,
} from './moving/fence.ts'
import {
  announceArrival,
  completeCopy,
  findArrival,
  holdRows,
  passMessageIds,
  releaseHeld,
  requireSameTarget,
} from './moving/finish-move.ts'
import { applyChanges, type Course, copyRows, deleteRows, waitForEarlierAttempt } from './moving/rows.ts'
import { readTables } from './moving/tables.ts'

// Moves an organization from one PostgreSQL database to another while it is used. Everything that was acknowledged is
// in the target afterwards, once. Other organizations of both databases go on undisturbed; the organization itself is
// refused for seconds, which depend on its latest changes and not on its size. A move that ends early, even with its
// process, is repeated with the same arguments: it continues, or begins again.

export type MoveOptions = {
  /** Storages of commands (`isMaintenance`, not `serve`) on different PostgreSQL databases. */
  from: Storage
  to: Storage
  realmId: number
  clock: Clock
  /** Ends the move: before the switch without effect, after it before all old rows are deleted. */
  signal: AbortSignal
  onProgress: (progress: MoveProgress) => void
  /** Called before the organization is refused, again after a crash. Its nodes should refuse its requests from now on. */
  pause: () => Promise<void>
  /** Called when `to` has the whole organization, again after a crash: from now on, nodes look for it there. */
  switchOver: () => Promise<void>
  /** Called if the move ends before `to` has the organization, also after a crash: it stays in `from`. */
  resume: () => Promise<void>
}

type MoveProgress = {
  step: 'copying' | 'catching up' | 'paused' | 'deleting'
  /** The table that the step has reached; '' while the organization is paused. */
  table: string
  /** The rows of the step so far. */
  rows: number
}

/** The number of rows that this run has copied. */
export type MoveResult = { rows: number }

/**
 * Moves an organization. Throws an `OperatorError` without a change if the databases have different versions, or `to` has
 * rows with the same ids; and `AlreadyRunning` if another process moves the organization.
 */
export async function moveOrganization(options: MoveOptions): Promise<MoveResult> {
  const { from, realmId } = options
  let outcome: { result: MoveResult } | { error: unknown } | undefined
  try {
    // The transaction only holds a lock, so that a second move of the organization is noticed, and ends with the process.
    const hold = async ({ db }: Pick<Transaction, 'db'>) => {
      await run(db, `set local idle_in_transaction_session_timeout = 0`)
      await run(db, `set local lock_timeout = ${EARLIER_PROCESS_TIME}`)
      await run(db, `select pg_advisory_xact_lock(${0x5061726f}, ${realmId})`)
      outcome = await new Move(options).run().then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      )
    }
    await from.transaction(hold, { repeatsLockTimeouts: false })
  } catch (error) {
    if (outcome === undefined && error instanceof LockTimeout)
      throw new AlreadyRunning('Another process moves this organization. Repeat the command after it.')
    // If the connection with the lock was lost later, that changes nothing about the outcome.
    if (outcome === undefined) throw error
  }
  if (outcome === undefined) throw new Error('The move did not begin')
  if ('error' in outcome) {
    const { error } = outcome
    if (!(error instanceof DatabaseUnavailable || error instanceof CommitOutcomeUnknown)) throw error
    throw new OperatorError(`A database did not answer: ${error.message}. Repeat the command when it does.`, {
      cause: error,
    })
  }
  return outcome.result
}

/** Milliseconds that PostgreSQL may take to notice that an earlier process was killed. */
const EARLIER_PROCESS_TIME = 3000

/** The pause begins when a round had at most this many changes, or took at most this many milliseconds. */
const MAX_LAST_CHANGES = 200
const MAX_LAST_TIME = 1000

/** Milliseconds that the changes of the pause may take at most, as estimated from the last rounds. */
const MAX_PAUSE = 10_000

class Move {
  readonly #options: MoveOptions
  #course!: Course
  #step: MoveProgress['step'] = 'copying'
  #rows = 0
  #copied = 0

  constructor(options: MoveOptions) {
    this.#options = options
  }

  async run(): Promise<MoveResult> {
    const { from, to, realmId, signal, switchOver } = this.#options
    await requireSameVersion(from, to)
    this.#course = {
      ...{ from, to, realmId, signal, tables: await readTables(from.db) },
      onRows: (table, rows) => this.#report(table, rows),
    }
    await waitForEarlierAttempt(this.#course)
    const state = await findState(from, realmId)
    if (state === 'paused') await requireSameTarget(this.#course)
    if (state !== 'moved') {
      if (state !== 'paused' || (await findArrival(this.#course)) !== 'complete') await this.#carryOver(state)
      await switchOver()
      await from.transaction((tx) => saveState(tx, realmId, 'moved'))
    }
    await this.#clear()
    return { rows: this.#copied }
  }

  #report(table: string, rows: number): void {
    this.#rows += rows
    if (this.#step !== 'deleting') this.#copied += rows
    this.#options.onProgress({ step: this.#step, table, rows: this.#rows })
  }

  #begin(step: MoveProgress['step']): void {
    this.#step = step
    this.#rows = 0
    this.#report('', 0)
  }

  /** Resolves when the target has the organization, and rejects if it has not and the source goes on with it. */
  async #carryOver(state: MoveState | null): Promise<void> {
    let isCompleting = false
    try {
      if (state !== 'paused') await this.#copy(state)
      await this.#pause(state)
      isCompleting = true
      await completeCopy(this.#course)
    } catch (error) {
      if (isCompleting && (await this.#hasArrived(error))) return
      await this.#abandon().catch((failure: unknown) => {
        throw new OperatorError(
          `The move could not be undone: ${explain(failure)}. Repeat the command, which continues or begins again. ` +
            `The move ended because of this: ${explain(error)}`,
          { cause: new AggregateError([error, failure]) },
        )
      })
      throw error
    }
  }

  /** Copies the organization while it is used, until few changes are left. */
  async #copy(state: MoveState | null): Promise<void> {
    const { from, to, realmId, clock, signal, resume } = this.#options
    const course = this.#course
    await requireMovable(course)
    if (state !== null) await resume()
    await recordChanges(from, course.tables, realmId)
    await deleteRows(to, { ...course, onRows: () => {} })
    await passMessageIds(course)
    await announceArrival(course, clock.now())
    this.#begin('copying')
    await from.transaction(({ db }) => copyRows(db, course), { isSnapshot: true })
    this.#begin('catching up')
    await to.transaction((tx) => countMessagesOfOthers(tx, realmId))
    // The pause indexes the messages that the source has not indexed, so these are few.
    await updateSearchIndex(from)
    for (let previous = Number.POSITIVE_INFINITY; ; ) {
      const startedAt = performance.now()
      await passMessageIds(course)
      const changes = await applyChanges(course)
      const time = performance.now() - startedAt
      if (changes <= MAX_LAST_CHANGES || time < MAX_LAST_TIME) break
      // Another round would leave as many changes.
      if (time >= previous && time < MAX_PAUSE) break
      if (time >= previous)
        throw new OperatorError(
          'The organization changes faster than its changes can be copied. Repeat the command at a quieter hour.',
        )
      previous = time
    }
    signal.throwIfAborted()
  }

  /** Refuses all writes of the organization, and applies the last changes. */
  async #pause(state: MoveState | null): Promise<void> {
    const { from, realmId, signal, pause } = this.#options
    const course = this.#course
    this.#begin('paused')
    await pause()
    if (state === 'paused' && (await findArrival(course)) !== 'incomplete')
      throw new OperatorError('The other database has lost the copy of an earlier attempt. Repeat the command.')
    if (state !== 'paused')
      await from
        .transaction(async (tx) => {
          const indexed = await findIndexedUpTo(tx.db)
          await waitForWriters(tx, realmId)
          await holdRows(tx, course, indexed)
          await saveState(tx, realmId, 'paused')
        })
        .catch(explainWriters)
    signal.throwIfAborted()
    await passMessageIds(course)
    await applyChanges(course)
  }

  /** Returns whether the target has the organization after the last transaction failed with `error`. */
  async #hasArrived(error: unknown): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await waitForEarlierAttempt(this.#course)
        return (await findArrival(this.#course)) === 'complete'
      } catch (unreachable) {
        if (attempt === ARRIVAL_ATTEMPTS)
          throw new OperatorError(
            'The database that receives the organization cannot be reached, so it is unknown whether it has the ' +
              'organization, which stays paused. Repeat the command when the database can be reached again.',
            { cause: new AggregateError([error, unreachable]) },
          )
      }
      await sleep(1000)
    }
  }

  /** Lets the organization go on in the source, and deletes the copy. */
  async #abandon(): Promise<void> {
    const { from, to, realmId, resume } = this.#options
    const course = { ...this.#course, signal: new AbortController().signal, onRows: () => {} }
    const state = await findState(from, realmId)
    if (state === null) return
    if (state === 'paused')
      await from.transaction(async (tx) => {
        await run(tx.db, `select ${PASSING}`)
        await releaseHeld(tx, course)
        await saveState(tx, realmId, 'copying')
      })
    await resume()
    await removeTriggers(from, course.tables, realmId, async () => {})
    // The next attempt deletes the rest.
    if ((await findArrival(course).catch(() => 'none')) === 'incomplete')
      await deleteRows(to, course).catch(() => undefined)
  }

  /** Deletes the organization from the source. */
  async #clear(): Promise<void> {
    const { from, realmId } = this.#options
    this.#begin('deleting')
    const { tables } = this.#course
    // The command finds the remaining rows by the row of the organization, so that one is deleted last.
    const course = { ...this.#course, tables: tables.filter(({ name }) => name !== 'realms') }
    await deleteRows(from, course).catch((error) => {
      if (!this.#options.signal.aborted) throw error
      throw new OperatorError(
        'The organization has moved. Repeat the command to delete the rows that are left in its former database.',
        { cause: error },
      )
    })
    await removeTriggers(from, tables, realmId, async (tx) => {
      await tx.deleteFrom('realms').where('id', '=', realmId).execute()
    })
  }
}

/** The number of attempts to reach the target, a second apart. */
const ARRIVAL_ATTEMPTS = 60

async function requireSameVersion(from: Storage, to: Storage): Promise<void> {
  const [one, other] = await Promise.all(
    [from, to].map(async ({ db }) => {
      const read = (query: Parameters<typeof db.executeQuery>[0]) => db.executeQuery(query)
      await requireOwnVersion(read, db.dialect)
      return (await findSchemaVersion(read, db.dialect)).last
    }),
  )
  if (one !== other)
    throw new OperatorError(
      `The databases have different versions: their last migrations are ${one} and ${other}. Start the server, or any ` +
        'command, with both, which migrates them.',
    )
}

/** Refuses an organization that does not exist, or cannot be moved, or whose id or address the target has already. */
async function requireMovable(course: Course): Promise<void> {
  const { from, to, realmId } = course
  const { rows } = await run<{ subdomain: string }>(from.db, 'select "subdomain" from "realms" where "id" = $1', [
    realmId,
  ])
  const subdomain = rows[0]?.subdomain
  if (subdomain === undefined) throw new OperatorError('The organization is not in this database.')
  if (subdomain === SYSTEM_SUBDOMAIN)
    throw new OperatorError('The organization of the system bots is in every database, and cannot be moved.', {
      isTemporary: false,
    })
  if ((await findArrival(course)) === 'complete')
    throw new OperatorError(`The other database has another organization with the id ${realmId}.`, {
      isTemporary: false,
    })
  const addresses = await run<{ subdomain: string }>(from.db, ADDRESSES, [realmId])
  const known = await run<{ subdomain: string }>(to.db, KNOWN_ADDRESSES, [
    JSON.stringify(addresses.rows.map((row) => row.subdomain)),
  ])
  if (known.rows[0] !== undefined)
    throw new OperatorError(
      `The other database has another organization with the subdomain '${known.rows[0].subdomain}', or a redirect from it.`,
      { isTemporary: false },
    )
}

const ADDRESSES = `
  select "subdomain" from "realms" where "id" = $1 union select "subdomain" from "realmRedirects" where "realmId" = $1`

const KNOWN_ADDRESSES = `
  select "subdomain" from (select "subdomain" from "realms" union select "subdomain" from "realmRedirects") as "known"
  where "subdomain" in (select jsonb_array_elements_text($1::jsonb))`

const explain = (error: unknown) => (error instanceof Error ? error.message : String(error))

function explainWriters(error: unknown): never {
  if (!(error instanceof LockTimeout)) throw error
  throw new OperatorError(
    'A transaction has been changing the organization for more than a minute. Repeat the command after it.',
    { cause: error },
  )
}
