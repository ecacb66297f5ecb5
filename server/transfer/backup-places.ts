import { accessSync, constants, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Settings } from '#config.ts'
import { explainError, OperatorError } from '#lib/errors.ts'
import { isS3Url, withoutKeys } from '#lib/s3-url.ts'
import { type FileStore, filesInFolder } from '#storage/files.ts'
import { openFilesAt } from '#storage/open-files.ts'
import { findManifest, MANIFEST, MANIFEST_HASH, type Manifest } from './backup/manifest.ts'

// The places of backups. A backup that an operator makes at a path is a folder with everything in it. Scheduled ones
// share a place: `snapshots/TIME/` has the database and the manifest of each, and `files/` has every stored file once,
// for all of them. That costs little for each backup, also in stores that know no hard links.

/** A folder or bucket that contains the backups of an installation. */
export type BackupPlace = {
  store: FileStore
  /** The name for messages. */
  name: string
  /** The path of the folder; null for other stores. */
  path: string | null
}

/** A complete or unfinished backup. */
export type Backup = {
  place: BackupPlace
  /** The start of the names of its own files in the store: empty, or `snapshots/TIME/`. */
  folder: string
}

const SNAPSHOTS = 'snapshots'

/** Opens a folder, or a bucket in S3, with the keys of the settings. */
export async function openPlace(target: string, settings: Settings): Promise<BackupPlace> {
  if (isS3Url(target)) return { store: await openFilesAt(target, settings), name: withoutKeys(target), path: null }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(target))
    throw new OperatorError(`Backups are in a folder or at an s3:// address, not at ${new URL(target).protocol}//`)
  const path = resolve(target)
  return { store: filesInFolder(path), name: path, path }
}

/** Returns the folder of the backup that is made at the time. */
export const snapshotAt = (time: number): string =>
  `${SNAPSHOTS}/${new Date(Math.floor(time) * 1000).toISOString().replace('.000Z', 'Z').replaceAll(':', '-')}/`

const SNAPSHOT = /^snapshots\/(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\/(.*)$/

/** The result of the last check of a backup, in a file beside its manifest. */
export type Check = {
  checked_at: number
  /** True if the database was restored to a temporary place. */
  is_restored: boolean
  /** True if there were no faults. A backup without a key here counts if its database was checked before encryption. */
  is_verified: boolean
  faults: { name: string; problem: string }[]
}

export const CHECK = 'check.json'

/** The file that marks a backup as being made, with the folder of its stored files. It is deleted when the manifest is there. */
export const MARK = 'unfinished'

/** The files of a backup that the manifest does not list. */
export const UNLISTED: readonly string[] = [MANIFEST, MANIFEST_HASH, CHECK, MARK]

export type Snapshot = Backup & {
  createdAt: number
  /** False if the backup is being made, or was interrupted. */
  isComplete: boolean
  names: string[]
}

/** Returns the backups of the place, oldest first. */
export async function findSnapshots(place: BackupPlace): Promise<Snapshot[]> {
  const byFolder = new Map<string, Snapshot>()
  for await (const name of place.store.list(SNAPSHOTS)) {
    const [, day, hours, minutes, seconds, file] = SNAPSHOT.exec(name) ?? []
    if (file === undefined) continue
    const folder = name.slice(0, -file.length)
    const createdAt = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) / 1000
    const snapshot = byFolder.get(folder) ?? { place, folder, createdAt, isComplete: false, names: [] }
    snapshot.names.push(name)
    if (file === MANIFEST) snapshot.isComplete = true
    byFolder.set(folder, snapshot)
  }
  return [...byFolder.values()].sort((one, other) => one.createdAt - other.createdAt)
}

/** Returns the result of the last check; null if there was none, or if it cannot be read. */
export async function findCheck({ place, folder }: Backup): Promise<Check | null> {
  const bytes = await place.store.read(`${folder}${CHECK}`)
  try {
    return bytes === null ? null : (JSON.parse(bytes.toString()) as Check)
  } catch {
    return null
  }
}

/** Returns whether the last check found damage. */
export const isDamaged = (check: Check | null): boolean => check !== null && check.faults.length > 0

/** Deletes the files of a backup that no other one uses; first its manifest, so that it is never taken for complete. */
export async function deleteSnapshot({ place, folder, names }: Snapshot): Promise<void> {
  await place.store.delete(`${folder}${MANIFEST}`)
  for (const name of names) await place.store.delete(name)
  if (place.path !== null) await rm(join(place.path, folder), { recursive: true, force: true })
}

/** The name of the database in every backup, before the suffix of encrypted files. */
export const DATABASE = 'parley.db'

/**
 * Returns the backup that the operator names: by its folder, by its place, of which the newest is taken, or by its time in
 * BACKUP_DIR. Refuses everything else.
 */
export async function locateBackup(given: string | null, settings: Settings): Promise<Backup & { manifest: Manifest }> {
  const { BACKUP_DIR } = settings
  if (given === null && BACKUP_DIR === '')
    throw new OperatorError('BACKUP_DIR is not set. Name a backup, such as /backups/before-upgrade.')
  const target = given ?? BACKUP_DIR
  const backup = (await findNamed(target, settings)) ?? (BACKUP_DIR === '' ? null : await findByTime(target, settings))
  const manifest = backup === null ? null : await findManifest(backup.place.store, backup.folder)
  if (backup === null || manifest === null) throw new OperatorError(whyNone(target))
  return { ...backup, manifest }
}

async function findNamed(target: string, settings: Settings): Promise<Backup | null> {
  if (isS3Url(target)) {
    const [, place = '', snapshot = '', query = ''] = /^([^?]*?)(\/snapshots\/[^/?]+)?\/?(\?.*)?$/s.exec(target) ?? []
    const opened = await openPlace(`${place}${query}`, settings)
    return snapshot === '' ? findNewest(opened) : { place: opened, folder: `${snapshot.slice(1)}/` }
  }
  const path = resolve(target)
  if (existsSync(join(path, MANIFEST)) || existsSync(join(path, MANIFEST_HASH))) {
    if (basename(dirname(path)) !== SNAPSHOTS) return { place: await openPlace(path, settings), folder: '' }
    return { place: await openPlace(dirname(dirname(path)), settings), folder: `${SNAPSHOTS}/${basename(path)}/` }
  }
  return existsSync(join(path, SNAPSHOTS)) ? findNewest(await openPlace(path, settings)) : null
}

async function findNewest(place: BackupPlace): Promise<Backup> {
  const newest = (await findSnapshots(place)).findLast(({ isComplete }) => isComplete)
  if (newest === undefined) throw new OperatorError(`There is no complete backup in ${place.name}.`)
  return newest
}

async function findByTime(time: string, settings: Settings): Promise<Backup | null> {
  const snapshots = await findSnapshots(await openPlace(settings.BACKUP_DIR, settings))
  return snapshots.find(({ folder, isComplete }) => folder === `${SNAPSHOTS}/${time}/` && isComplete) ?? null
}

function whyNone(target: string): string {
  if (isS3Url(target) || !existsSync(target)) return `There is no backup at ${withoutKeys(target)}.`
  try {
    accessSync(target, constants.R_OK | constants.X_OK)
  } catch (error) {
    return `${target} cannot be read: ${explainError(error) ?? (error as Error).message}.`
  }
  return existsSync(join(target, DATABASE)) || existsSync(join(target, MARK))
    ? `${target} has no ${MANIFEST}: it is unfinished, or of a version of Parley that made none.`
    : `${target} is not a backup.`
}
