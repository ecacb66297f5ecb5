import type { OpenTransaction } from '../transactions/engine.ts'
import type { SqliteConnection } from './connection.ts'
import { databaseClosed, endedByItself, retryWhileBusy } from './errors.ts'

/** The maximum number of transactions that share a commit. */
const MAX_MEMBERS = 100

type Options = {
  writer: SqliteConnection
  /** Runs a job that writes. */
  guarded: <Result>(job: () => Result) => Result
  /**
   * True if the transactions of one turn of the event loop share a commit at its end, rather than committing at once.
   */
  sharesCommits: boolean
  /** Makes commits durable off the event loop; null if a commit is durable when it returns. */
  durability: Durability | null
  /** Returns whether another process has committed since `onOpen` last checked. */
  hasOutsideCommit: () => boolean
  /** Called when a SQLite transaction has begun. */
  onOpen: () => void
  /** Called when the SQLite transaction is durable or rolled back. */
  onClosed: () => void
  /** Called if the SQLite transaction can be neither committed nor rolled back. Nothing may be written after that. */
  onStuck: (error: unknown) => void
}

/** Makes commits durable, if the commits themselves do not wait for the disk. */
export type Durability = {
  /** Called before a commit that writes. Until `end`, reads see the state before the commit. */
  begin(): void
  /** Resolves when all commits are durable. */
  sync(): Promise<void>
  /** Called when the commit is durable or has failed. After that, reads see the last commit. */
  end(): void
}

/** The transactions of one connection, one at a time. */
type SqliteTransactions = {
  begin(): Promise<OpenTransaction>
  /** True while a transaction is open or waits for its commit. */
  readonly isOpen: boolean
  /** True while a commit is not durable yet. */
  readonly isSyncing: boolean
  /**
   * Runs `job` when all transactions that were requested before are durable. No other transaction begins until the job
   * is done.
   */
  runExclusively(job: () => void | Promise<void>): Promise<void>
}

/** A transaction that is done or rolled back, and waits for the shared commit. */
type Member = PromiseWithResolvers<void> & { onDurable: () => void }

export function sqliteTransactions(options: Options): SqliteTransactions {
  return new SharedCommits(options)
}

/**
 * Makes all transactions of one turn of the event loop durable by one commit, because a commit costs more on most disks
 * than all of their statements. The transactions are savepoints of one SQLite transaction, so that each of them can
 * fail alone. None is acknowledged before the shared commit. Failed transactions wait for it as well, because a refusal
 * may be based on changes of the transactions before it.
 *
 * If the wait for the disk happens off the event loop, the transactions that begin meanwhile share the next commit. It
 * is made after the sync, so that at most one commit is not durable at any time. These transactions see the commit that
 * is being synced, so their outcomes wait until it is durable, too.
 */
class SharedCommits implements SqliteTransactions {
  readonly #options: Options
  readonly #mutex = openMutex()
  readonly #beginAll: () => void
  readonly #commitAll: () => void
  readonly #setSavepoint: () => void
  readonly #releaseSavepoint: () => void
  #members: Member[] = []
  #isOpen = false
  /** True while a transaction is running, so that nothing can be committed yet. */
  #isRunning = false
  /** True if the shared commit is made as soon as no transaction is running. */
  #isDue = false
  /** True if the SQLite transaction may have written something. */
  #hasWritten = false
  #isSyncing = false
  /** Called when the last commit is durable, or has failed. */
  #syncListeners: ((failure: unknown) => void)[] = []
  /** Called when the SQLite transaction has been committed or rolled back. */
  #endListeners: (() => void)[] = []

  constructor(options: Options) {
    this.#options = options
    this.#beginAll = this.#prepare('begin immediate')
    this.#commitAll = this.#prepare('commit')
    this.#setSavepoint = this.#prepare('savepoint member')
    this.#releaseSavepoint = this.#prepare('release member')
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  get isSyncing(): boolean {
    return this.#isSyncing
  }

  readonly begin = async (): Promise<OpenTransaction> => {
    const releaseMutex = await this.#mutex.acquire()
    await this.#untilRoom()
    this.#isRunning = true
    let hasLeft = false
    const leave = () => {
      if (hasLeft) return
      hasLeft = true
      this.#isRunning = false
      releaseMutex()
    }
    const isMember = this.#isOpen
    try {
      if (!this.#database.isOpen) throw databaseClosed()
      if (isMember) this.#join()
      else await this.#open()
    } catch (error) {
      this.#abandonBegin(error, isMember)
      leave()
      throw error
    }
    return this.#makeTransaction(isMember, leave)
  }

  async runExclusively(job: () => void | Promise<void>): Promise<void> {
    const releaseMutex = await this.#mutex.acquire()
    const untilQuiet = () => this.#untilSynced().catch(() => undefined)
    try {
      await untilQuiet()
      if (this.#isOpen) this.#commit()
      await untilQuiet()
      await job()
    } finally {
      releaseMutex()
    }
  }

  get #database() {
    return this.#options.writer.database
  }

  /** Prepares a statement, because parsing it each time would cost more than running it. */
  #prepare(sql: string): () => void {
    const statement = this.#database.prepare(sql)
    return () => this.#options.guarded(() => statement.run())
  }

  #requireTransaction(): void {
    if (!this.#database.isTransaction) throw endedByItself()
  }

  /** Resolves when another transaction can share the commit. */
  async #untilRoom(): Promise<void> {
    if (this.#isOpen && this.#members.length >= MAX_MEMBERS)
      await new Promise<void>((resolve) => this.#endListeners.push(resolve))
  }

  #join(): void {
    // A savepoint outside a transaction would begin one.
    this.#requireTransaction()
    this.#setSavepoint()
  }

  async #open(): Promise<void> {
    const { hasOutsideCommit, onOpen } = this.#options
    await retryWhileBusy(this.#beginAll)
    // A commit of another process is announced before a transaction that sees it continues. By then, reads must see the
    // commit, too. They do when no other commit is waiting for the disk.
    while (this.#isSyncing && hasOutsideCommit()) {
      this.#database.exec('rollback')
      await this.#untilSynced()
      await retryWhileBusy(this.#beginAll)
    }
    this.#isOpen = true
    onOpen()
  }

  #abandonBegin(error: unknown, isMember: boolean): void {
    if (isMember) {
      this.#isDue = true
      this.#scheduleCommit()
    } else if (this.#isOpen) this.#abandon(error)
  }

  /**
   * Returns a transaction. If `isMember` is true, it is a savepoint of the SQLite transaction that was already open.
   */
  #makeTransaction(isMember: boolean, leave: () => void): OpenTransaction {
    const { writer, guarded } = this.#options
    let isDone = false
    return {
      isJoined: isMember || this.#isSyncing,
      run: (query) => {
        // Outside a transaction, the statement would be its own commit.
        this.#requireTransaction()
        if (query.query.kind !== 'SelectQueryNode') this.#hasWritten = true
        return guarded(() => writer.run(query))
      },
      commit: async (onDurable) => {
        this.#requireTransaction()
        if (isMember) this.#releaseSavepoint()
        isDone = true
        await this.#untilDurable(onDurable, leave)
      },
      rollBack: async () => {
        if (isDone) return
        isDone = true
        await this.#rollBack(isMember, leave)
      },
      release: leave,
    }
  }

  /** Lets the next transaction begin; resolves when the SQLite transaction is durable, and rejects if it failed. */
  #untilDurable(onDurable: () => void, leave: () => void): Promise<void> {
    const member = { ...Promise.withResolvers<void>(), onDurable }
    this.#members.push(member)
    this.#scheduleCommit()
    leave()
    return member.promise
  }

