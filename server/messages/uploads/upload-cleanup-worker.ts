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

/** Seconds from the start to the first sweep, and between two. */
const FIRST_RUN_DELAY = 600
const RUN_INTERVAL = 86_400

/** Seconds that a file stays that no message links to: five weeks. */
const UNCLAIMED_LIFETIME = 35 * 86_400

type Parts = {
  storage: Storage
  files: FileStore
  /** Whether all files that the database does not know are what its own crashes have left. */
  ownsFiles: () => Promise<boolean>
  clock: Clock
  log: Log
}

/**
 * Deletes files that no message has linked to for five weeks, and what crashes have left of these, of pictures of people
 * and of emoji: bytes of which no row tells. Those are deleted when two sweeps have found them, as a file that is being
 * uploaded has no row yet.
 */
export function openUploadCleanupWorker({ storage, files, ownsFiles, clock, log }: Parts): { close(): Promise<void> } {
  const { db, transaction } = storage
  let suspects: ReadonlySet<string> = new Set()
  let underWay = Promise.resolve()
  let isClosed = false
  let cancel = clock.schedule(clock.now() + FIRST_RUN_DELAY, begin)

  function begin(): Promise<void> {
    underWay = (storage.isLeader() ? sweep() : Promise.resolve()).catch((error: unknown) =>
      log.error({ err: error }, 'Uploaded files could not be swept'),
    )
    return underWay.then(() => {
      if (!isClosed) cancel = clock.schedule(clock.now() + RUN_INTERVAL, begin)
    })
  }

  async function sweep(): Promise<void> {
    await transaction((tx) => saveUnclaimedAt(tx))
    for (;;) {
      const ended = await transaction(deleteUnclaimed)
      for (const attachment of ended) await deleteStoredFile(files, attachment)
      if (ended.length === 0 || isClosed) break
    }
    if (await ownsFiles()) suspects = await deleteOrphans()
    else log.warn({}, 'DATA_DIR holds the files of another database: what this one does not know stays there')
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
      await underWay
    },
  }
}

async function deleteUnclaimed(tx: Transaction): Promise<Attachment[]> {
  const before = tx.now - UNCLAIMED_LIFETIME
  const ids = (await findUnclaimedAttachments(tx.db, before)).map(({ id }) => id)
  await lockAttachments(tx, ids)
  // One of them may have been claimed before it was locked.
  const unclaimed = await findUnclaimedAttachments(tx.db, before)
  if (unclaimed.length === 0) return []
  await deleteAttachments(
    tx,
    unclaimed.map(({ id }) => id),
  )
  for (const own of Map.groupBy(unclaimed, ({ realmId }) => realmId).values()) await emitAttachmentsRemoved(tx, own)
  return unclaimed
}
