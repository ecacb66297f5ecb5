import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#lib/clock.ts'
import { OperatorError } from '#lib/errors.ts'
import { programVersion } from '#lib/process.ts'
import { backedUpFolders, type FileStore, filesInFolder, UNFINISHED_SUFFIX } from '#storage/files.ts'
import { FOLDER_ID } from '#storage/open-storage.ts'
import { describeDatabase, findDatabaseFaults } from './backup/database.ts'
import { AGE, type Encryption, idOfRecipients, type Transform } from './backup/encryption.ts'
import {
  findManifest,
  MANIFEST,
  MANIFEST_HASH,
  type Manifest,
  type StoredObject,
  saveManifest,
} from './backup/manifest.ts'
import { type Backup, DATABASE, findCheck, findSnapshots, MARK } from './backup-places.ts'

// Makes a backup: the database as of one moment, then all stored files, then the manifest, which completes it. Files
// are written before the database refers to them, and kept for weeks after the last link to them is gone, so that a
// backup has every file that its database names.

export type BackupSource = {
  /** Writes a copy of the database as of one moment to a new SQLite file. */
  copyDatabase: (path: string) => Promise<void>
  /** The size of the database in bytes. */
  databaseBytes: number
  files: FileStore
  /** The secret of the server; null if it has none yet. */
  secret: Buffer | null
  /** The path of the file with the secret; null if a setting contains it. */
  secretFile: string | null
}

export type BackupOptions = {
  /** The place and the folder of the new backup. */
  to: Backup
  /** A folder for the copy of the database, which the caller deletes. */
  work: string
  encryption: Encryption | null
  clock: Clock
  onProgress?: (files: number, all: number) => void
}

export type MadeBackup = {
  manifest: Manifest
  /** The number and size of the stored files of the installation. */
  files: number
  fileBytes: number
  databaseBytes: number
  /** The number of bytes that were written: files of earlier backups are not written again. */
  writtenBytes: number
}

/** Free bytes that must remain on the disk of the backups, which may be that of the server. */
const RESERVE = 64 * 1024 ** 2

/** The number of files that are copied at the same time: each waits for the disk at its end. */
const CONCURRENCY = 8

/**
 * Makes a backup. After a failure, it deletes its database, so that nothing looks like a backup. In a shared place, the
 * mark and the stored files remain, as after a crash, for the caller to delete.
 */
export async function makeBackup(source: BackupSource, options: BackupOptions): Promise<MadeBackup> {
  const { to, work, encryption, clock } = options
  const { store } = to.place
  const isShared = to.folder !== ''
  await requireSpace(options, { atPlace: source.databaseBytes, atWork: source.databaseBytes })
  const file = join(work, DATABASE)
  const createdAt = clock.now()
  await source.copyDatabase(file)
  const facts = describeDatabase(file)
  const isChecked = encryption !== null && encryption.decrypt === null
  const faults = isChecked ? findDatabaseFaults(file) : []
  if (faults.length > 0) throw new OperatorError(`The database is damaged: ${faults.join('; ')}`)

  await using cleanup = new AsyncDisposableStack()
  const written: StoredObject[] = []
  const suffix = encryption === null ? '' : AGE
  const encrypt: Transform = encryption?.encrypt ?? ((bytes) => bytes)
  // A store that is away now must not hide the reason of the failure.
  const deleteAfterFailure = (name: string) => cleanup.defer(() => store.delete(name).catch(() => {}))
  const save = async (name: string, bytes: AsyncIterable<Uint8Array>): Promise<string> => {
    deleteAfterFailure(name)
    written.push(await storeObject(store, name, bytes))
    return name
  }
  const filesFolder = !isShared
    ? ''
    : encryption === null
      ? 'files/'
      : `files-${idOfRecipients(encryption.recipients)}/`
  if (isShared) {
    await store.save(`${to.folder}${MARK}`, Buffer.from(`${filesFolder}\n`))
  }
  const database = await save(`${to.folder}${DATABASE}${suffix}`, encrypt(createReadStream(file)))
  const key = encryption?.key ? await save(`${to.folder}key.age`, streamOf(encryption.key)) : null
  const secret =
    encryption === null || source.secretFile === null || !existsSync(source.secretFile)
      ? null
      : await save(`${to.folder}secret${AGE}`, encrypt(createReadStream(source.secretFile)))
  const folderId = await source.files.read(FOLDER_ID)
  if (folderId !== null) await save(`${to.folder}${FOLDER_ID}`, streamOf(folderId))

  const stored = await storeFiles(source.files, { ...options, filesFolder, suffix, encrypt })
  const present = new Set(stored.objects.map(({ name }) => name))
  const manifest = {
    parley: programVersion,
    schema: facts.schema,
    created_at: createdAt,
    encryption: encryption?.kind ?? ('none' as const),
    recipients: [...(encryption?.recipients ?? [])],
    ...{ database, secret, key },
    files: filesFolder,
    is_checked: isChecked,
    tables: facts.tables,
    absent: facts.files.filter((name) => !present.has(`${filesFolder}${name}${suffix}`)),
    peak_messages_per_second: facts.peakMessagesPerSecond,
    secret_fingerprint: source.secret === null ? '' : fingerprintOf(source.secret),
    objects: [...written, ...stored.objects],
  }
  // A store that failed to answer may have it nevertheless. It is deleted first, so that nothing looks complete.
  for (const name of [MANIFEST_HASH, MANIFEST]) deleteAfterFailure(`${to.folder}${name}`)
  await saveManifest(store, to.folder, manifest)
  cleanup.move()
  if (isShared) await store.delete(`${to.folder}${MARK}`)
  const sizeOf = (objects: readonly StoredObject[]) => objects.reduce((sum, { bytes }) => sum + bytes, 0)
  return {
    manifest: { format: 1, ...manifest },
    files: stored.objects.length,
    fileBytes: sizeOf(stored.objects),
    databaseBytes: written[0]?.bytes ?? 0,
    writtenBytes: sizeOf(written) + stored.writtenBytes,
  }
}

