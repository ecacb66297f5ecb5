import type { CompiledQuery, QueryResult } from 'kysely'
import { OperatorError } from '../errors/operator-error.ts'
import type { Dialect } from './storage.ts'

/** Its result, or its error, comes at once where there is nothing to wait for. */
export type RunStatement = (query: CompiledQuery) => QueryResult<unknown> | Promise<QueryResult<unknown>>

/** A transaction that has begun. `commit` or `rollBack` is called once, then `release`. */
export type OpenTransaction = {
  readonly run: RunStatement
  /** Whether it sees what those before it have written and is not durable yet: it is durable after them, or not at all. */
  readonly isJoined: boolean
  /**
   * Calls `onDurable` once the commit is durable and reads see it, and resolves; rejects when the transaction no longer
   * stands, and nothing was written, or with `CommitUnknown`. With the commit goes `word` to the other nodes, where there
   * may be any.
   */
  commit(onDurable: () => void, word?: string): Promise<void>
  /**
   * What was committed stays. Resolves when all that the transaction has seen is durable; rejects when that was undone,
   * too, so that nothing that came of it is true.
   */
  rollBack(): Promise<void>
  release(): void
}

/** What each of the two databases does in its own way. */
export type Engine = {
  readonly dialect: Dialect
  /** One statement on the last durable commit. */
  readonly read: RunStatement
  /** `isSnapshot`: all that it reads is as of one moment. */
  begin(isSnapshot?: boolean): Promise<OpenTransaction>
  /** Whether the whole transaction may succeed when it is tried again. */
  isRetryable(error: unknown): boolean
  /** False while no transaction can begin because this process has lost its place at the database, as the log says. */
  isWritable(): boolean
  isReady(): Promise<boolean>
  onOutsideCommit(listener: () => void): void
  /** Fails all that waits for an answer of the database, and whatever asks it later. */
  giveUp(): void
  close(): Promise<void>
}

/** The tie of a node to the others that serve the same database. */
export type NodeMembership = {
  /** Lets other nodes serve the database: until then the first to start has it alone. */
  admitOthers(): Promise<void>
  isLeader(): boolean
  onBecomeLeader(listener: () => void): void
  /** Calls `listener` with each word that a transaction of another process sent; '' says nothing but that it committed. */
  onMessage(listener: (word: string) => void): void
  /** Whether all words are heard, but for those of the last seconds. */
  hasAllMessages(): boolean
}

/** The database cannot be asked for now, and may be soon; of what was to be written nothing is. */
export class DatabaseUnavailable extends Error {}

/** A lock was not free in time; the same may succeed at once when it is tried again. */
export class LockTimeout extends DatabaseUnavailable {}

/** The connection was lost while a commit was under way: nobody knows whether it was made. */
export class CommitOutcomeUnknown extends Error {}

/** Why a database cannot be opened, in words for whoever runs the server. */
export class CannotOpenStorage extends OperatorError {}
