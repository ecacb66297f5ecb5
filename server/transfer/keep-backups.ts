import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isPostgresUrl, type Settings } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { OperatorError } from '#lib/errors.ts'
import { takeBackupLock, takeEmptyFolder } from '#storage/copy.ts'
import type { FileStore } from '#storage/files.ts'
import { FOLDER_ID } from '#storage/open-storage.ts'
import { type Encryption, encryptionForRecipients, encryptionWithPassphrase } from './backup/encryption.ts'
import { findManifest, type Manifest } from './backup/manifest.ts'
import { findSuperfluous } from './backup/retention.ts'
import {
  type Backup,
  type BackupPlace,
  deleteSnapshot,
  findCheck,
  findSnapshots,
  isDamaged,
  MARK,
  type Snapshot,
  snapshotAt,
} from './backup-places.ts'
import { type BackupSource, type MadeBackup, makeBackup } from './make-backup.ts'
import { isVerified, saveCheck, type Verification, verifyBackup } from './verify-backup.ts'

// A backup in the place of BACKUP_DIR: it is made, verified, and only then are older ones deleted, with the files that
// no remaining backup needs. Only one process does this at a time for a database, and in a folder.

const DAY = 86_400

export type KeptBackup = MadeBackup & {
  /** The start of the names of its own files. */
  folder: string
  /** Null if the backup was not verified this time. */
  verification: Verification | null
  isVerified: boolean
  /** The number of older backups that were deleted. */
  deleted: number
  /** Reasons for which something was left that would have been deleted. */
  warnings: string[]
}

export type KeepOptions = {
  place: BackupPlace
  settings: Settings
  clock: Clock
  onProgress?: (what: string, done: number, all: number) => void
}

/** Makes a backup in the place, verifies it if BACKUP_VERIFY says so, and deletes those that need not be kept. */
export async function keepBackup(
  openSource: (work: string) => Promise<BackupSource>,
  { place, settings, clock, onProgress }: KeepOptions,
): Promise<KeptBackup> {
  await using lock = new AsyncDisposableStack()
  if (isPostgresUrl(settings.DATABASE_URL)) {
    const { release } = await takeBackupLock(settings.DATABASE_URL)
    lock.defer(release)
  }
  await using work = await openWorkFolder(place, settings)
  await deleteInterrupted(place, (snapshot) => !mayBeRunning(snapshot, clock))
  const encryption = await openEncryption(place, settings)
  const to = { place, folder: await freeFolder(place, clock) }
  const source = await openSource(work.path)
  await requireOwnPlace(place, source.files)
  let made: MadeBackup
  try {
    made = await makeBackup(source, {
      ...{ to, work: work.path, encryption, clock },
      onProgress: (files, all) => onProgress?.('Files', files, all),
    })
  } catch (error) {
    // If this fails as well, a later attempt does it.
    await deleteInterrupted(place, ({ folder }) => folder === to.folder).catch(() => {})
    throw error
  }
  const backup = { ...to, manifest: made.manifest }
  const isDue = await needsVerification(place, settings, clock)
  let verification: Verification | null = null
  if (isDue) {
    verification = await verifyBackup(backup, {
      // The database of a backup for recipients was checked before it was encrypted.
      decrypt: encryption === null ? (bytes) => bytes : encryption.decrypt,
      work: work.path,
      onProgress: (bytes, all) => onProgress?.('Verified bytes', bytes, all),
    })
    await saveCheck(backup, verification, clock)
  }
  const isGood = verification === null || isVerified(made.manifest, verification)
  // A damaged backup replaces none of the older ones, except those that were damaged since the last intact one.
  const pruned = isGood ? await prune(place, settings, clock) : { deleted: await deleteDamaged(backup), warnings: [] }
  return { ...made, ...pruned, folder: to.folder, verification, isVerified: verification !== null && isGood }
}

/** Returns the folder of a backup that is made now. One of the same second keeps its own. */
async function freeFolder(place: BackupPlace, clock: Clock): Promise<string> {
  const taken = new Set((await findSnapshots(place)).map(({ folder }) => folder))
  let time = clock.now()
  while (taken.has(snapshotAt(time))) time += 1
  return snapshotAt(time)
}

/** Refuses a place with backups of another installation: each would delete those of the other. */
async function requireOwnPlace(place: BackupPlace, files: FileStore): Promise<void> {
  const newest = (await findSnapshots(place)).findLast(({ isComplete }) => isComplete)
  const [own, found] = await Promise.all([
    files.read(FOLDER_ID),
    newest === undefined ? null : place.store.read(`${newest.folder}${FOLDER_ID}`),
  ])
  if (own === null || found === null || own.equals(found)) return
  throw new OperatorError(
    `${place.name} has backups of another installation. Set BACKUP_DIR to another folder or prefix, so that neither ` +
      'deletes those of the other.',
  )
}

/** Opens a folder for unfinished files, and locks it. The folder of a killed process is emptied. */
async function openWorkFolder({ path }: BackupPlace, { DATA_DIR }: Settings) {
  const folder = path === null ? join(DATA_DIR, 'backup.unfinished') : join(path, '.unfinished')
  const lock = await takeEmptyFolder(folder, 'a backup')
  return {
    path: folder,
    async [Symbol.asyncDispose]() {
      // Windows cannot delete the file of a lock that is held.
      if (process.platform === 'win32') lock.release()
      await rm(folder, { recursive: true, force: true })
      lock.release()
    },
  }
}

