import { findAvatarsInUse } from '#people/user-queries.ts'
import { findRealmEmoji } from '#realms/emoji.ts'
import { findKnownExportFiles } from '#realms/export-records.ts'
import { findRealm } from '#realms/queries.ts'
import { realmPictureFiles } from '#realms/realm.ts'
import {
  AVATARS,
  DATA_EXPORTS,
  EMOJI,
  type FileStore,
  REALM_PICTURES,
  THUMBNAILS,
  UNFINISHED_SUFFIX,
  UPLOADS,
} from '#storage/files.ts'
import type { Db } from '#storage/storage.ts'
import { findKnownPlaces } from '../attachments.ts'
import { storedPlaceOf } from '../files.ts'

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
