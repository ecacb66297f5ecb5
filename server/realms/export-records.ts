import type { Db, Transaction } from '#storage/storage.ts'

// The records of exports that administrators requested, and of the archives of users' own data. They are here, below the
// module that makes them, because the job that deletes unknown files must know which archives belong to an export.

/** The type of an archive of the requesting user's own data. Only that user sees and downloads it. */
export const OWN_DATA = 3

/** An export that a user requested. It is pending until it has finished or failed. */
export type DataExport = {
  id: number
  realmId: number
  /** The id of the user who requested the export. */
  actorId: number
  /** The type of the export, by its number in the API. */
  type: number
  /** The name of the archive in the folder of the organization. It contains a secret of 144 random bits. */
  file: string
  /** The size of the archive in bytes; null until the export has finished. */
  bytes: number | null
  /** The number of times that the server has started the export. */
  attempts: number
  requestedAt: number
  finishedAt: number | null
  failedAt: number | null
  deletedAt: number | null
}

/** Returns all exports of the organization, oldest first. Archives of users' own data are not among them. */
export function findDataExports(db: Db, realmId: number): Promise<DataExport[]> {
  return db
    .selectFrom('dataExports')
    .selectAll()
    .where('realmId', '=', realmId)
    .where('type', '!=', OWN_DATA)
    .orderBy('id')
    .execute()
}

/** Returns the archives of the user's own data, newest first. */
export function findOwnDataExports(db: Db, userId: number): Promise<DataExport[]> {
  return db
    .selectFrom('dataExports')
    .selectAll()
    .where('actorId', '=', userId)
    .where('type', '=', OWN_DATA)
    .orderBy('id', 'desc')
    .execute()
}

export async function findDataExport(db: Db, realmId: number, id: number): Promise<DataExport | null> {
  const row = await db
    .selectFrom('dataExports')
    .selectAll()
    .where('id', '=', id)
    .where('realmId', '=', realmId)
    .executeTakeFirst()
  return row ?? null
}

/** Returns the oldest pending export; null if there is none. */
export async function findPendingExport(db: Db): Promise<DataExport | null> {
  const row = await db
    .selectFrom('dataExports')
    .selectAll()
    .where('finishedAt', 'is', null)
    .where('failedAt', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

/** Returns the exports whose archives are stored, for all organizations, oldest first. */
export function findStoredExports(db: Db, limit?: number): Promise<DataExport[]> {
  const query = db
    .selectFrom('dataExports')
    .selectAll()
    .where('finishedAt', 'is not', null)
    .where('deletedAt', 'is', null)
    .orderBy('finishedAt')
    .orderBy('id')
  return (limit === undefined ? query : query.limit(limit)).execute()
}

/** Returns those of the file names that belong to an export whose archive is stored or is being created. */
export async function findKnownExportFiles(db: Db, files: readonly string[]): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set()
  const rows = await db
    .selectFrom('dataExports')
    .select('file')
    .where('file', 'in', files)
    .where('failedAt', 'is', null)
    .where('deletedAt', 'is', null)
    .execute()
  return new Set(rows.map(({ file }) => file))
}

export async function saveDataExport(
  tx: Transaction,
  given: Pick<DataExport, 'realmId' | 'actorId' | 'type' | 'file'>,
): Promise<DataExport> {
  return tx
    .insertInto('dataExports')
    .values({
      ...given,
      bytes: null,
      attempts: 0,
      requestedAt: tx.now,
      finishedAt: null,
      failedAt: null,
      deletedAt: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function saveDataExportFields(
  tx: Transaction,
  id: number,
  fields: Partial<Pick<DataExport, 'bytes' | 'attempts' | 'finishedAt' | 'failedAt' | 'deletedAt'>>,
): Promise<void> {
  await tx.updateTable('dataExports').set(fields).where('id', '=', id).execute()
}
