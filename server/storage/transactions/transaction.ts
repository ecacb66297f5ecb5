import type { Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import type { Random } from '#lib/secrets.ts'
import { lockRecipients } from '../counters.ts'
import { isAscending } from '../event-log.ts'
import {
  type Commit,
  type CommitCounters,
  CommitOutcomeUnknown,
  DatabaseUnavailable,
  type Db,
  type Emission,
  type NodeTopic,
  type NodeTopicId,
  type Origin,
  type RunTransaction,
  type TableSet,
  type Transaction,
  type TransactionOptions,
} from '../storage.ts'
import type { TableName } from '../tables.ts'
import { type AppendedRows, type CommitMessage, type Engine, type RunStatement, retryLockTimeouts } from './engine.ts'
import { queryBuilder } from './query-builder.ts'
import { changedTable, UserRowsWriter } from './user-rows.ts'

/** The number of attempts before a deadlock becomes an error. */
const ATTEMPTS = 5

/** Appends emissions to the event log, as the last step of a transaction. */
export type AppendEmissions = (tx: Transaction, emissions: readonly Emission[]) => Promise<AppendedRows>

type TransactionsOptions = {
  engine: Engine
  commitCounters: CommitCounters
  settings: Settings
  secret: Db['secret']
  clock: Clock
  random: Random
  log: Log
  meter: Meter | undefined
  /** The origin of transactions that name no other. */
  origin: Origin
  append: AppendEmissions
  /** Called synchronously once a commit is durable; must not throw. */
  announce: (commit: Commit) => void
  /** Returns the message about a commit for the other nodes; null if there are none. */
  nodeMessageOf: ((commit: Commit, notifiedIds: NotifiedIds) => Omit<CommitMessage, 'appended'>) | null
}

/** The ids that a transaction sends to the other nodes, by topic. */
export type NotifiedIds = ReadonlyMap<NodeTopic, readonly NodeTopicId[]>

/** The state that a transaction gathers while it is open. */
type Gathered = {
  written: Set<TableName>
  /** The tables in which rows were changed or deleted. */
  changed: Set<TableName>
  userRows: UserRowsWriter
  /**
   * The tables with changes that the transaction may see and that are not durable: its own changes, and those of
   * transactions that it has joined.
   */
  seen: TableSet
  emitted: Emission[]
  notifiedIds: Map<NodeTopic, readonly NodeTopicId[]>
  jobs: (() => void)[]
}

type Beginning = Required<Omit<TransactionOptions, 'repeatsLockTimeouts'>>

const RETRY = Symbol('retry')

/** Implements `RunTransaction` for both engines. This is the only way to write. */
export function transactionRunner(options: TransactionsOptions): RunTransaction {
  const { engine, meter, append } = options
  const now = steadyTime(options.clock)
  /**
   * The tables written by transactions that are neither durable nor rolled back yet, with the number of these
   * transactions.
   */
  const unsettled = new Map<TableName, number>()

  function noteSettled({ written }: Gathered): void {
    for (const table of written) {
      const others = (unsettled.get(table) ?? 0) - 1
      if (others > 0) unsettled.set(table, others)
      else unsettled.delete(table)
    }
  }

  async function attempt<Result>(
    work: (tx: Transaction) => Promise<Result>,
    { isSnapshot, origin }: Beginning,
  ): Promise<Result | typeof RETRY> {
    const open = await engine.begin(isSnapshot)
    const written = new Set<TableName>()
    const gathered: Gathered = {
      written,
      changed: new Set(),
      userRows: new UserRowsWriter(),
      seen: open.isJoined ? { has: (table) => written.has(table) || unsettled.has(table) } : written,
      emitted: [],
      notifiedIds: new Map(),
      jobs: [],
    }
    const statements = watchedStatements(open.run)
    const tx = makeTransaction(options, statements.run, { now: now(), origin }, gathered, (table) => {
      if (written.has(table)) return
      written.add(table)
      unsettled.set(table, (unsettled.get(table) ?? 0) + 1)
    })
    try {
      const result = await work(tx)
      if (changesRecipients(gathered)) await lockRecipients(tx)
      const appended = gathered.emitted.length > 0 ? await append(tx, gathered.emitted) : NO_ROWS
      statements.end()
      const commit = commitOf(gathered, appended)
      const endedAt = meter === undefined ? 0 : performance.now()
      try {
        await open.commit(
          () => announceCommit(options, commit, gathered.jobs),
          encodeMessage(options, commit, gathered.notifiedIds, appended),
        )
      } catch (error) {
        throw error instanceof CommitOutcomeUnknown ? error : (statements.failure ?? error)
      }
      meter?.transactionCommitted((performance.now() - endedAt) / 1000)
      return result
    } catch (error) {
      meter?.transactionRolledBack()
      statements.abandon()
      await open.rollBack()
      if (engine.isRetryable(statements.failure ?? error)) return RETRY
      // Errors after a failed statement may only report that the statement failed.
      throw statements.failure instanceof DatabaseUnavailable && !(error instanceof CommitOutcomeUnknown)
        ? statements.failure
        : error
    } finally {
      noteSettled(gathered)
      open.release()
    }
  }

  async function untilNoDeadlock<Result>(
    work: (tx: Transaction) => Promise<Result>,
    given: Beginning,
  ): Promise<Result> {
    for (let attempts = 1; attempts <= ATTEMPTS; attempts++) {
      const result = await attempt(work, given)
      if (result !== RETRY) return result
    }
    throw new Error(`The transaction met a deadlock ${ATTEMPTS} times`)
  }

  return (work, { isSnapshot = false, origin = options.origin, repeatsLockTimeouts = true } = {}) => {
    const run = () => untilNoDeadlock(work, { isSnapshot, origin })
    return repeatsLockTimeouts ? retryLockTimeouts(run) : run()
  }
}

/**
 * Runs statements while the transaction is open. The first failure fails the transaction, even if its result is not
 * awaited: statements that are still running at the end prevent the commit.
 */
function watchedStatements(run: RunStatement) {
  let isOpen = true
  let failure: unknown

  function fail(error: unknown): never {
    failure ??= error
    throw error
  }

  const watched: RunStatement = (query) => {
    if (!isOpen) throw new Error('A statement came after the end of its transaction: something was not awaited')
    if (failure !== undefined) throw new Error('An earlier statement of the transaction failed', { cause: failure })
    try {
      const result = run(query)
      if (!(result instanceof Promise)) return result
      const watched = result.catch(fail)
      watched.catch(() => undefined)
      return watched
    } catch (error) {
      return fail(error)
    }
  }

  return {
    run: watched,
    get failure() {
      return failure
    },
    abandon() {
      isOpen = false
    },
    end() {
      isOpen = false
      if (failure !== undefined) throw failure
    },
  }
}

function makeTransaction(
  { engine, commitCounters, settings, secret, random }: TransactionsOptions,
  run: RunStatement,
  { now, origin }: Pick<Transaction, 'now' | 'origin'>,
  { changed, userRows, seen, emitted, notifiedIds, jobs }: Gathered,
  note: (table: TableName) => void,
): Transaction {
  const queries = queryBuilder(engine.dialect, (query) => {
    const table = changedTable(query.query)
    if (table !== null) changed.add(table)
    const result = run(query)
    userRows.watch(query, result)
    return result
  })
  /**
   * Returns a method that records the table and then builds a query on it. Kysely's own signatures are too complex to
   * repeat.
   */
  function writing<Method>(method: Method): Method {
    const write = (table: string) => {
      note(table.split(' ', 1)[0] as TableName)
      return (method as (table: string) => unknown).call(queries, table)
    }
    return write as Method
  }
  return {
    db: Object.assign(queries, {
      dialect: engine.dialect,
      commitCounters,
      settings,
      secret,
      written: seen,
      knowsRecipients: false,
      largeReads: () => queries,
    }),
    now,
    random,
    origin,
    run(table, query) {
      note(table)
      return queries.executeQuery(query)
    },
    insertInto: writing(queries.insertInto),
    updateTable: writing(queries.updateTable),
    deleteFrom: writing(queries.deleteFrom),
    emit(realmId, event, audience) {
      const recipients = eachOnce(audience)
      if (recipients.length > 0) emitted.push({ realmId, event, audience: recipients })
    },
    notifyNodes(about, ids) {
      notifiedIds.set(about, [...(notifiedIds.get(about) ?? []), ...ids])
    },
    afterCommit: (job) => jobs.push(job),
  }
}

/** Returns the distinct ids in their order. Returns the same list if it is ascending, like the ids of subscribers. */
function eachOnce(ids: Iterable<number>): readonly number[] {
  const list: readonly number[] = Array.isArray(ids) ? ids : [...ids]
  return isAscending(list) ? list : [...new Set(list)]
}

const changesRecipients = ({ written, changed }: Gathered) => written.has('subscriptions') || changed.has('users')

const NO_ROWS: AppendedRows = new Map()

const commitOf = ({ written, changed, userRows, emitted }: Gathered, appended: AppendedRows): Commit => ({
  written,
  changed,
  userRows: userRows.named(),
  emitted,
  emittedIn: new Map(appended.entries().map(([realmId, rows]) => [realmId, rows.at(-1)?.id ?? Infinity])),
})

function encodeMessage(
  { nodeMessageOf }: TransactionsOptions,
  commit: Commit,
  notifiedIds: NotifiedIds,
  appended: AppendedRows,
): CommitMessage | undefined {
  const isEmpty = commit.written.size + notifiedIds.size === 0
  return nodeMessageOf === null || isEmpty ? undefined : { ...nodeMessageOf(commit, notifiedIds), appended }
}

function announceCommit({ announce, log }: TransactionsOptions, commit: Commit, jobs: readonly (() => void)[]): void {
  announce(commit)
  for (const job of jobs) {
    try {
      job()
    } catch (error) {
      log.error({ err: error }, 'A job failed after a commit')
    }
  }
}

/** The maximum backward step of the clock that is hidden, in seconds. A larger step means that the clock was set. */
const HIDDEN_STEP = 2

function steadyTime(clock: Clock): () => number {
  let latest = -Infinity
  return () => {
    const time = clock.now()
    if (time >= latest || latest - time > HIDDEN_STEP) latest = time
    return latest
  }
}