/** Returns the encryption that the settings ask for; null for none. `place` may have a key that the passphrase opens. */
export async function openEncryption(place: BackupPlace | null, settings: Settings): Promise<Encryption | null> {
  const { BACKUP_PASSPHRASE: passphrase, BACKUP_AGE_RECIPIENTS: recipients } = settings
  if (recipients.length > 0) return encryptionForRecipients(recipients)
  if (passphrase === '') return null
  const keys: Buffer[] = []
  const newest = place === null ? [] : (await findSnapshots(place)).filter(({ isComplete }) => isComplete).slice(-1)
  for (const { folder } of newest) {
    const key = await place?.store.read(`${folder}key.age`)
    if (key) keys.push(key)
  }
  return encryptionWithPassphrase(passphrase, keys)
}

/**
 * Deletes interrupted backups with the files that only they stored: without a manifest, the next backup stores them
 * again, with a new passphrase or key under other names. Deletes nothing while another backup may be storing files.
 */
async function deleteInterrupted(place: BackupPlace, isOver: (snapshot: Snapshot) => boolean): Promise<void> {
  const unfinished = (await findSnapshots(place)).filter(({ isComplete }) => !isComplete)
  if (!unfinished.every(isOver)) return
  const marks = await Promise.all(unfinished.map(({ folder }) => place.store.read(`${folder}${MARK}`)))
  const folders = marks.map((mark) => mark?.toString().trim() ?? '').filter((folder) => FILES_FOLDER.test(folder))
  await deleteUnusedFiles(place, new Set(folders))
  for (const snapshot of unfinished) await deleteSnapshot(snapshot)
}

const FILES_FOLDER = /^files(-[0-9a-f]+)?\/$/

/** In a folder, no other backup is being made now. In a bucket, the server of another database may be making one. */
const mayBeRunning = ({ place, createdAt }: Snapshot, clock: Clock) =>
  place.path === null && createdAt > clock.now() - DAY

async function needsVerification(place: BackupPlace, { BACKUP_VERIFY }: Settings, clock: Clock): Promise<boolean> {
  if (BACKUP_VERIFY !== 'weekly') return BACKUP_VERIFY === 'each'
  for (const snapshot of await findSnapshots(place)) {
    const check = await findCheck(snapshot)
    // An hour earlier: the next backup may begin a little sooner than a week later.
    if (check?.is_verified && check.checked_at > clock.now() - 7 * DAY + 3600) return false
  }
  return true
}

/** Deletes the damaged backups between this one and the last intact one, so that repeated attempts do not fill the disk. */
async function deleteDamaged({ place, folder }: Backup): Promise<number> {
  const older = (await findSnapshots(place)).filter((snapshot) => snapshot.isComplete && snapshot.folder < folder)
  let deleted = 0
  for (const snapshot of older.reverse()) {
    if (!isDamaged(await findCheck(snapshot))) break
    await deleteSnapshot(snapshot)
    deleted += 1
  }
  return deleted
}

/** Deletes the backups that the settings do not keep, and then the stored files that no remaining backup lists. */
async function prune(
  place: BackupPlace,
  { BACKUP_RETENTION: retention, BACKUPS_KEPT: count }: Settings,
  clock: Clock,
): Promise<{ deleted: number; warnings: string[] }> {
  const all = await findSnapshots(place)
  const complete = await Promise.all(
    all
      .filter(({ isComplete }) => isComplete)
      .map(async (snapshot) => {
        const check = await findCheck(snapshot)
        return { ...snapshot, isVerified: check?.is_verified === true, isDamaged: isDamaged(check) }
      }),
  )
  const superfluous = findSuperfluous(complete, { retention, count })
  if (superfluous.length === 0) return { deleted: 0, warnings: [] }
  const folders = new Set<string>()
  for (const snapshot of superfluous) {
    const manifest = await findManifest(place.store, snapshot.folder).catch(() => null)
    if (manifest !== null) folders.add(manifest.files)
    await deleteSnapshot(snapshot)
  }
  const warnings: string[] = []
  const isAlone = all.every((snapshot) => snapshot.isComplete || !mayBeRunning(snapshot, clock))
  if (isAlone) warnings.push(...(await deleteUnusedFiles(place, folders)))
  return { deleted: superfluous.length, warnings }
}

/** Deletes the stored files in the folders that no backup lists. Deletes nothing if the list of a backup cannot be read. */
async function deleteUnusedFiles(place: BackupPlace, folders: ReadonlySet<string>): Promise<string[]> {
  const used = new Set<string>()
  for (const { folder } of await findSnapshots(place)) {
    let manifest: Manifest | null
    try {
      manifest = await findManifest(place.store, folder)
    } catch (error) {
      return [`Files that no backup needs are kept until ${folder} is deleted: ${(error as Error).message}.`]
    }
    if (manifest === null) continue
    for (const { name } of manifest.objects) used.add(name)
  }
  for (const folder of folders)
    for await (const name of place.store.list(folder.slice(0, -1))) if (!used.has(name)) await place.store.delete(name)
  return []
}
