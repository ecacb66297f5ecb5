import { stat } from 'node:fs/promises'
import { refusal } from '#lib/errors/refusal.ts'
import { findSpaceUsed } from '#messages/attachments/queries.ts'
import type { FileStore } from '#storage/files/files.ts'
import { isPostgresUrl } from '#storage/open-storage.ts'
import type { Db } from '#storage/storage.ts'

export const tooLittleSpace = refusal(
  'BAD_REQUEST',
  400,
  'The server does not have enough free disk space for an export. Ask its operator to free some.',
)

/** The free bytes that must remain for the server itself. */
export const RESERVE = 256 * 1024 ** 2

/** Refuses if the disk has no room for a copy of the database, copies of the files, and the archive. */
export async function requireFreeSpace(db: Db, files: FileStore, realmId: number): Promise<void> {
  const free = await files.findFreeSpace()
  if (free === null) return
  const needed = 3 * (await findSpaceUsed(db, realmId)) + 2 * (await databaseSize(db.settings.DATABASE_URL)) + RESERVE
  if (free < needed) throw tooLittleSpace()
}

/** Returns the size of a SQLite file in bytes, and 0 for other databases, which are not copied. */
async function databaseSize(url: string): Promise<number> {
  if (isPostgresUrl(url) || url === 'memory') return 0
  return (await stat(url)).size
}
