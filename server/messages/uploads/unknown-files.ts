import { findAvatarsInUse } from '#people/users/queries.ts'
import { findRealmEmoji } from '#realms/emoji-queries.ts'
import { findKnownExportFiles } from '#realms/export-queries.ts'
import { realmPictureFiles } from '#realms/picture-files.ts'
import { findRealm } from '#realms/queries.ts'
import { type FileStore, UNFINISHED_SUFFIX } from '#storage/files/files.ts'
import {
  AVATARS,
  backedUpFolders,
  DATA_EXPORTS,
  EMOJI,
  REALM_PICTURES,
  THUMBNAILS,
  UPLOADS,
} from '#storage/files/folders.ts'
import type { Db } from '#storage/storage.ts'
import { findKnownPlaces } from '../attachments/queries.ts'
import { storedPlaceOf } from './stored-file.ts'

type IsKnown = (name: string) => boolean

/** For each folder, a function that finds out which file names the database knows. */
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
  async [DATA_EXPORTS](db, names) {
    const fileOf = (name: string) => /^exports\/\d+\/([\w-]+)\.tar\.gz$/.exec(name)?.[1] ?? ''
    const known = await findKnownExportFiles(db, names.map(fileOf))
    return (name) => known.has(fileOf(name))
  },
  async [REALM_PICTURES](db, names) {
    const realmIds = new Set(names.flatMap((name) => /^organizations\/(\d{1,15})\//.exec(name)?.[1] ?? []))
    const realms = await Promise.all(Array.from(realmIds, (id) => findRealm(db, Number(id))))
    const known = new Set(realms.flatMap((realm) => (realm === null ? [] : realmPictureFiles(realm))))
    return (name) => known.has(name)
  },
}

async function knownByPlace(db: Db, names: readonly string[]): Promise<IsKnown> {
  const known = await findKnownPlaces(db, names.map(storedPlaceOf))
  return (name) => known.has(storedPlaceOf(name))
}

/** Returns the `avatarFile` value of the user for a stored avatar of any size. */
const avatarOf = (name: string) => name.slice(`${AVATARS}/`.length).replace(/-medium\.png$/, '.png')

/** The maximum number of files per lookup. */
const BATCH = 500

/**
 * Yields the file names of the folder in batches. `unknown` holds the names of the batch that the database does not
 * know.
 */
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

/** Returns true if a folder contains files and the database knows none of them. */
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
