import type { CompiledQuery, Kysely, QueryResult } from 'kysely'
import type { Random } from '../base/random.ts'
import type { Settings } from '../config.ts'
import type { Tables, TableName } from './tables.ts'

/** Reads. Typed so that writing does not compile; outside a transaction each statement sees the last commit. */
export type Db = Pick<Kysely<Tables>, 'selectFrom' | 'selectNoFrom' | 'fn'> & {
  executeQuery<Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>>
  readonly dialect: 'sqlite' | 'postgres'
  /** The tables that the transaction has written so far; null outside transactions. */
  readonly written: ReadonlySet<TableName> | null
  /** The settings of the installation whose rows these are; one object for its whole life, so caches are kept by it. */
  readonly settings: Settings
}

/** What a change tells those who may know of it, and whom. */
export type Emission = {
  realmId: number
  event: { readonly type: string }
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
  readonly random: Random
  /** Tells `audience` (user ids of the organization) of `event` once the transaction is durable. */
  emit(realmId: number, event: { readonly type: string }, audience: Iterable<number>): void
  /** Runs `job` after the commit is durable, and never when it fails. The job must not throw. */
  afterCommit(job: () => void): void
}

/** Runs `work` in one transaction: its result when the commit is durable, its error with nothing written. */
export type RunTransaction = <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>
