import { findRealmEmoji } from '../../organizations/realms/emoji-queries.ts'
import { findAvatarsInUse } from '../../people/users/queries.ts'
import { type FileStore, UNFINISHED_SUFFIX } from '../../platform/storage/files/files.ts'
import { AVATARS, backedUpFolders, EMOJI, THUMBNAILS, UPLOADS } from '../../platform/storage/files/folders.ts'
import type { Db } from '../../platform/storage/storage.ts'
import { findKnownPlaces } from '../attachments/queries.ts'
import { storedPlaceOf } from './stored-file.ts'

type IsKnown = (name: string) => boolean

/** For each folder, which of some names in it the database tells of. */
const knownIn: Readonly<Record<string, (db: Db, names: readonly string[]) => Promise<IsKnown>>> = {
  [UPLOADS]: knownByPlace,
  [THUMBNAILS]: knownByPlace,
  async [AVATARS](db, names) {
    const known = await findAvatarsInUse(db, names.map(avatarOf))
    return (name) => known.has(avatarOf(name))
  },
  async [EMOJI](db, names) {
    const realmIds = new Set(names.flatMap((name) => /^emoji\/(\d{1,15})\//.exec(name)?.[1] ?? []))
    const emoji = await Promise.all(Array.from(realmIds, (id) => findRealmEmoji(db, Number(id))))
    const known = new Set(
      emoji
        .flat()
        .flatMap(({ realmId, fileName, stillFileName }) => [
          `${EMOJI}/${realmId}/${fileName}`,
          `${EMOJI}/${realmId}/${stillFileName}`,
        ]),
    )
    return (name) => known.has(name)
  },
}

async function knownByPlace(db: Db, names: readonly string[]): Promise<IsKnown> {
  const known = await findKnownPlaces(db, names.map(storedPlaceOf))
  return (name) => known.has(storedPlaceOf(name))
}

/** What the account has as its `avatarFile` that is shown by this file, be it small or large. */
const avatarOf = (name: string) => name.slice(`${AVATARS}/`.length).replace(/-medium\.png$/, '.png')

/** How many files are looked up at a time. */
const BATCH = 500

/** The names of the files in the folder, some at a time, and those among them of which the database does not tell. */
export async function* findUnknownFiles(
  db: Db,
  files: FileStore,
  folder: string,
): AsyncGenerator<{ names: readonly string[]; unknown: readonly string[] }> {
  for await (const names of inBatches(files.list(folder))) {
    const isKnown = await knownIn[folder]!(db, names)
    yield { names, unknown: names.filter((name) => name.endsWith(UNFINISHED_SUFFIX) || !isKnown(name)) }
  }
}

/** Whether files lie in one of the folders, and the database knows none of them. */
export async function hasForeignFiles(db: Db, files: FileStore): Promise<boolean> {
  for (const folder of backedUpFolders) {
    let [isEmpty, isKnown] = [true, false]
    for await (const { names, unknown } of findUnknownFiles(db, files, folder)) {
      isEmpty = false
      isKnown = unknown.length < names.length
      if (isKnown) break
    }
    if (!isEmpty && !isKnown) return true
  }
  return false
}

async function* inBatches(names: AsyncIterable<string>): AsyncGenerator<string[]> {
  let batch: string[] = []
  for await (const name of names) {
    batch.push(name)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
