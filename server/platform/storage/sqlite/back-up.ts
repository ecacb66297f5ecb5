import { open } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { CannotOpenStorage } from '../engine.ts'
import { explainFault } from './errors.ts'

/** All pages at once: between two steps a server that writes would have the backup begin anew. */
const EVERY_PAGE = 2 ** 31 - 1

/** Copies a database that may be served meanwhile to a new file, as it is at one moment; checked, and on the disk. */
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