/** Returns a short text that is the same for the same secret. The secret has 256 random bits, so it cannot be guessed. */
export const fingerprintOf = (secret: Buffer): string =>
  createHash('sha256').update('parley backup').update(secret).digest('hex').slice(0, 16)

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Refuses if the disk of the backups, or that of the working folder, lacks room. */
async function requireSpace({ to, work }: BackupOptions, bytes: { atPlace: number; atWork: number }): Promise<void> {
  // Both are on the same disk if the backups are in a folder.
  const needed = to.place.path === null ? bytes.atWork : bytes.atPlace + bytes.atWork
  const free = await filesInFolder(work).findFreeSpace()
  if (free === null || free >= needed + RESERVE) return
  const inMegabytes = (size: number) => Math.ceil(size / 1e6).toLocaleString('en-US')
  throw new OperatorError(
    `The disk of ${to.place.path ?? work} has ${inMegabytes(free)} MB of free space, and the backup needs ` +
      `${inMegabytes(needed + RESERVE)} MB. Free some, or keep fewer backups. Earlier backups are unchanged.`,
  )
}

/** Stores a file and returns its size and hash. */
async function storeObject(store: FileStore, name: string, source: AsyncIterable<Uint8Array>): Promise<StoredObject> {
  const writer = await store.create(name)
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const piece of source) {
      hash.update(piece)
      bytes += piece.length
      await writer.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    }
  } catch (error) {
    await writer.abandon()
    throw error
  }
  await writer.finish()
  return { name, bytes, sha256: hash.digest('hex') }
}

type StoreFilesOptions = BackupOptions & { filesFolder: string; suffix: string; encrypt: Transform }

/** Stores the files that earlier backups have not stored. The bytes under a name never change. */
async function storeFiles(
  from: FileStore,
  options: StoreFilesOptions,
): Promise<{ objects: StoredObject[]; writtenBytes: number }> {
  const { to, filesFolder, suffix, encrypt, onProgress } = options
  const { store } = to.place
  const usable = await findUsableObjects(options)
  const names = (await Promise.all(backedUpFolders.map((folder) => findNames(from, folder))))
    .flat()
    .filter((name) => !name.endsWith(UNFINISHED_SUFFIX))
  const missing = names.filter((name) => !usable.has(`${filesFolder}${name}${suffix}`))
  const sizes = await inParallel(missing, (name) => from.findSize(name))
  await requireSpace(options, { atPlace: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0), atWork: 0 })

  let done = names.length - missing.length
  const stored = await inParallel(missing, async (name, at) => {
    const size = sizes[at]
    if (size === null || size === undefined) return null
    try {
      return await storeObject(
        store,
        `${filesFolder}${name}${suffix}`,
        encrypt(from.stream(name, { start: 0, end: size })),
      )
    } catch (error) {
      // It was deleted meanwhile.
      if ((await from.findSize(name)) === null) return null
      throw error
    } finally {
      onProgress?.(++done, names.length)
    }
  })
  const isNew = new Set(missing)
  const objects = names.flatMap((name) => (isNew.has(name) ? [] : (usable.get(`${filesFolder}${name}${suffix}`) ?? [])))
  const written = stored.filter((object) => object !== null)
  return { objects: [...objects, ...written], writtenBytes: written.reduce((sum, { bytes }) => sum + bytes, 0) }
}

/** Returns the stored files of the newest backup that are still there and that its check did not find damaged. */
async function findUsableObjects({ to, filesFolder }: StoreFilesOptions): Promise<Map<string, StoredObject>> {
  if (filesFolder === '') return new Map()
  const present = new Set(await findNames(to.place.store, filesFolder.slice(0, -1)))
  for (const snapshot of (await findSnapshots(to.place)).reverse()) {
    const manifest = snapshot.isComplete ? await findManifest(to.place.store, snapshot.folder).catch(() => null) : null
    if (manifest?.files !== filesFolder) continue
    const damaged = new Set((await findCheck(snapshot))?.faults.map(({ name }) => name))
    return new Map(
      manifest.objects
        .filter(({ name }) => name.startsWith(filesFolder) && present.has(name) && !damaged.has(name))
        .map((object) => [object.name, object]),
    )
  }
  return new Map()
}

/** Returns the names of all files under the folder. */
export async function findNames(store: FileStore, folder: string): Promise<string[]> {
  const names: string[] = []
  for await (const name of store.list(folder)) names.push(name)
  return names
}

/** Calls `work` for each item, several at a time. After a failure, no further items are begun. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  let hasFailed = false
  const workOn = async () => {
    for (const [at, item] of left) {
      if (hasFailed) return
      try {
        results[at] = await work(item, at)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  const running = Array.from({ length: CONCURRENCY }, workOn)
  await Promise.allSettled(running)
  await Promise.all(running)
  return results
}
