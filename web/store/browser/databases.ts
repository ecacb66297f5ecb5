/** The prefixes of the names of databases with a user's data. The user id follows the prefix. */
export const DATABASE_PREFIX = 'parley.'
export const CACHE_PREFIX = 'parley-cache.'

/** Deletes the databases of the users whose id `matches` accepts. */
export async function deleteDatabases(matches: (userId: number) => boolean): Promise<void> {
  try {
    for (const { name = '' } of await indexedDB.databases()) {
      const prefix = [DATABASE_PREFIX, CACHE_PREFIX].find((one) => name.startsWith(one))
      if (prefix !== undefined && matches(Number(name.slice(prefix.length)))) indexedDB.deleteDatabase(name)
    }
  } catch {
    // Without storage there are no databases.
  }
}
