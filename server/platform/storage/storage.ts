import type { CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { Settings } from '../../config.ts'
import type { Random } from '../security/random.ts'
import type { TableName, Tables } from './tables.ts'

export type Dialect = 'sqlite' | 'postgres'

/** How often each table was committed to: by that, what is cached knows that it is out of date. */
export type CommitCounters = {
  readonly commits: Map<TableName, number>
  /** Of those, the commits that did more than add rows: they changed some or took some away. */
  readonly changes: Map<TableName, number>
  /** Commits by other processes, which may have written any table. */
  outsideCommits: number
  /** False while commits of other nodes may go unheard: then nothing that was kept is used. */
  readonly isComplete: boolean
  /**
   * By counter, the last id that this process gave out in a commit, or read. A PostgreSQL database with a smaller value is
   * an older copy.
   */
  readonly lastIds: Map<string, number>
}

export type TableSet = Pick<ReadonlySet<TableName>, 'has'>

/** Reads. Typed so that writing does not compile; outside a transaction each statement sees the last durable commit. */
export type Db = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'fn'> & {
  /** Returns, or throws, at once where there is nothing to wait for. */
  executeQuery<Row>(query: CompiledQuery<Row>): QueryResult<Row> | Promise<QueryResult<Row>>
  readonly dialect: Dialect
  /** The tables of which the transaction sees what is not durable yet; null outside transactions. */
  readonly written: TableSet | null
  /** The same object in every `Db` of one storage. */
  readonly commitCounters: CommitCounters
  /** The settings of the installation whose rows these are. */
  readonly settings: Settings
}

/** The events that `emit` takes: `events/catalogue` adds their types, so that the storage need not import them. */
// biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended elsewhere
// biome-ignore lint/suspicious/noEmptyInterface: the same
export interface EventRegistry {}

export type EmittedEvent = EventRegistry[keyof EventRegistry]

/** The events of these types. */
export type EmittedOfType<Type> = Extract<EmittedEvent, { type: Type }>

/** An event as clients read it, but for its id. */
export type EventFields = { readonly type: string; readonly [field: string]: unknown }

/** What a change tells those who may know of it, and whom. */
export type Emission = {
  realmId: number
  event: EventFields
  /** The users who hear of it. */
  audience: readonly number[]
}

/**
 * Writes, all of them or none. Await nothing but the database while one is open: on SQLite every other writer waits.
 * What it emits is appended to the event log by the commit itself.
 */
export type Transaction = Pick<Kysely<Tables>, 'insertInto' | 'updateTable' | 'deleteFrom'> & {
  /** Reads that see what the transaction has written. */
  readonly db: Db
  /** UNIX seconds at which it began: the one time that all its rows carry. */
  readonly now: number
  /** Where secrets and colours of the rows come from. */
  readonly random: Random
  /**
   * Runs a compiled statement that writes `table`, as `db.executeQuery` does. Whoever needs no result need not await it:
   * on PostgreSQL the next statement goes out at once, and where this one fails, nothing is committed.
   */
  run<Row>(table: TableName, query: CompiledQuery<Row>): QueryResult<Row> | Promise<QueryResult<Row>>
  /** Tells `audience` (user ids of the organization) of `event` once the transaction is durable. */
  emit(realmId: number, event: EmittedEvent, audience: Iterable<number>): void
  /** Names `ids` to the other nodes, if there are any, once the transaction is durable: they hear them by `onNews`. */
  notifyNodes(about: NodeTopic, ids: readonly NodeTopicId[]): void
  /** Runs `job` after the commit is durable, and never when it fails. The job must not throw. */
  afterCommit(job: () => void): void
}

/**
 * Runs `work` in one transaction: its result when the commit is durable, its error with nothing written. A statement
 * that fails dooms the transaction, even if `work` catches the error. On PostgreSQL a deadlock runs `work` again, and so
 * does a lock that is not free within seconds.
 */
export type RunTransaction = <Result>(
  work: (tx: Transaction) => Promise<Result>,
  options?: TransactionOptions,
) => Promise<Result>

/** `isSnapshot`: all that it reads is as of one moment, while others write. On SQLite that is always so. */
export type TransactionOptions = { isSnapshot?: boolean }

/** What nodes tell each other beside which tables they wrote. */
export type NodeTopic =
  /** Queues that are polled at the node that says so, and no longer where they were before. */
  | 'queues-taken'
  | 'queues-ended'
  /** Organizations in which presences were written. */
  | 'presences'
  /** What is counted by all nodes together, as `http/attempts.ts` writes it; and keys of which it is forgotten. */
  | 'attempts'
  | 'attempts-forgotten'

export type NodeTopicId = number | string

export type Commit = {
  readonly written: ReadonlySet<TableName>
  /** Those of the written tables to which it did more than add rows. */
  readonly changed: ReadonlySet<TableName>
  /** Nothing where another node made the commit: its events are in the log. */
  readonly emitted: readonly Emission[]
  /** The organizations whose logs it added to. */
  readonly emittedIn: ReadonlySet<number>
}

export type Storage = AsyncDisposable & {
  readonly db: Db
  readonly transaction: RunTransaction
  /** The names of the migrations that opening it applied. */
  readonly migrated: readonly string[]
  /** How many statements it has run, those within transactions included: tests of hot paths count them. */
  readonly statements: number
  /** Whether other nodes may serve the same database. */
  readonly isShared: boolean
  /**
   * Whether this node does what one node does for all; at most one says so, and another within seconds of its end. Where
   * none but this process serves the database, always.
   */
  isLeader(): boolean
  /** Calls `listener` when this node has become the one that leads. */
  onBecomeLeader(listener: () => void): void
  /**
   * Calls `listener` with every commit of this process once it is durable, before the transaction resolves; and with those
   * of other nodes. A transaction may have begun by then that sees the commit: it reads no cache of the tables written.
   */
  onCommit(listener: (commit: Commit) => void): void
  /** Calls `listener` when another process committed, or may have, and nobody can tell what. */
  onOutsideCommit(listener: () => void): void
  /**
   * Calls `listener` with the ids that another node has told about something; where any went unheard, `onOutsideCommit`
   * tells. With `isOwnToo` also with what this node tells: all nodes hear the same in the same order.
   */
  onNodeNotification(
    about: NodeTopic,
    listener: (ids: readonly NodeTopicId[]) => void,
    options?: { isOwnToo?: boolean },
  ): void
  /** False while no transaction can begin, as the log says already: whoever writes behind tries again, and is silent. */
  isWritable(): boolean
  /** Whether reads are answered and no fault has ended writing. */
  isReady(): Promise<boolean>
  /** Fails all that waits for an answer of the database, and whatever asks it later: for a stop whose time is up. */
  giveUp(): void
  /** Waits for the open transactions, then lets go of files and connections; gives up a database that does not answer. */
  close(): Promise<void>
}
