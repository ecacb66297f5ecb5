import { closeSync, fdatasync, openSync } from 'node:fs'
import { extname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Meter } from '#lib/meter.ts'
import type { CheckpointAnswer, CheckpointRequest } from './checkpoint-worker.ts'
import { isBusy } from './errors.ts'

/** Milliseconds after which an idle thread ends. */
const IDLE_TIME = 10_000

/** The limit for the JavaScript heap of the thread in MiB; it needs very little. */
const MEMORY_LIMIT = 16

const SCRIPT = new URL(`checkpoint-worker${extname(import.meta.url)}`, import.meta.url)

/** Checkpoints of the write-ahead log, in a thread. The first checkpoint starts the thread. */
type CheckpointThread = {
  /**
   * Copies the log into the database and syncs the database. Pages that would change what a reader sees are not copied.
   * Throws the error of SQLite.
   */
  run(): Promise<void>
  close(): Promise<void>
}

/** Returns the thread for the database at `path`. One checkpoint runs at a time. */
function openCheckpointThread(path: string): CheckpointThread {
  let thread: Worker | null = null
  let idleTimer: NodeJS.Timeout | undefined

  function start(): Worker {
    const started = new Worker(SCRIPT, {
      workerData: path,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT, maxYoungGenerationSizeMb: 2 },
    })
    started.once('exit', () => {
      if (thread === started) thread = null
    })
    // Pending requests receive the error, and otherwise it can be ignored.
    started.on('error', () => undefined)
    return started
  }

  async function close(): Promise<void> {
    clearTimeout(idleTimer)
    const ended = thread
    thread = null
    if (ended === null) return
    const exit = new Promise((resolve) => ended.once('exit', resolve))
    ended.ref()
    ended.postMessage('close' satisfies CheckpointRequest)
    await exit
  }

  return {
    async run() {
      clearTimeout(idleTimer)
      thread ??= start()
      thread.ref()
      const { message, errcode } = await ask(thread)
      thread?.unref()
      idleTimer = setTimeout(() => void close(), IDLE_TIME).unref()
      if (message !== undefined) throw Object.assign(new Error(message), errcode === undefined ? {} : { errcode })
    },
    close,
  }
}

function ask(thread: Worker): Promise<CheckpointAnswer> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      thread.off('message', answer).off('error', fail).off('exit', leave)
      settle()
    }
    const answer = (given: CheckpointAnswer) => end(() => resolve(given))
    const fail = (error: unknown) => end(() => reject(error))
    const leave = () => end(() => reject(new Error('The checkpoint thread ended')))
    thread.on('message', answer).on('error', fail).on('exit', leave)
    thread.postMessage('run' satisfies CheckpointRequest)
  })
}

/**
 * The number of pages that commits add to the log before it is copied into the database: 16 MiB. A page that changes
 * often is copied once.
 */
const CHECKPOINT_AFTER = 4000

/** The size in bytes to which the file is truncated after a larger log has restarted. */
const SIZE_LIMIT = 67_108_864

const sync = promisify(fdatasync)

export type WriteAheadLogOptions = {
  /** The number of pages in the log that makes a checkpoint due. */
  checkpointAfter?: number
  /** Wraps each sync of the log, so that tests can delay it. */
  aroundSync?: (sync: () => Promise<void>) => Promise<void>
  /** Receives reports about checkpoints. If omitted, nothing is measured. */
  meter?: Meter | undefined
  /** Opens the thread that checkpoints, so that tests can let it fail. */
  openThread?: (path: string) => CheckpointThread
}

/** The write-ahead log of a database. All waits for the disk happen off the event loop. */
export type WriteAheadLog = {
  /** Resolves when all earlier commits are durable. It must be called right after a commit. */
  sync(): Promise<void>
  /** Returns true if, as of the last sync, the log was long enough for a checkpoint. */
  isCheckpointDue(): boolean
  /** Copies the log into the database and restarts it. No transaction may be open, and all commits must be durable. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/**
 * Takes over the syncs and checkpoints of `database`, the connection that writes to the file at `path`. With
 * `synchronous=NORMAL` a commit writes to the log without waiting for the disk. SQLite would sync in two more cases.
 * Checkpoints run in a thread instead, and `restartLog` handles the header of a restarted log.
 */
export function openWriteAheadLog(database: DatabaseSync, path: string, options: WriteAheadLogOptions): WriteAheadLog {
  const {
    checkpointAfter = CHECKPOINT_AFTER,
    aroundSync = (run) => run(),
    openThread = openCheckpointThread,
    meter,
  } = options
  database.exec(`
    pragma synchronous = normal;
    pragma wal_autocheckpoint = 0;
    pragma journal_size_limit = ${SIZE_LIMIT};
  `)
  const lookAtLog = database.prepare('pragma wal_checkpoint(noop)')
  const thread = openThread(path)
  let dueAt = checkpointAfter
  let pages = 0
  let file: number | null = null

  /**
   * Returns the number of pages in the log, and of those that are also in the database. It cannot be called during a
   * transaction.
   */
  const findState = () => lookAtLog.get() as { log: number; checkpointed: number }

  function syncFile(): Promise<void> {
    // The file exists from the first commit until the last connection is closed.
    file ??= openSync(`${path}-wal`, 'r+')
    return sync(file)
  }

  /**
   * Restarts a log that is completely in the database, by a commit of one page. SQLite would sync the new header first,
   * so that an old header never precedes a mix of old and new pages. Such a mix cannot occur here, because the header
   * and the start of the first page are in one sector. Until that sector is durable, the log is either empty or the old
   * log, whose content the database already has. No other page is written before that, and the file must not be
   * truncated before that, either.
   */
  async function restartLog(): Promise<void> {
    database.exec('pragma journal_size_limit = -1; pragma synchronous = off')
    try {
      database.exec('pragma user_version = 0')
    } catch (error) {
      // If a command is writing at this moment, the log continues, and restarts after the next checkpoint.
      if (!isBusy(error)) throw error
    } finally {
      database.exec('pragma synchronous = normal')
    }
    await aroundSync(syncFile)
    database.exec(`pragma journal_size_limit = ${SIZE_LIMIT}`)
  }

  return {
    sync() {
      pages = findState().log
      return aroundSync(syncFile)
    },
    isCheckpointDue: () => pages >= dueAt,
    async checkpoint() {
      // If the checkpoint fails, or a reader keeps an old state for long, the next one runs when the log has grown.
      dueAt = findState().log + checkpointAfter
      const startedAt = performance.now()
      let hasFailed = true
      try {
        await thread.run()
        const { log, checkpointed } = findState()
        if (log === checkpointed) await restartLog()
        hasFailed = false
      } finally {
        meter?.checkpointEnded((performance.now() - startedAt) / 1000, hasFailed)
      }
      dueAt = findState().log + checkpointAfter
    },
    async close() {
      await thread.close()
      if (file !== null) closeSync(file)
      file = null
    },
  }
}
