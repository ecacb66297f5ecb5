import type { CompiledQuery, QueryResult } from 'kysely'
import type { Meter, StatementKind } from '#lib/meter.ts'
import {
  type BusState,
  type ConnectionCounts,
  type Dialect,
  type EventFeed,
  type EventRow,
  LockTimeout,
  type ReplicaReads,
} from '../storage.ts'

/** Runs a statement. Its result or error is returned synchronously if there is nothing to wait for. */
export type RunStatement = (query: CompiledQuery) => QueryResult<unknown> | Promise<QueryResult<unknown>>

/** The rows that a transaction appends to the event log of each organization. */
export type AppendedRows = ReadonlyMap<number, readonly EventRow[]>

/** The message that a commit sends to the other nodes. */
export type CommitMessage = {
  readonly text: string
  /** True if all nodes must receive such messages in the same order, this one included. */
  readonly isOrdered: boolean
  readonly appended: AppendedRows
}

/** An open transaction. `commit` or `rollBack` is called once, then `release`. */
export type OpenTransaction = {
  readonly run: RunStatement
  /**
   * True if the transaction sees uncommitted changes of earlier transactions. It then becomes durable after them, or
   * not at all.
   */
  readonly isJoined: boolean
  /**
   * Calls `onDurable` and resolves once the commit is durable and visible to reads. Rejects if the transaction was
   * rolled back. Rejects with `CommitOutcomeUnknown` if the outcome is unknown. The commit sends `message` to the other
   * nodes, if there are any.
   */
  commit(onDurable: () => void, message?: CommitMessage): Promise<void>
  /**
   * Rolls back this transaction, but not earlier ones. Resolves when everything that the transaction has seen is
   * durable. Rejects if any of that was rolled back, because results based on it are invalid.
   */
  rollBack(): Promise<void>
  release(): void
}

/** The differences between the two databases. */
export type Engine = {
  readonly dialect: Dialect
  /** Runs one statement on the last durable commit. */
  readonly read: RunStatement
  /** Reads that may run on replicas; null if there are none. */
  readonly replicas: Replicas | null
  /** Begins a transaction. With `isSnapshot`, all of its reads are as of one moment. */
  begin(isSnapshot?: boolean): Promise<OpenTransaction>
  /** Returns whether the whole transaction may succeed when it is tried again after the error. */
  isRetryable(error: unknown): boolean
  /**
   * Returns false while this process has lost its lock on the database. No transaction can begin then. The log reports
   * this.
   */
  isWritable(): boolean
  isReady(): Promise<boolean>
  onOutsideCommit(listener: () => void): void
  /** Returns the connections to PostgreSQL; null on SQLite. */
  connections(): ConnectionCounts | null
  /** Makes all pending and future statements fail. */
  giveUp(): void
  close(): Promise<void>
}

export type Replicas = {
  /**
   * Returns a function that runs the large reads of one call. They see every commit that was made before the first of
   * them, on any node.
   */
  beginReads(): RunStatement
  reads(): ReplicaReads
}

/** The membership of this process among the nodes that serve the same database. */
export type NodeMembership = {
  /** Lets other nodes serve the database; until then only the first node serves it. */
  admitOthers(): Promise<void>
  isLeader(): boolean
  onBecomeLeader(listener: () => void): void
  /**
   * Calls `listener` with each message of a transaction or of `send`, of any process; '' reports a commit without
   * details.
   */
  onMessage(listener: (message: string) => void): void
  /** The maximum length of a message in bytes. */
  readonly maxMessageBytes: number
  /**
   * Sends `message` to all nodes at once, without a transaction. One about an organization is needed only by the nodes
   * that follow its events.
   */
  send(message: string, realmId?: number): Promise<unknown>
  /** See `Storage`. */
  followEvents(realmId: number): Promise<EventFeed>
  bus(): BusState | null
  /** Returns whether all messages have arrived, except for those of the last seconds. */
  hasAllMessages(): boolean
}

/** The feed of a process that learns of rows only from the database. */
export const NO_FEED: EventFeed = { take: () => null, close() {} }

/** Wraps an engine to count its statements, and to report their time if there is a meter. */
export function countedEngine(engine: Engine, meter?: Meter): Engine & { readonly statements: number } {
  let statements = 0
  const { replicas } = engine
  const counted = (run: RunStatement): RunStatement => {
    const measured = meter === undefined ? run : measuredStatement(run, meter)
    return (query) => {
      statements++
      return measured(query)
    }
  }
  return {
    ...engine,
    read: counted(engine.read),
    replicas: replicas && { ...replicas, beginReads: () => counted(replicas.beginReads()) },
    async begin(isSnapshot) {
      const open = await engine.begin(isSnapshot)
      return { ...open, run: counted(open.run) }
    },
    get statements() {
      return statements
    },
  }
}

const KINDS: Readonly<Record<string, StatementKind>> = {
  SelectQueryNode: 'select',
  InsertQueryNode: 'insert',
  UpdateQueryNode: 'update',
  DeleteQueryNode: 'delete',
}

function measuredStatement(run: RunStatement, meter: Meter): RunStatement {
  return (query) => {
    const startedAt = performance.now()
    const end = () => {
      meter.statementEnded(KINDS[query.query.kind] ?? 'other', (performance.now() - startedAt) / 1000)
    }
    let isPending = false
    try {
      const result = run(query)
      if (!(result instanceof Promise)) return result
      isPending = true
      return result.finally(end)
    } finally {
      if (!isPending) end()
    }
  }
}

/**
 * Milliseconds after which the server stops waiting for locks. PostgreSQL lets a suspended process hold locks for a
 * shorter time (storage/postgres/connection.ts).
 */
const LOCK_PATIENCE = 12_000

/** Repeats `work` while it fails because a lock was not free in time. */
export async function retryLockTimeouts<Result>(work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LockTimeout) || performance.now() - startedAt > LOCK_PATIENCE) throw error
    }
  }
}
