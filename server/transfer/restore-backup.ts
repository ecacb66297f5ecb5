import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { isPostgresUrl, type Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { OperatorError } from '#lib/errors.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { takeSqliteLock, useDatabaseFile } from '#storage/copy.ts'
import {
  backedUpFolders,
  DATA_EXPORTS,
  EXTERNAL_CONTENT,
  type FileStore,
  filesInFolder,
  THUMBNAILS,
} from '#storage/files.ts'
import { FOLDER_ID, findServerSecret, SECRET_FILE } from '#storage/open-storage.ts'
import { syncFile, syncFolder } from '#storage/sync-to-disk.ts'
import { skipLostMessageIds } from './backup/database.ts'
import type { Keys, Transform } from './backup/encryption.ts'
import type { Manifest } from './backup/manifest.ts'
import type { Backup } from './backup-places.ts'
import { fingerprintOf, inParallel } from './make-backup.ts'
import { findMark, MARK, saveMark } from './restore-mark.ts'
import {
  isStoredFile,
  openBackup,
  restoredDatabase,
  toStoredName,
  type Verification,
  verifyBackup,
} from './verify-backup.ts'

// Restores a backup into an installation without data: verifies it, then restores the files, and the database last. A
// mark in DATA_DIR keeps servers from starting on a half of it after the process was killed. Present data is never
// deleted: it is refused, or moved aside.

export type RestoreOptions = {
  backup: Backup & { manifest: Manifest }
  /** The backup as the operator named it, without keys; null for the newest one in BACKUP_DIR. */
  name: string | null
  keys: Keys
  settings: Settings
  clock: Clock
  /** The store for the files. */
  files: FileStore
  /** True if the files are in DATA_DIR, from which they can be moved. */
  hasLocalFiles: boolean
  /** Moves present data aside. */
  replaces: boolean
  /** Restores everything that is intact if some of the stored files are not. */
  allowsDamage: boolean
  /**
   * Copies a SQLite file into the PostgreSQL database of the settings in one transaction, unless it did before with the
   * same `id`. Refuses other databases with organizations.
   */
  copyToPostgres: (file: string, id: string) => Promise<void>
  /** Returns whether the PostgreSQL database of the settings has organizations. */
  isPostgresEmpty: () => Promise<boolean>
  onProgress?: (what: string, done: number, all: number) => void
}

export type Restored = {
  verification: Verification
  /** The folder to which present data was moved; null if there was none. */
  aside: string | null
  files: number
  secret: 'restored' | 'present' | 'missing' | 'different'
}

/** Restores the backup. Refuses damaged backups and places with data before it changes anything. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { backup, settings, clock, onProgress } = options
  const { DATA_DIR: dataDir, DATABASE_URL: url } = settings
  const isPostgres = isPostgresUrl(url)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const mark = findMark(dataDir)
  // The lock keeps a server from starting meanwhile, and refuses while one runs.
  if (!isPostgres) await mkdir(dirname(resolve(url)), { recursive: true, mode: 0o700 })
  const lock = isPostgres ? null : await takeSqliteLock(url)
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => lock?.release())
  // An interrupted restore has asked before whether data may be moved aside.
  const replaces = options.replaces || (mark !== null && mark.aside !== null)
  const hasData = mark?.is_moved === true ? false : await requireRoom({ ...options, replaces })

  // The restored database is renamed into its place, so it has to be on the same disk.
  const work = join(isPostgres ? dataDir : dirname(resolve(url)), `${MARK}.work`)
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { mode: 0o700 })
  cleanup.defer(() => rm(work, { recursive: true, force: true }))
  await requireSpace(options, work)

  const decrypt = await openBackup(backup, options.keys)
  const verification = await verifyBackup(backup, {
    ...{ decrypt, work },
    onProgress: (bytes, all) => onProgress?.('Verified bytes', bytes, all),
  })
  requireUsable(options, verification)
  if (decrypt === null) throw new Error('The backup was restored without a key')

  const aside = mark?.aside ?? (hasData ? asideFolder(options) : null)
  const id = mark?.id || String(clock.now())
  await saveMark(dataDir, { backup: options.name, aside, is_moved: mark?.is_moved ?? false, id })
  if (mark?.is_moved !== true) {
    if (aside !== null) await moveAside(options, aside)
    await saveMark(dataDir, { backup: options.name, aside, is_moved: true, id })
  }

  const files = await restoreFiles(options, decrypt, verification)
  const secret = await restoreSecret(options, decrypt, aside)
  const file = restoredDatabase(work)
  const { created_at, peak_messages_per_second: peak } = backup.manifest
  skipLostMessageIds(file, { seconds: clock.now() - created_at, peak })
  await restoreFolderId(options.files, file)
  if (isPostgres) await options.copyToPostgres(file, id)
  else await moveDatabase(file, url)
  await rm(join(dataDir, MARK))
  await syncFolder(dataDir)
  return { verification, aside, files, secret }
}

export const HAS_ORGANIZATIONS =
  'The PostgreSQL database already contains organizations. Create an empty one, set DATABASE_URL to it, and repeat the ' +
  'command:\n  sudo -u postgres createdb --owner=parley parley_restored'

/** Returns whether there is data to move aside. Refuses data that would be lost or mixed with that of the backup. */
async function requireRoom(options: RestoreOptions): Promise<boolean> {
  const { settings, hasLocalFiles, replaces } = options
  const { DATABASE_URL: url, DATA_DIR: dataDir } = settings
  const isPostgres = isPostgresUrl(url)
  if (isPostgres && !(await options.isPostgresEmpty())) throw new OperatorError(HAS_ORGANIZATIONS)
  const hasFiles = await hasStoredFiles(options.files)
  if (hasFiles && !hasLocalFiles)
    throw new OperatorError(
      'FILES_URL already contains files. Set it to an empty bucket or another prefix, so that none are mixed or lost.',
    )
  const hasDatabase = !isPostgres && existsSync(url)
  const isInUse = (hasDatabase && hasOrganizations(url)) || hasFiles
  if (isInUse && !replaces)
    throw new OperatorError(
      `${resolve(hasFiles ? dataDir : url)} already contains data. Add --replace, which moves it to a folder beside it, or ` +
        '--to DIR with an empty folder.',
    )
  // A server that was started once has created an empty database.
  return hasDatabase || hasFiles
}

async function hasStoredFiles(files: FileStore): Promise<boolean> {
  for (const folder of backedUpFolders) for await (const _ of files.list(folder)) return true
  return false
}

/** Returns whether a SQLite file has organizations. A damaged one counts as data, too. */
function hasOrganizations(path: string): boolean {
  try {
    return useDatabaseFile(
      path,
      (query) => query('select 1 from "realms" where "subdomain" <> ?', SYSTEM_SUBDOMAIN).length > 0,
    )
  } catch {
    return true
  }
}

/** The free bytes that must remain. */
const RESERVE = 64 * 1024 ** 2

async function requireSpace({ backup: { manifest }, hasLocalFiles }: RestoreOptions, work: string): Promise<void> {
  const free = await filesInFolder(work).findFreeSpace()
  const needed = manifest.objects
    .filter(({ name }) => name === manifest.database || hasLocalFiles)
    .reduce((sum, { bytes }) => sum + bytes, RESERVE)
  if (free === null || free >= needed) return
  const inMegabytes = (size: number) => Math.ceil(size / 1e6).toLocaleString('en-US')
  throw new OperatorError(
    `The disk of ${dirname(work)} has ${inMegabytes(free)} MB of free space, and the restore needs ${inMegabytes(needed)} MB.`,
  )
}

function requireUsable({ backup, allowsDamage }: RestoreOptions, { faults, isRestored }: Verification): void {
  const lines = faults.map(({ name, problem }) => `  ${name} ${problem}`).join('\n')
  if (!isRestored && faults.length === 0)
    throw new OperatorError(
      backup.manifest.encryption === 'passphrase'
        ? 'The backup is encrypted with a passphrase. Set BACKUP_PASSPHRASE, or add --passphrase-file FILE.'
        : `The backup is encrypted for ${backup.manifest.recipients.join(', ')}. Add --identity FILE with the secret key.`,
    )
  if (
    faults.length === 0 ||
    (allowsDamage && isRestored && !faults.some(({ name }) => name === backup.manifest.database))
  )
    return
  throw new OperatorError(
    `The backup is damaged, and nothing was restored:\n${lines}\n` +
      (isRestored
        ? 'Restore an older backup, or add --allow-damaged to restore everything that is intact.'
        : 'Its database cannot be restored. Restore an older backup.'),
  )
}

const asideFolder = ({ settings: { DATA_DIR }, clock }: RestoreOptions) =>
  join(
    resolve(DATA_DIR),
    `before-restore-${new Date(clock.now() * 1000).toISOString().replace(/\..*/, 'Z').replaceAll(':', '-')}`,
  )

/** Moves the database and the files to the folder. An interrupted move continues. */
async function moveAside({ settings, hasLocalFiles }: RestoreOptions, aside: string): Promise<void> {
  const { DATABASE_URL: url, DATA_DIR } = settings
  await mkdir(aside, { recursive: true, mode: 0o700 })
  const folders = hasLocalFiles ? [...backedUpFolders, DATA_EXPORTS, THUMBNAILS, EXTERNAL_CONTENT] : []
  for (const name of [...folders, FOLDER_ID]) await moveIfThere(join(DATA_DIR, name), join(aside, name))
  await syncFolder(DATA_DIR)
  if (isPostgresUrl(url)) return
  // On another disk the database cannot be renamed into the folder, so it stays beside its place.
  const isHere = (await stat(dirname(resolve(url)))).dev === (await stat(aside)).dev
  const to = isHere ? join(aside, basename(url)) : `${resolve(url)}-${basename(aside)}`
  for (const suffix of ['-wal', '-shm', '']) await moveIfThere(`${url}${suffix}`, `${to}${suffix}`)
  await syncFolder(dirname(resolve(url)))
}

async function moveIfThere(from: string, to: string): Promise<void> {
  if (existsSync(from)) await rename(from, to)
}

/** Restores the stored files that are intact; returns their number. */
async function restoreFiles(options: RestoreOptions, decrypt: Transform, { faults }: Verification): Promise<number> {
  const { backup, files, onProgress } = options
  const { manifest, place } = backup
  const damaged = new Set(faults.map(({ name }) => name))
  const objects = manifest.objects.filter(({ name }) => isStoredFile(manifest, name) && !damaged.has(name))
  let done = 0
  await inParallel(objects, async ({ name, bytes }) => {
    const writer = await files.create(toStoredName(manifest, name))
    try {
      for await (const piece of decrypt(place.store.stream(name, { start: 0, end: bytes })))
        await writer.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    } catch (error) {
      await writer.abandon()
      throw error
    }
    await writer.finish()
    onProgress?.('Files', ++done, objects.length)
  })
  return objects.length
}

/** Restores the secret from encrypted backups, and compares it for others. */
async function restoreSecret(
  options: RestoreOptions,
  decrypt: Transform,
  aside: string | null,
): Promise<Restored['secret']> {
  const { backup, settings } = options
  const { manifest, place } = backup
  const path = join(settings.DATA_DIR, SECRET_FILE)
  const isRight = (secret: Buffer) => manifest.secret_fingerprint === fingerprintOf(secret)
  const present = findServerSecret(settings)?.export() ?? null
  if (present !== null && isRight(present)) return 'present'
  if (settings.SECRET_KEY !== '') return 'different'
  const object = manifest.objects.find(({ name }) => name === manifest.secret)
  if (object === undefined) return present === null ? 'missing' : 'different'
  const content = await text(decrypt(place.store.stream(object.name, { start: 0, end: object.bytes })))
  const unfinished = `${path}~`
  await using file = await open(unfinished, 'w', 0o600)
  await file.writeFile(content)
  await file.sync()
  if (present !== null) await rename(path, aside === null ? `${path}.before-restore` : join(aside, SECRET_FILE))
  await rename(unfinished, path)
  return 'restored'
}

/** Marks the files as those of the database, so that its server uses them. */
async function restoreFolderId(files: FileStore, database: string): Promise<void> {
  const [row] = useDatabaseFile(database, (query) =>
    query<{ value: string }>(`select "value" from "installation" where "name" = 'folder of files'`),
  )
  if (row !== undefined) await files.save(FOLDER_ID, Buffer.from(`${row.value}\n`))
}

/** Moves the restored file to the place of the database, which a restore that was interrupted at its end may have filled. */
async function moveDatabase(file: string, url: string): Promise<void> {
  for (const suffix of ['-wal', '-shm', '']) await moveIfThere(`${url}${suffix}`, `${url}.interrupted-restore${suffix}`)
  await syncFile(file)
  await rename(file, url)
  await syncFolder(dirname(resolve(url)))
}
