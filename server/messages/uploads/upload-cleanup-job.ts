import type { Job } from '#lib/jobs/job.ts'
import { openPeriodicTask } from '#lib/jobs/periodic-task.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { FileStore } from '#storage/files/files.ts'
import { backedUpFolders, DATA_EXPORTS, THUMBNAILS } from '#storage/files/folders.ts'
import type { Storage, Transaction } from '#storage/storage.ts'
import type { Attachment } from '../attachments/attachment.ts'
import { emitAttachmentsRemoved } from '../attachments/events.ts'
import {
  deleteAttachments,
  findUnclaimedAttachments,
  lockAttachments,
  saveUnclaimedAt,
} from '../attachments/queries.ts'
import { deleteStoredFile } from './stored-file.ts'
import { findUnknownFiles } from './unknown-files.ts'

/** Seconds until the first run, and seconds between two runs. */
const FIRST_RUN_DELAY = 600
const RUN_INTERVAL = 86_400

/** Seconds after which unclaimed files are deleted: five weeks. */
const UNCLAIMED_LIFETIME = 35 * 86_400

type Parts = {
  storage: Storage
  files: FileStore
  /**
   * Resolves to true if unknown files can only be leftovers of this database. It resolves to false if they may be files
   * of another one.
   */
  ownsFiles: () => Promise<boolean>
  clock: Clock
  log: Log
}

/**
 * Deletes files that no message has linked to for five weeks. It also deletes uploads, avatars, emoji and exports that
 * have no row, which crashes leave behind. It deletes them only if the previous run found them too, because a file that
 * is being uploaded has no row yet.
 */
export function openUploadCleanupJob({ storage, files, ownsFiles, clock, log }: Parts): Job {
  const { db, transaction } = storage
  let suspects: ReadonlySet<string> = new Set()
  let dueAt = clock.now() + FIRST_RUN_DELAY
  const { run, stop, isStopped, failingSince } = openPeriodicTask({
    clock,
    work: runWhenDue,
    isResponsible: storage.isLeader,
    onFailure: (error) => log.error({ err: error }, 'Failed to clean up uploaded files'),
  })

  async function runWhenDue(): Promise<number> {
    const wait = dueAt - clock.now()
    // A longer wait means that the clock was set back.
    if (wait > 0 && wait <= RUN_INTERVAL) return dueAt
    await cleanUp()
    dueAt = clock.now() + RUN_INTERVAL
    return dueAt
  }

  async function cleanUp(): Promise<void> {
    await transaction((tx) => saveUnclaimedAt(tx))
    for (;;) {
      const deleted = await transaction(deleteUnclaimed)
      for (const attachment of deleted) await deleteStoredFile(files, attachment)
      if (deleted.length === 0 || isStopped()) break
    }
    if (await ownsFiles()) suspects = await deleteOrphans()
    else log.warn({}, 'DATA_DIR contains files of another database. Unknown files are not deleted.')
  }

  async function deleteOrphans(): Promise<Set<string>> {
    const orphans = new Set<string>()
    for (const folder of [...backedUpFolders, DATA_EXPORTS, THUMBNAILS]) {
      for await (const { unknown } of findUnknownFiles(db, files, folder)) {
        if (isStopped()) break
        for (const name of unknown) orphans.add(name)
      }
    }
    for (const name of orphans) {
      if (!suspects.has(name)) continue
      await files.delete(name)
      orphans.delete(name)
    }
    return orphans
  }

  storage.onBecomeLeader(() => void run())
  void run()
  return { wake: () => void run(), settled: run, close: stop, failingSince }
}

async function deleteUnclaimed(tx: Transaction): Promise<Attachment[]> {
  const before = tx.now - UNCLAIMED_LIFETIME
  const ids = (await findUnclaimedAttachments(tx.db, before)).map(({ id }) => id)
  await lockAttachments(tx, ids)
  // A file may have been claimed before it was locked.
  const unclaimed = await findUnclaimedAttachments(tx.db, before)
  if (unclaimed.length === 0) return []
  await deleteAttachments(
    tx,
    unclaimed.map(({ id }) => id),
  )
  for (const files of Map.groupBy(unclaimed, ({ realmId }) => realmId).values()) await emitAttachmentsRemoved(tx, files)
  return unclaimed
}
