import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { OutgoingMessage } from '../outgoing/outgoing.ts'
import { DATABASE_PREFIX } from './databases.ts'
import { storesPersonalData } from './personal-data.ts'

/** The data that this browser keeps for a user. Each user has a separate IndexedDB database. */
type Schema = DBSchema & {
  /** Messages that the server has not confirmed yet, by their local id. */
  outgoing: { key: string; value: OutgoingMessage }
}

type Database = IDBPDatabase<Schema>

const VERSION = 1

const opened = new Map<number, Promise<Database | null>>()

/** Opens the user's database; resolves to null if the browser stores nothing. */
export function openDatabase(userId: number): Promise<Database | null> {
  const known = opened.get(userId) ?? open(userId)
  opened.set(userId, known)
  return known
}

async function open(userId: number): Promise<Database | null> {
  if (!storesPersonalData()) return null
  try {
    const database = await openDB<Schema>(DATABASE_PREFIX + userId, VERSION, {
      upgrade(created) {
        created.createObjectStore('outgoing', { keyPath: 'localId' })
      },
      // Another tab is about to delete or upgrade the database.
      blocking: (_, __, { target }) => (target as IDBDatabase).close(),
      terminated: () => void opened.delete(userId),
    })
    return database
  } catch {
    return null
  }
}

/** Runs work on the user's database; resolves to null if the browser stores nothing or the work fails. */
export async function withDatabase<Result>(
  userId: number,
  work: (database: Database) => Promise<Result>,
): Promise<Result | null> {
  const database = await openDatabase(userId)
  if (database === null || !storesPersonalData()) return null
  try {
    return await work(database)
  } catch {
    return null
  }
}
