import type { KeyObject } from 'node:crypto'
import type { CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { Settings } from '#config.ts'
import { OperatorError } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import type { Random } from '#lib/secrets.ts'
import type { TableName, Tables } from './tables.ts'
import type { RecipientChanges } from './transactions/recipient-changes.ts'
import type { UserRowLog, UserRows } from './transactions/user-rows.ts'

// The storage as all other code sees it. Reads take a Db, and writes take a Transaction, so that a write outside of a
// transaction does not compile. Events that a transaction emits are published with its commit or not at all. After a
// commit was reported, it survives a crash. Failures that callers can handle have classes of their own.

export type Dialect = 'sqlite' | 'postgres'

/** Counts commits. Caches use the counters to detect that they are out of date. */
export type CommitCounters = {
  /** The number of commits to each table. */
  readonly commits: Map<TableName, number>
  /**
   * For each table, the number of commits that changed or deleted rows. Commits that only inserted rows do not count.
   */
  readonly changes: Map<TableName, number>
  /** Like `commits` and `changes`, but without the commits that are in `userRows`. */
  readonly unnamedCommits: Map<TableName, number>
  readonly unnamedChanges: Map<TableName, number>
  /** The latest commits that changed only rows of known users. */
  readonly userRows: UserRowLog
  /** The number of commits by other processes. These commits may have written any table. */
  outsideCommits: number
  /** False while commits of other nodes may be missing. Cached values are not used then. */
  readonly isComplete: boolean
  /**
   * The last id of each counter that this process allocated in a commit, or read. A PostgreSQL database with a smaller
   * value is an older copy.
   */
  readonly lastIds: Map<string, number>
  readonly recipientChanges: RecipientChanges
}

export type TableSet = Pick<ReadonlySet<TableName>, 'has'>

/**
 * Access to the database for reading. Writing does not compile; outside a transaction each statement sees the last
 * durable commit.
 */
export type Db = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'fn'> & {
  /** Returns or throws synchronously if there is nothing to wait for. */
  executeQuery<Row>(query: CompiledQuery<Row>): QueryResult<Row> | Promise<QueryResult<Row>>
  readonly dialect: Dialect
  /** The tables with changes that the transaction sees and that are not durable yet; null outside transactions. */
  readonly written: TableSet | null
  /** True if the transaction holds the counter of message ids, and this process knows all changes of recipients. */
  knowsRecipients: boolean
  /** The same object in every `Db` of one storage. */
  readonly commitCounters: CommitCounters
  /** The settings of the installation that owns the database. */
  readonly settings: Settings
  /** Returns the secret of the installation, from which links and signatures are derived. */
  readonly secret: () => KeyObject
  /**
   * Returns access for the large reads of one call, such as histories and searches, which a replica may run. They see
   * every commit that was made before the first of them. In a transaction and without replicas, this is the `Db` itself.
   */
  largeReads(): LargeReads
}

/** Access that caches do not take, because a replica may lack commits that have emptied them. */
export type LargeReads = Pick<Db, 'selectFrom'>

/**
 * The events that `emit` takes: `events/catalogue` adds their types, so that the storage need not import them.
 * @public
 */
// biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be extended elsewhere
// biome-ignore lint/suspicious/noEmptyInterface: the same
export interface EventRegistry {}

export type EmittedEvent = EventRegistry[keyof EventRegistry]

/** The events of these types. */
export type EmittedOfType<Type> = Extract<EmittedEvent, { type: Type }>

/** The numbers of connections to the database, and of statements and transactions that wait for one. */
export type ConnectionCounts = {
  readonly max: number
  readonly open: number
  readonly idle: number
  readonly waiting: number
}

export type ReplicaState = {
  /** Host and port. */
  readonly name: string
  /** The reason why the replica is not used; null if it is. */
  readonly problem: string | null
  /** The seconds by which the replica is behind the primary; null if that is unknown. */
  readonly lagSeconds: number | null
}

/** The replicas of the database, and the numbers of large reads that ran on them and on the primary. */
export type ReplicaReads = {
  readonly counts: { readonly replica: number; readonly primary: number }
  readonly replicas: readonly ReplicaState[]
}

/** The connection to NATS, and the messages that this process has received and sent over it. */
export type BusState = {
  readonly isConnected: boolean
  readonly counts: { readonly received: number; readonly sent: number }
}

/** An event as clients read it, without its id. */
type StoredEvent = { readonly type: string; readonly [field: string]: unknown }

/** An event and its audience. */
export type Emission = {
  realmId: number
  event: StoredEvent
  /** The ids of the users who receive the event. */
  audience: readonly number[]
}

/** A row of the event log of an organization. */
export type EventRow = Omit<Tables['events'], 'realmId' | 'createdAt'>

/** The rows that nodes commit to the event log of an organization, as far as they come without queries. */
export type EventFeed = {
  /**
   * Returns all rows after the id `after` up to `upTo`, the id of a committed row, in order. Returns null if any of them does
   * not come within a moment: then they must be read from the database.
   */
  take(after: number, upTo: number): readonly EventRow[] | null | Promise<readonly EventRow[] | null>
  close(): void
}

/** Where a transaction comes from: the audit log names it, and the security log gets the lines about it. */
export type Origin = {
  /** A request, a service that manages accounts or their groups, a command of the operator, or the server's own work. */
  readonly by: 'request' | 'directory' | 'command' | 'server'
  /** The account that sent the request; null if there is none. */
  readonly actorId: number | null
  /** The network address of the client; null without a request. */
  readonly remoteAddress: string | null
  /** The name of the calling program or of the service, and its User-Agent header; '' without a request. */
  readonly client: string
  readonly userAgent: string
  /** Null if no lines are logged. */
  readonly log: Pick<Log, 'security'> | null
}

/** Returns a function that runs transactions of this origin. */
export const withOrigin =
  (run: RunTransaction, origin: Origin): RunTransaction =>
  (work, options) =>
    run(work, { ...options, origin })

/**
 * A transaction: all of its writes succeed, or none. Await nothing but the database while one is open, because on
 * SQLite every other writer waits. The commit itself appends emitted events to the event log.
 */
export type Transaction = Pick<Kysely<Tables>, 'insertInto' | 'updateTable' | 'deleteFrom'> & {
  /** Reads that see the changes of the transaction. */
  readonly db: Db
  /** The time at which the transaction began, in UNIX seconds. All its rows share this time. */
  readonly now: number
  /** The source of secrets and colors for the rows. */
  readonly random: Random
  readonly origin: Origin
  /**
   * Runs a compiled statement that writes `table`, like `db.executeQuery`. The result need not be awaited: on
   * PostgreSQL the next statement is sent at once, and if this one fails, nothing is committed.
   */
  run<Row>(table: TableName, query: CompiledQuery<Row>): QueryResult<Row> | Promise<QueryResult<Row>>
  /** Sends `event` to `audience` (user ids of the organization) once the transaction is durable. */
  emit(realmId: number, event: EmittedEvent, audience: Iterable<number>): void
  /**
   * Sends `ids` to the other nodes, if there are any, once the transaction is durable. The other nodes receive the ids
   * by `onNodeNotification`.
   */
  notifyNodes(about: NodeTopic, ids: readonly NodeTopicId[]): void
  /** Runs `job` once the commit is durable, and not at all if the commit fails. The job must not throw. */
  afterCommit(job: () => void): void
}

/**
 * Runs `work` in one transaction and returns its result when the commit is durable; rejects with its error after a
 * rollback. A failed statement fails the transaction, even if `work` catches the error. On PostgreSQL, `work` runs
 * again after a deadlock, or if a lock is not released within a few seconds.
 */
export type RunTransaction = <Result>(
  work: (tx: Transaction) => Promise<Result>,
  options?: TransactionOptions,
) => Promise<Result>

export type TransactionOptions = {
  /** False if the transaction fails as soon as a lock is not free in time; the default is true. */
  repeatsLockTimeouts?: boolean
  /** If true, all reads are as of one moment, even if others write meanwhile. On SQLite this is always the case. */
  isSnapshot?: boolean
  /** The default is the origin of the storage: the server's own work, or a command. */
  origin?: Origin
}

/** The topics of messages between nodes, beside the tables of a commit. */
export type NodeTopic =
  /** Queues that are now polled at the sending node instead of another one. */
  | 'queues-taken'
  | 'queues-ended'
  /** The number of a change of recipients; see `lockRecipients`. */
  | 'recipient-changes'
  /** Organizations in which presences were written. */
  | 'presences'
  /**
   * Attempts that all nodes count together, in the format of `http/rate-limits.ts`, and keys of which one was taken
   * back, or all were reset.
   */
  | 'attempts'
  | 'attempts-taken-back'
  | 'attempts-forgotten'
  /** Numbers of requests by users and networks, as `http/rate-limits.ts` counts them. */
  | 'requests'

/** The topics of which all nodes receive all messages in the same order. */
export const ORDERED_TOPICS: ReadonlySet<NodeTopic> = new Set(['attempts', 'attempts-taken-back', 'attempts-forgotten'])

export type NodeTopicId = number | string

export type Commit = {
  readonly written: ReadonlySet<TableName>
  /** The written tables in which rows were changed or deleted. */
  readonly changed: ReadonlySet<TableName>
  /** The users whose rows were written, for tables in which only rows of these users were. */
  readonly userRows: UserRows
  /** Empty for a commit of another node: its events are in the log. */
  readonly emitted: readonly Emission[]
  /** The organizations with new events, and the last id of each of their logs; infinite if it is unknown. */
  readonly emittedIn: ReadonlyMap<number, number>
}

export type Storage = AsyncDisposable & {
  readonly db: Db
  readonly transaction: RunTransaction
  /**
   * Sends `event` to `audience` (user ids of the organization) at once, on all nodes. It is saved nowhere, so a client
   * that polls too late misses it. Only for events that report nothing durable; all others are emitted by the
   * transaction that makes the change.
   */
  publish(realmId: number, event: EmittedEvent, audience: Iterable<number>): void
  /**
   * Makes this node receive the events of the organization that other nodes publish, and rows of its log. An organization
   * has one feed at a time.
   */
  followEvents(realmId: number): Promise<EventFeed>
  /** Calls `listener` with each event that any node publishes. */
  onPublished(listener: (emission: Emission) => void): void
  /** The names of the migrations that were applied when the storage was opened. */
  readonly migrated: readonly string[]
  /** The number of statements that were run, including those inside transactions; tests of hot paths count them. */
  readonly statements: number
  /** True if other nodes may serve the same database. */
  readonly isShared: boolean
  /**
   * Returns whether this node is the leader, which does the work that one node does for all. At most one node is the
   * leader. When the leader ends, another node takes over within seconds. A process that serves the database alone is
   * always the leader.
   */
  isLeader(): boolean
  /**
   * Calls `listener` when this node has become the leader, and when it is the leader again after a pause in which it could
   * not be certain of that, because its process was suspended, say.
   */
  onBecomeLeader(listener: () => void): void
  /**
   * Calls `listener` with every commit of this process once it is durable, before the transaction resolves. Also calls
   * it with every commit of other nodes. Transactions that have begun by then may see the commit, so they bypass the
   * caches of the written tables.
   */
  onCommit(listener: (commit: Commit) => void): void
  /** Calls `listener` when another process has committed or may have committed, and the written tables are unknown. */
  onOutsideCommit(listener: () => void): void
  /** Sends `ids` to the other nodes at once, without a commit. They can be lost. */
  notifyNodes(about: NodeTopic, ids: readonly NodeTopicId[]): void
  /**
   * Calls `listener` with the ids that another node has sent about a topic. If any were missed, `onOutsideCommit` is
   * called. With `isOwnToo`, the listener is also called for this node's own messages. All nodes receive the messages
   * about `ORDERED_TOPICS` in the same order.
   */
  onNodeNotification(
    about: NodeTopic,
    listener: (ids: readonly NodeTopicId[]) => void,
    options?: { isOwnToo?: boolean },
  ): void
  /**
   * Returns false while no transaction can begin. The log has reported this, so background writers try again later
   * without logging.
   */
  isWritable(): boolean
  /** Returns the connections to PostgreSQL; null on SQLite. */
  connections(): ConnectionCounts | null
  /** Returns null if the database has no replicas. */
  replicaReads(): ReplicaReads | null
  /** Returns null if nodes do not reach each other by NATS. */
  bus(): BusState | null
  /** Returns whether reads work and writing has not failed. */
  isReady(): Promise<boolean>
  /** Makes all pending and future statements fail. It is called when the time for a clean stop is up. */
  giveUp(): void
  /**
   * Waits for the open transactions, then releases files and connections. Stops waiting if the database does not
   * respond.
   */
  close(): Promise<void>
}

/** The database is temporarily unavailable. Nothing of the transaction was written. */
export class DatabaseUnavailable extends Error {}

/** The organization moves to another database, or has moved. A later attempt finds it there. */
export class OrganizationMoving extends DatabaseUnavailable {}

/** SQLSTATE of our own with which a database refuses writes of an organization that moves (transfer/moving/fence.ts). */
export const ORGANIZATION_MOVING = 'PM001'

/** A lock was not free in time; a retry may succeed at once. */
export class LockTimeout extends DatabaseUnavailable {}

/** The connection was lost during a commit, so its outcome is unknown. */
export class CommitOutcomeUnknown extends Error {}

/** The reason why a database cannot be opened, as a message for the operator. */
export class CannotOpenStorage extends OperatorError {}
