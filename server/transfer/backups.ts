import { useDatabaseFile } from '#storage/copy.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The times of the newest backups, for all who warn when they are too old: metrics, the health page and
// `parley doctor`. They are rows of the database, so that every node can read them, wherever the backups are.

/** Times are in UNIX seconds, and null if there was no such backup. */
export type BackupState = {
  /** True if the server makes backups by itself. */
  isScheduled: boolean
  /** The time of the newest complete backup. */
  lastBackupAt: number | null
  /** The time of the newest backup that was read in full and restored to a temporary place without a fault. */
  lastVerifiedAt: number | null
  /** The time of the newest backup, if its last verification found damage. */
  damagedAt: number | null
}

/** The rows of `installation` with these times. */
const ROWS = {
  lastBackupAt: 'last backup',
  lastVerifiedAt: 'last verified backup',
  damagedAt: 'damaged backup',
} as const

/** 0 deletes a time. */
type BackupTimes = { [Name in keyof typeof ROWS]?: number }

/** Returns the times of the newest backups. Reads three rows. */
export async function findBackupState(db: Db): Promise<BackupState> {
  const rows = await db
    .selectFrom('installation')
    .select(['name', 'value'])
    .where('name', 'in', Object.values(ROWS))
    .execute()
  const timeOf = (name: string) => {
    const row = rows.find((row) => row.name === name)
    return Number(row?.value ?? 0) || null
  }
  return {
    isScheduled: db.settings.BACKUP_DIR !== '',
    lastBackupAt: timeOf(ROWS.lastBackupAt),
    lastVerifiedAt: timeOf(ROWS.lastVerifiedAt),
    damagedAt: timeOf(ROWS.damagedAt),
  }
}

/** Saves the given times. */
export async function saveBackupTimes(tx: Transaction, times: BackupTimes): Promise<void> {
  for (const { name, value } of toRows(times))
    await tx
      .insertInto('installation')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
}

/** Saves the given times in a SQLite file that may be of an older version. A server may be running on it. */
export function saveBackupTimesInFile(path: string, times: BackupTimes): void {
  useDatabaseFile(path, (query) => {
    for (const { name, value } of toRows(times))
      query(
        'insert into "installation" ("name", "value") values (?, ?) on conflict ("name") do update set "value" = excluded."value"',
        ...[name, value],
      )
  })
}

/** Returns the time of the newest complete backup of a SQLite file. */
export const findLastBackupInFile = (path: string): number | null =>
  useDatabaseFile(path, (query) => {
    const [row] = query<{ value: string }>('select "value" from "installation" where "name" = ?', ROWS.lastBackupAt)
    return row === undefined ? null : Number(row.value)
  })

const toRows = (times: BackupTimes): { name: string; value: string }[] =>
  Object.entries(times).map(([name, time]) => ({ name: ROWS[name as keyof BackupTimes], value: String(time) }))
