import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable, type OpenTransaction } from '../engine.ts'
import { openMutex } from '../mutex.ts'
import type { SqliteConnection } from './connection.ts'
import { isBusy } from './errors.ts'

/** How often a transaction of which another process holds the lock is begun anew: for ten seconds in all. */
const BEGIN_INTERVAL = 20
const BEGIN_ATTEMPTS = 400

/** How many transactions become durable by one commit at most. */
const MAX_MEMBERS = 100

type Options = {
  writer: SqliteConnection
  /** Runs a job that writes. */
  guarded: <Result>(job: () => Result) => Result
  /** True if what is done in one turn of the event loop is committed at its end, rather than each at once. */
  sharesCommits: boolean
  /** Makes commits durable off the event loop; null where a commit is durable when it returns. */
  durability: Durability | null
  /** True if another process has committed since `onOpen` last looked. */
  hasOutsideCommit: () => boolean
  /** Called when nothing was open before, and when what was open is durable or undone. */
  onOpen: () => void
  onClosed: () => void
  /** Called when what is open can be neither committed nor undone: nothing may be written after it. */
  onStuck: (error: unknown) => void
}

/** How commits become durable where they do not wait for the disk. */
export type Durability = {
  /** Called before a commit that writes: until `end`, reads go on seeing the state before it. */
  begin(): void
  /** Resolves when all that was committed is durable. */
  sync(): Promise<void>
  /** Called when the commit is durable, or has failed: from now on reads see what was committed last. */
  end(): void
}

/** The transactions of one connection, one at a time. */
export type SqliteTransactions = {
  begin(): Promise<OpenTransaction>
  /** True if one is open, or waits for its commit. */
  readonly isOpen: boolean
  /** True if a commit is not durable yet. */
  readonly isSyncing: boolean
  /**
   * Runs `job` when all that has asked to begin until now has ended and is durable. Nothing begins before the job has
   * ended.
   */
  runExclusively(job: () => void | Promise<void>): Promise<void>
}

/** A transaction that has done its work, or was undone, and waits for the commit. */
type Member = PromiseWithResolvers<void> & { onDurable: () => void }

/**
 * What is done in one turn of the event loop becomes durable by one commit: on most disks that costs more than all that
 * it makes durable. The transactions are savepoints of one transaction of SQLite, so that each of them still fails
 * alone, and none is acknowledged before the commit that all of them share. One that fails waits for it as well: its
 * refusal may tell of what those before it have written.
 *
 * Where the disk is waited for off the event loop, the transactions that begin meanwhile share the next commit, which is
 * made when the sync has ended: at any time one commit at most is not durable. They see it, so their outcomes, too, wait
 * until it is.
 */
