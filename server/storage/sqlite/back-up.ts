import { open } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { CannotOpenStorage } from '../engine.ts'
import { explainFault } from './errors.ts'

/** Copies all pages in one step: if the server wrote between two steps, the backup would start again. */
const EVERY_PAGE = 2 ** 31 - 1

/**
 * Copies a database to a new file as of one moment, even while it is being served. The copy is checked and synced to
 * disk.
 */
export async function backUpSqlite(from: string, to: string): Promise<void> {
  await copyPages(from, to)
  requireIntact(to)
  await using file = await open(to, 'r+')
  await file.sync()
}

async function copyPages(from: string, to: string): Promise<void> {
  try {
    using source = new DatabaseSync(from, { readOnly: true, timeout: 5000 })
    await backup(source, to, { rate: EVERY_PAGE })
  } catch (error) {
    throw explainFault(`The database ${from} cannot be copied to ${to}`, error)
  }
}

function requireIntact(path: string): void {
  using database = new DatabaseSync(path)
  const faults = database.prepare('pragma quick_check').all().flatMap(Object.values)
  if (faults.join() !== 'ok')
    throw new CannotOpenStorage(`The copy of the database is damaged: ${faults.slice(0, 5).join('; ')}`)
}
