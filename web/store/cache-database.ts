import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { settingsVersion } from '../api/session.ts'
import { CACHE_PREFIX, storesPersonalData } from '../browser/personal-data.ts'
import type { QueuePosition } from './connection.ts'

/** The cache of a user. It is a separate database, which can be deleted at any time. */
type Schema = DBSchema & {
  /**
   * The entries by key. `head`, the unread messages and a few others have fixed keys. The keys of queries and of the
   * organization's properties begin with a prefix.
   */
  entries: { key: string; value: unknown }
}

export type CacheDatabase = IDBPDatabase<Schema>

/** The entry that describes all other entries. */
export type CacheHead = {
  /** The build of the client that wrote the cache, with the settings of the server. Others may use another format. */
  readonly build: string
  /** The page that wrote the cache. */
  readonly writer: string
  readonly position: QueuePosition
  readonly asOf: number
}

export const ENTRIES = 'entries'
export const HEAD = 'head'
export const UNREAD = 'unread'
export const DIRECT = 'direct'
export const MEMBER_PREFIX = 'organization.'
export const QUERY_PREFIX = 'query.'

const VERSION = 1

/**
 * Returns the names of the page's scripts, which identify the build, because they contain hashes, and the version of the
 * server's settings, whose changes no event announces.
 */
export const currentBuild = (): string => [...[...document.scripts].map(({ src }) => src), settingsVersion()].join(' ')

const flagOf = (userId: number) => `parley.cached.${userId}`

/** Returns true if the browser may have a cache of the user, without opening it. */
export function mayHaveCache(userId: number): boolean {
  try {
    return localStorage.getItem(flagOf(userId)) !== null
  } catch {
    return false
  }
}

export function noteCache(userId: number): void {
  try {
    if (storesPersonalData()) localStorage.setItem(flagOf(userId), 'true')
  } catch {
    // Without storage, pages load without a cache.
  }
}

/**
 * Opens the user's cache. Rejects if the browser stores nothing, or if its storage is damaged. Calls `onClosed` when
 * another tab deletes the cache.
 */
export const openCache = (userId: number, onClosed = () => {}): Promise<CacheDatabase> =>
  openDB<Schema>(CACHE_PREFIX + userId, VERSION, {
    upgrade(database) {
      for (const name of database.objectStoreNames) database.deleteObjectStore(name)
      database.createObjectStore(ENTRIES)
    },
    // Another tab is about to delete the database.
    blocking(_, __, { target }) {
      ;(target as IDBDatabase).close()
      onClosed()
    },
  })

/** Deletes the user's cache. The next page loads everything from the server. */
export function discardCache(userId: number): void {
  try {
    localStorage.removeItem(flagOf(userId))
    indexedDB.deleteDatabase(CACHE_PREFIX + userId)
  } catch {
    // Without storage there is no cache.
  }
}
