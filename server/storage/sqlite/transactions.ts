import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseAway, type OpenTransaction } from '../engine.ts'
import { fairQueue } from '../fair-queue.ts'
import type { SqliteConnection } from './connection.ts'
import { isBusy } from './errors.ts'

/** How often a transaction of which another process holds the lock is begun anew: for ten seconds in all. */
const BEGIN_INTERVAL = 20
const BEGIN_ATTEMPTS = 400

/** How many transactions become durable by one commit at most. */
const MOST_MEMBERS = 100

type Options = {
  writer: SqliteConnection
  /** Runs a job that writes. */
  guarded: <Result>(job: () => Result) => Result
  /** Whether what is done in one turn of the event loop is committed at its end, rather than each at once. */
  sharesCommits: boolean
  /** Called when nothing was open before, and when nothing is open any more. */
  onOpen: () => void
  onClosed: () => void
  /** Called when what is open can be neither committed nor undone: nothing may be written after it. */
  onStuck: (error: unknown) => void
}

/** The transactions of one connection, one at a time. */
export type SqliteTransactions = {
  begin(): Promise<OpenTransaction>
  /** Whether one is open, or waits for its commit. */
  readonly isOpen: boolean
  /** Runs `last` when all that has asked to begin until now has ended. */
  end(last: () => void): Promise<void>
}

/** A transaction that has done its work, or was undone, and waits for the commit. */
type Member = PromiseWithResolvers<void> & { onDurable: () => void }

/**
 * What is done in one turn of the event loop becomes durable by one commit: on most disks that costs more than all that
 * it makes durable. The transactions are savepoints of one transaction of SQLite, so that each of them still fails
 * alone, and none is acknowledged before the commit that all of them share. One that fails waits for it as well: its
 * refusal may tell of what those before it have written.
 */
export function sqliteTransactions(options: Options): SqliteTransactions {
  const { writer, guarded, sharesCommits, onOpen, onClosed, onStuck } = options
  const { database } = writer
  const beginAll = prepared('begin immediate')
  const endAll = prepared('commit')
  const setSavepoint = prepared('savepoint member')
  const endSavepoint = prepared('release member')
  const queue = fairQueue()
  let members: Member[] = []
  let isOpen = false
  /** Whether one is at work, so that nothing can be committed yet. */
  let isAtWork = false
  /** Whether what is open is committed as soon as nobody is at work. */
  let isDue = false

  /** To parse such a statement each time would cost more than it does. */
  function prepared(sql: string): () => void {
    const statement = database.prepare(sql)
    return () => guarded(() => statement.run())
  }

  /** Ends what is open: all of its members are durable, or none is. */
  function settle(failure: unknown): void {
    const settled = members
    members = []
    if (failure === null) for (const { onDurable } of settled) onDurable()
    isOpen = false
    isDue = false
    onClosed()
    for (const { resolve, reject } of settled) failure === null ? resolve() : reject(failure)
  }

  function commitAll(): void {
    try {
      requireStanding()
      endAll()
    } catch (error) {
      return abandon(error)
    }
    settle(null)
  }

  function abandon(failure: unknown): void {
    try {
      if (database.isTransaction) database.exec('rollback')
    } catch (error) {
      onStuck(error)
    }
    settle(failure)
  }

  /** Commits what is done at the end of the turn, or when whoever is at work then has ended. */
  function commitInTime(): void {
    if (!sharesCommits || isDue || members.length >= MOST_MEMBERS) return commitAll()
    if (members.length > 1) return
    setImmediate(() => {
      isDue = isOpen
      if (isOpen && !isAtWork) commitAll()
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
    isOpen = true
    onOpen()
  }

  async function begin(): Promise<OpenTransaction> {
    const letNextIn = await queue.enter()
    isAtWork = true
    let hasLeft = false
    const leave = () => {
      if (hasLeft) return
      hasLeft = true
      isAtWork = false
      letNextIn()
    }
    const isJoined = isOpen
    try {
      if (isJoined) joinOpen()
      else await openAnew()
    } catch (error) {
      if (isJoined) commitAll()
      else if (isOpen) abandon(error)
      leave()
      throw error
    }
    return makeTransaction(isJoined, leave)
  }

  function makeTransaction(isJoined: boolean, leave: () => void): OpenTransaction {
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
      isJoined,
      run(query) {
        // Outside a transaction the statement would be a commit of its own.
        requireStanding()
        return guarded(() => writer.run(query))
      },
      async commit(onDurable) {
        requireStanding()
        if (isJoined) endSavepoint()
        isDone = true
        await untilDurable(onDurable)
      },
      async rollBack() {
        if (isDone) return
        isDone = true
        if (!database.isTransaction) return settle(endedByItself())
        if (!isJoined) return abandon(null)
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
    async end(last) {
      const leave = await queue.enter()
      if (isOpen) commitAll()
      last()
      leave()
    },
  }
}

const endedByItself = () => new Error('SQLite ended the transaction by itself')

/** Tries again while another process holds the lock, without blocking this one. */
async function patiently(attempt: () => void): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (attempts === BEGIN_ATTEMPTS) throw new DatabaseAway('Another process holds the database', { cause: error })
      await sleep(BEGIN_INTERVAL)
    }
  }
}
