import { closeSync, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { openCheckpointThread } from './checkpoint-thread.ts'
import { isBusy } from './errors.ts'

/** Pages that commits add to the log before it is copied into the database: 16 MiB. A page that changes often is copied once. */
const CHECKPOINT_AFTER = 4000

/** Bytes to which the file is cut once a larger log has begun anew. */
const SIZE_LIMIT = 67_108_864

const sync = promisify(fdatasync)

export type WriteAheadLogOptions = {
  /** Pages in the log that make a checkpoint due. */
  checkpointAfter?: number
  /** Runs each sync of the log: tests hold it back here. */
  aroundSync?: (sync: () => Promise<void>) => Promise<void>
}

/** The write-ahead log of a database, whose every wait for the disk happens off the event loop. */
export type WriteAheadLog = {
  /** Resolves when all that was committed before is durable. To be called right after a commit. */
  sync(): Promise<void>
  /** Whether the last commit has made the log long. */
  isCheckpointDue(): boolean
  /** Copies the log into the database and begins it anew. No transaction may be open, and all must be durable. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

/**
 * Takes over the syncs and checkpoints of `database`, the connection that writes to the file at `path`. With
 * `synchronous=NORMAL` a commit writes to the log and does not wait for the disk. SQLite would sync in two more places:
 * the checkpoints, which run in a thread here, and the header of a log that begins anew, for which see `beginAnew`.
 */
export function openWriteAheadLog(database: DatabaseSync, path: string, options: WriteAheadLogOptions): WriteAheadLog {
  const { checkpointAfter = CHECKPOINT_AFTER, aroundSync = (run) => run() } = options
  database.exec(`
    pragma synchronous = normal;
    pragma wal_autocheckpoint = 0;
    pragma journal_size_limit = ${SIZE_LIMIT};
  `)
  const lookAtLog = database.prepare('pragma wal_checkpoint(noop)')
  const thread = openCheckpointThread(path)
  let dueAt = checkpointAfter
  let pages = 0
  let file: number | null = null

  /** How many pages are in the log, and in the database already. It cannot be asked while a transaction is open. */
  const findState = () => lookAtLog.get() as { log: number; checkpointed: number }

  function syncFile(): Promise<void> {
    // The file is there from the first commit until the last connection is closed.
    file ??= openSync(`${path}-wal`, 'r+')
    return sync(file)
  }

  /**
   * Begins a log anew that is wholly in the database, by a commit of one page. What SQLite's own sync of the new header
   * guards against is an old header before a mix of old and new pages. Here there is no mix: the header and the head of
   * the first page lie in one sector, so until they are durable the log is either empty, or the old one with nothing
   * in it that the database lacks; and no other page follows before they are. The file must not be cut before, either.
   */
  async function beginAnew(): Promise<void> {
    database.exec('pragma journal_size_limit = -1; pragma synchronous = off')
    try {
      database.exec('pragma user_version = 0')
    } catch (error) {
      // A command may write just now: then the log goes on, and begins anew after the next checkpoint.
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
      // Where it fails, or somebody reads an old state for long, the next one comes when the log has grown.
      dueAt = findState().log + checkpointAfter
      await thread.run()
      const { log, checkpointed } = findState()
      if (log === checkpointed) await beginAnew()
      dueAt = findState().log + checkpointAfter
    },
    async close() {
      await thread.close()
      if (file !== null) closeSync(file)
      file = null
    },
  }
}
