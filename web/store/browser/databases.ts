/** The names of databases begin with this; the user id follows. */
export const DATABASE_PREFIX = 'parley.'

/** Deletes the databases of the users whose id `matches` accepts. */
export async function deleteDatabases(matches: (userId: number) => boolean): Promise<void> {
  try {
    const names = (await indexedDB.databases()).flatMap(({ name }) => name ?? [])
    const gone = names.filter(
      (name) => name.startsWith(DATABASE_PREFIX) && matches(Number(name.slice(DATABASE_PREFIX.length))),
    )
    for (const name of gone) indexedDB.deleteDatabase(name)
  } catch {
    // Without storage there are no databases.
  }
}