export function sqliteTransactions(options: Options): SqliteTransactions {
  const { writer, guarded, sharesCommits, durability, hasOutsideCommit, onOpen, onClosed, onStuck } = options
  const { database } = writer
  const beginAll = prepared('begin immediate')
  const endAll = prepared('commit')
  const setSavepoint = prepared('savepoint member')
  const endSavepoint = prepared('release member')
  const queue = openMutex()
  let members: Member[] = []
  let isOpen = false
  /** True if one is at work, so that nothing can be committed yet. */
  let isAtWork = false
  /** True if what is open is committed as soon as nobody is at work. */
  let isDue = false
  /** True if what is open has written anything, as far as can be told. */
  let hasWritten = false
  /** True if what was committed last is not durable yet. */
  let isSyncing = false
  /** Called when it is durable, or has failed. */
  const waitingForSync: ((failure: unknown) => void)[] = []
  /** Called when what is open has been committed, or undone. */
  const waitingForRoom: (() => void)[] = []

  /** To parse such a statement each time would cost more than it does. */
  function prepared(sql: string): () => void {
    const statement = database.prepare(sql)
    return () => guarded(() => statement.run())
  }

  /** Ends what is open: all of its members are durable, now or when the disk has been waited for, or none is. */
  function settle(failure: unknown): void {
    const settled = members
    members = []
    isOpen = false
    isDue = false
    hasWritten = false
    for (const goOn of waitingForRoom.splice(0)) goOn()
    whenSynced((syncFailure) => reportOutcome(settled, failure ?? syncFailure))
  }

  function reportOutcome(settled: readonly Member[], failure: unknown): void {
    if (failure === null) for (const { onDurable } of settled) onDurable()
    onClosed()
    for (const { resolve, reject } of settled) failure === null ? resolve() : reject(failure)
  }

  /** Calls `job` as soon as all that was committed is durable, with null, or with the reason why it is not. */
  function whenSynced(job: (failure: unknown) => void): void {
    if (isSyncing) waitingForSync.push(job)
    else job(null)
  }

  const untilSynced = () =>
    new Promise<void>((resolve, reject) => {
      whenSynced((failure) => (failure === null ? resolve() : reject(failure)))
    })

  /** What was committed before is durable by now. */
  function commitAll(): void {
    const isToSync = hasWritten && durability !== null
    try {
      requireStanding()
      if (isToSync) durability.begin()
      endAll()
    } catch (error) {
      if (isToSync) durability.end()
      return abandon(error)
    }
    if (isToSync) void syncCommit(durability)
    settle(null)
  }

  async function syncCommit({ sync, end }: Durability): Promise<void> {
    isSyncing = true
    let failure: unknown = null
    try {
      await sync()
    } catch (error) {
      // Nobody knows what the disk has: SQLite, too, would find out only when it opens the file anew.
      failure = error
      onStuck(error)
    }
    isSyncing = false
    end()
    for (const job of waitingForSync.splice(0)) job(failure)
    if (isOpen) commitAtTurnEnd()
  }

  function abandon(failure: unknown): void {
    try {
      if (database.isTransaction) database.exec('rollback')
    } catch (error) {
      onStuck(error)
    }
    settle(failure)
  }

  /**
   * Commits what is done at the end of the turn, or when whoever is at work then has ended. While the commit before it is
   * not durable yet, the end of the sync sees to it.
   */
  function commitInTime(): void {
    if (isSyncing) return
    if (!sharesCommits || isDue || members.length >= MAX_MEMBERS) return commitAll()
    if (members.length === 1) commitAtTurnEnd()
  }

  function commitAtTurnEnd(): void {
    setImmediate(() => {
      if (!isOpen || isSyncing) return
      isDue = true
      if (!isAtWork) commitAll()
    })
  }

  function requireStanding(): void {
    if (!database.isTransaction) throw endedByItself()
  }

  function joinOpen(): void {
    // A savepoint outside a transaction would begin one.
    requireStanding()
    setSavepoint()
  }

  async function openAnew(): Promise<void> {
    await patiently(beginAll)
    // What another process has committed is told of before a transaction goes on that sees it, and by then reads must see
    // it, too: they do when nothing waits for the disk.
    while (isSyncing && hasOutsideCommit()) {
      database.exec('rollback')
      await untilSynced()
      await patiently(beginAll)
    }
    isOpen = true
    onOpen()
  }

  /** Resolves when one more can share what is open. */
  async function untilRoom(): Promise<void> {
    if (isOpen && members.length >= MAX_MEMBERS) await new Promise<void>((resolve) => waitingForRoom.push(resolve))
  }

  async function begin(): Promise<OpenTransaction> {
    const letNextIn = await queue.acquire()
    await untilRoom()
    isAtWork = true
    let hasLeft = false
    const leave = () => {
      if (hasLeft) return
      hasLeft = true
      isAtWork = false
      letNextIn()
    }
    const isMember = isOpen
    try {
      if (!database.isOpen) throw databaseClosed()
      if (isMember) joinOpen()
      else await openAnew()
    } catch (error) {
      if (isMember) {
        isDue = true
        commitInTime()
      } else if (isOpen) abandon(error)
      leave()
      throw error
    }
    return makeTransaction(isMember, leave)
  }

  /** A member shares what was open before it, as a savepoint. */
  function makeTransaction(isMember: boolean, leave: () => void): OpenTransaction {
    let isDone = false

    /** Lets the next one in; resolves when all that is open is durable, and rejects when none of it is. */
    function untilDurable(onDurable: () => void): Promise<void> {
      const member = { ...Promise.withResolvers<void>(), onDurable }
      members.push(member)
      commitInTime()
      leave()
      return member.promise
    }

    return {
      isJoined: isMember || isSyncing,
      run(query) {
        // Outside a transaction the statement would be a commit of its own.
        requireStanding()
        if (query.query.kind !== 'SelectQueryNode') hasWritten = true
        return guarded(() => writer.run(query))
      },
      async commit(onDurable) {
        requireStanding()
        if (isMember) endSavepoint()
        isDone = true
        await untilDurable(onDurable)
      },
      async rollBack() {
        if (isDone) return
        isDone = true
        if (!isMember || !database.isTransaction) {
          if (database.isTransaction) abandon(null)
          else settle(endedByItself())
          leave()
          return untilSynced()
        }
        try {
          database.exec('rollback to member; release member')
        } catch (error) {
          // Nothing less than all that is open can be undone.
          abandon(error)
          throw error
        }
        await untilDurable(() => undefined)
      },
      release: leave,
    }
  }

  return {
    begin,
    get isOpen() {
      return isOpen
    },
    get isSyncing() {
      return isSyncing
    },
    async runExclusively(job) {
      const leave = await queue.acquire()
      const untilQuiet = () => untilSynced().catch(() => undefined)
      try {
        await untilQuiet()
        if (isOpen) commitAll()
        await untilQuiet()
        await job()
      } finally {
        leave()
      }
    },
  }
}

/** Those who shared it did nothing wrong, and may try again. */
const endedByItself = () => new DatabaseUnavailable('SQLite ended the transaction by itself')

/** What is asked after the end is refused like what comes while the database is away: nothing of it was done. */
export const databaseClosed = () => new DatabaseUnavailable('The database is closed')

/** Tries again while another process holds the lock, without blocking this one. */
async function patiently(attempt: () => void): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (attempts === BEGIN_ATTEMPTS)
        throw new DatabaseUnavailable('Another process holds the database', { cause: error })
      await sleep(BEGIN_INTERVAL)
    }
  }
}
