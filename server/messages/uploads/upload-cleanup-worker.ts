import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { FileStore } from '../../platform/storage/files/files.ts'
import { backedUpFolders, THUMBNAILS } from '../../platform/storage/files/folders.ts'
import type { Storage, Transaction } from '../../platform/storage/storage.ts'
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

/** Seconds until the first run and between two runs. */
const FIRST_RUN_DELAY = 600
const RUN_INTERVAL = 86_400

/** The lifetime of unclaimed files: five weeks in seconds. */
const UNCLAIMED_LIFETIME = 35 * 86_400

type Parts = {
  storage: Storage
  files: FileStore
  /** Resolves to true if unknown files can only be leftovers of this database and not files of another one. */
  ownsFiles: () => Promise<boolean>
  clock: Clock
  log: Log
}

/**
 * Deletes files that no message has linked to for five weeks. It also deletes uploads, avatars and emoji without a row,
 * which crashes leave behind, if two runs have found them. A file that is being uploaded has no row yet.
 */
export function openUploadCleanupWorker({ storage, files, ownsFiles, clock, log }: Parts): { close(): Promise<void> } {
  const { db, transaction } = storage
  let suspects: ReadonlySet<string> = new Set()
  let currentRun = Promise.resolve()
  let isClosed = false
  let cancel = clock.schedule(clock.now() + FIRST_RUN_DELAY, begin)

  function begin(): Promise<void> {
    currentRun = (storage.isLeader() ? cleanUp() : Promise.resolve()).catch((error: unknown) =>
      log.error({ err: error }, 'Failed to clean up uploaded files'),
    )
    return currentRun.then(() => {
      if (!isClosed) cancel = clock.schedule(clock.now() + RUN_INTERVAL, begin)
    })
  }

  async function cleanUp(): Promise<void> {
    await transaction((tx) => saveUnclaimedAt(tx))
    for (;;) {
      const deleted = await transaction(deleteUnclaimed)
      for (const attachment of deleted) await deleteStoredFile(files, attachment)
      if (deleted.length === 0 || isClosed) break
    }
    if (await ownsFiles()) suspects = await deleteOrphans()
    else log.warn({}, 'DATA_DIR contains files of another database. Unknown files are not deleted.')
  }

  async function deleteOrphans(): Promise<Set<string>> {
    const orphans = new Set<string>()
    for (const folder of [...backedUpFolders, THUMBNAILS]) {
      for await (const { unknown } of findUnknownFiles(db, files, folder)) {
        if (isClosed) break
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

  return {
    async close() {
      isClosed = true
      cancel()
      await currentRun
    },
  }
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
