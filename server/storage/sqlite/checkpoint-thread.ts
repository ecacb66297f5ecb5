import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CheckpointAnswer, CheckpointRequest } from './checkpoint-worker.ts'

/** Milliseconds after which an idle thread ends. */
const IDLE_TIME = 10_000

/** The limit for the JavaScript heap of the thread in MiB; it needs very little. */
const MEMORY_LIMIT = 16

const SCRIPT = new URL(`checkpoint-worker${extname(import.meta.url)}`, import.meta.url)

/** Checkpoints of the write-ahead log, in a thread. The first checkpoint starts the thread. */
export type CheckpointThread = {
  /**
   * Copies the log into the database and syncs the database. Pages that would change what a reader sees are not copied.
   * Throws the error of SQLite.
   */
  run(): Promise<void>
  close(): Promise<void>
}

/** Returns the thread for the database at `path`. One checkpoint runs at a time. */
export function openCheckpointThread(path: string): CheckpointThread {
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
