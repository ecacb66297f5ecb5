import type { CompiledQuery, QueryResult } from 'kysely'
import { OperatorError } from '#lib/errors/operator-error.ts'
import type { Dialect } from './storage.ts'

/** Runs a statement. Its result or error is returned synchronously if there is nothing to wait for. */
export type RunStatement = (query: CompiledQuery) => QueryResult<unknown> | Promise<QueryResult<unknown>>

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
  commit(onDurable: () => void, message?: string): Promise<void>
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
  /** Makes all pending and future statements fail. */
  giveUp(): void
  close(): Promise<void>
}

/** The membership of this process among the nodes that serve the same database. */
export type NodeMembership = {
  /** Lets other nodes serve the database; until then only the first node serves it. */
  admitOthers(): Promise<void>
  isLeader(): boolean
  onBecomeLeader(listener: () => void): void
  /**
   * Calls `listener` with each message that a transaction of another process sent; '' reports a commit without details.
   */
  onMessage(listener: (message: string) => void): void
  /** Returns whether all messages have arrived, except for those of the last seconds. */
  hasAllMessages(): boolean
}

/** The database is temporarily unavailable. Nothing of the transaction was written. */
export class DatabaseUnavailable extends Error {}

/** A lock was not free in time; a retry may succeed at once. */
export class LockTimeout extends DatabaseUnavailable {}

/** The connection was lost during a commit, so its outcome is unknown. */
export class CommitOutcomeUnknown extends Error {}

/** The reason why a database cannot be opened, as a message for the operator. */
export class CannotOpenStorage extends OperatorError {}