  async #rollBack(isMember: boolean, leave: () => void): Promise<void> {
    if (!isMember || !this.#database.isTransaction) {
      if (this.#database.isTransaction) this.#abandon(null)
      else this.#settle(endedByItself())
      leave()
      return this.#untilSynced()
    }
    try {
      this.#database.exec('rollback to member; release member')
    } catch (error) {
      // Only the whole SQLite transaction can be rolled back.
      this.#abandon(error)
      throw error
    }
    await this.#untilDurable(() => undefined, leave)
  }

  /**
   * Commits at the end of the turn, or after the transaction that is running at that time. If the previous commit is
   * not durable yet, the commit is scheduled when the sync of the previous commit ends.
   */
  #scheduleCommit(): void {
    if (this.#isSyncing) return
    if (!this.#options.sharesCommits || this.#isDue || this.#members.length >= MAX_MEMBERS) return this.#commit()
    if (this.#members.length === 1) this.#commitAtTurnEnd()
  }

  #commitAtTurnEnd(): void {
    setImmediate(() => {
      if (!this.#isOpen || this.#isSyncing) return
      this.#isDue = true
      if (!this.#isRunning) this.#commit()
    })
  }

  /** Commits the SQLite transaction. The previous commit is durable by now. */
  #commit(): void {
    const { durability } = this.#options
    const needsSync = this.#hasWritten && durability !== null
    try {
      this.#requireTransaction()
      if (needsSync) durability.begin()
      this.#commitAll()
    } catch (error) {
      if (needsSync) durability.end()
      return this.#abandon(error)
    }
    if (needsSync) void this.#sync(durability)
    this.#settle(null)
  }

  async #sync({ sync, end }: Durability): Promise<void> {
    this.#isSyncing = true
    let failure: unknown = null
    try {
      await sync()
    } catch (error) {
      // The content of the disk is unknown: SQLite, too, would read it only when it opens the file again.
      failure = error
      this.#options.onStuck(error)
    }
    this.#isSyncing = false
    end()
    for (const listener of this.#syncListeners.splice(0)) listener(failure)
    if (this.#isOpen) this.#commitAtTurnEnd()
  }

  /** Rolls back the SQLite transaction. Unless `failure` is null, its members are rejected with it. */
  #abandon(failure: unknown): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('rollback')
    } catch (error) {
      this.#options.onStuck(error)
    }
    this.#settle(failure)
  }

  /** Ends the SQLite transaction: its members become durable, now or after the sync, or all of them fail. */
  #settle(failure: unknown): void {
    const settled = this.#members
    this.#members = []
    this.#isOpen = false
    this.#isDue = false
    this.#hasWritten = false
    for (const listener of this.#endListeners.splice(0)) listener()
    this.#whenSynced((syncFailure) => this.#reportOutcome(settled, failure ?? syncFailure))
  }

  #reportOutcome(settled: readonly Member[], failure: unknown): void {
    if (failure === null) for (const { onDurable } of settled) onDurable()
    this.#options.onClosed()
    for (const { resolve, reject } of settled) failure === null ? resolve() : reject(failure)
  }

  /**
   * Calls `listener` as soon as all commits are durable or have failed. The argument is null, or the reason for the
   * failure.
   */
  #whenSynced(listener: (failure: unknown) => void): void {
    if (this.#isSyncing) this.#syncListeners.push(listener)
    else listener(null)
  }

  #untilSynced(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#whenSynced((failure) => (failure === null ? resolve() : reject(failure)))
    })
  }
}

/** A mutex that is granted in the order of the requests. */
type Mutex = {
  /** Resolves with a function that releases the mutex. */
  acquire(): Promise<() => void>
}

function openMutex(): Mutex {
  let last: Promise<void> = Promise.resolve()
  return {
    async acquire() {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      await before
      return resolve
    },
  }
}
