import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '#lib/clock.ts'
import { explainError } from '#lib/errors.ts'
import { UNFINISHED_SUFFIX } from '#storage/files.ts'
import { describeDatabase, findDatabaseFaults } from './backup/database.ts'
import { AGE, type Keys, openDecryption, type Transform } from './backup/encryption.ts'
import type { Manifest, StoredObject } from './backup/manifest.ts'
import { type Backup, CHECK, type Check, DATABASE, UNLISTED } from './backup-places.ts'
import { findNames, inParallel } from './make-backup.ts'

// Verifies a backup: reads every byte of it, compares hashes, decrypts everything if a key is given, and restores the
// database to a temporary place, where its pages, references, rows and files are checked.

export type { Keys } from './backup/encryption.ts'

type Fault = Check['faults'][number]

export type Verification = {
  faults: Fault[]
  /** False if no key was given, so that only the stored bytes could be compared. */
  isRestored: boolean
  files: number
  bytes: number
  rows: number
  /** Files that the database names and that were missing before the backup was made. */
  absent: string[]
}

export type VerifyOptions = {
  /** The function that `openBackup` returned. */
  decrypt: Transform | null
  /** A folder for the database, which the caller deletes. The restored database stays there. */
  work: string
  onProgress?: (bytes: number, all: number) => void
}

/** The path of the database that `verifyBackup` restores. */
export const restoredDatabase = (work: string): string => join(work, `restored-${DATABASE}`)

/** Returns the function that decrypts the files of the backup; null if no key is given. Refuses wrong keys. */
export async function openBackup({ place, manifest }: Backup & { manifest: Manifest }, keys: Keys) {
  const key = manifest.key === null ? null : await place.store.read(manifest.key)
  const listed = manifest.objects.find(({ name }) => name === manifest.key)
  // A damaged key looks like a wrong passphrase.
  if (key !== null && listed !== undefined && sha256(key) !== listed.sha256) return null
  return openDecryption(manifest, key, keys)
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Verifies the whole backup and returns everything that is wrong with it. */
export async function verifyBackup(
  backup: Backup & { manifest: Manifest },
  { decrypt, work, onProgress }: VerifyOptions,
): Promise<Verification> {
  const { manifest } = backup
  const all = manifest.objects.reduce((sum, { bytes }) => sum + bytes, 0)
  let read = 0
  const faults: Fault[] = await findUnlisted(backup)
  const found = await inParallel(manifest.objects, async (object) => {
    const isDatabase = object.name === manifest.database
    const problem = await checkObject(backup, object, {
      decrypt: object.name === manifest.key ? null : decrypt,
      target: isDatabase && decrypt !== null ? restoredDatabase(work) : null,
      onRead(bytes) {
        read += bytes
        onProgress?.(read, all)
      },
    })
    return problem === null ? [] : [{ name: object.name, problem }]
  })
  faults.push(...found.flat())
  const isIntact = decrypt !== null && !faults.some(({ name }) => name === manifest.database)
  if (isIntact) faults.push(...checkDatabase(manifest, restoredDatabase(work)))
  return {
    faults,
    isRestored: isIntact,
    files: manifest.objects.filter(({ name }) => isStoredFile(manifest, name)).length,
    bytes: read,
    rows: Object.values(manifest.tables).reduce((sum, count) => sum + count, 0),
    absent: manifest.absent,
  }
}

/** Returns whether the object is a stored file of the installation, such as an upload. */
export function isStoredFile({ files }: Manifest, name: string): boolean {
  return name.startsWith(files) && name.slice(files.length).includes('/')
}

/** Returns the name that a file had in the installation. */
export const toStoredName = ({ files, encryption }: Pick<Manifest, 'files' | 'encryption'>, name: string): string =>
  name.slice(files.length, encryption === 'none' ? undefined : -AGE.length)

type ObjectCheck = { decrypt: Transform | null; target: string | null; onRead: (bytes: number) => void }

/** Reads an object, and returns what is wrong with it; null if nothing is. */
async function checkObject(
  { place: { store } }: Backup,
  { name, bytes, sha256 }: StoredObject,
  { decrypt, target, onRead }: ObjectCheck,
): Promise<string | null> {
  const size = await store.findSize(name)
  if (size === null) return 'is missing'
  if (size !== bytes) return `has ${size} bytes instead of ${bytes}`
  const hash = createHash('sha256')
  const hashed = async function* () {
    for await (const piece of store.stream(name, { start: 0, end: size }) as AsyncIterable<Buffer>) {
      hash.update(piece)
      onRead(piece.length)
      yield piece as Uint8Array
    }
  }
  try {
    const content = decrypt === null ? hashed() : decrypt(hashed())
    if (target === null) for await (const _ of content);
    else await pipeline(content, createWriteStream(target, { mode: 0o600 }))
  } catch (error) {
    if (target !== null) await rm(target, { force: true })
    // The decryption fails before everything is read.
    return isAboutReading(error) ? `cannot be read: ${(error as Error).message}` : 'is damaged: it cannot be decrypted'
  }
  return hash.digest('hex') === sha256 ? null : 'is damaged: its hash differs'
}

const isAboutReading = (error: unknown) =>
  error instanceof Error && ('syscall' in error || explainError(error) !== null)

/** Checks the restored database against the manifest. */
function checkDatabase(manifest: Manifest, path: string): Fault[] {
  const name = manifest.database
  try {
    const damage = findDatabaseFaults(path)
    if (damage.length > 0) return damage.map((problem) => ({ name, problem }))
    const facts = describeDatabase(path)
    const tables = [...new Set([...Object.keys(manifest.tables), ...Object.keys(facts.tables)])]
    const counts = tables
      .filter((table) => manifest.tables[table] !== facts.tables[table])
      .map(
        (table) => `has ${facts.tables[table] ?? 'no'} rows in ${table} instead of ${manifest.tables[table] ?? 'none'}`,
      )
    const objects = new Set(
      manifest.objects
        .filter((object) => isStoredFile(manifest, object.name))
        .map((object) => toStoredName(manifest, object.name)),
    )
    const absent = new Set(manifest.absent)
    const missing = facts.files
      .filter((file) => !objects.has(file) && !absent.has(file))
      .map((file) => `names the file ${file}, which is not in the backup`)
    return [...counts, ...missing].map((problem) => ({ name, problem }))
  } catch (error) {
    const reason = explainError(error)
    if (reason === null) throw error
    return [{ name, problem: reason }]
  }
}

/**
 * Returns the files beside those of the manifest. Files that other backups of the place use are no fault, nor are the
 * remains of a file that was never finished.
 */
async function findUnlisted({ place, folder, manifest }: Backup & { manifest: Manifest }): Promise<Fault[]> {
  const listed = new Set(manifest.objects.map(({ name }) => name))
  const names = folder === '' ? await namesIn(place.path ?? '') : await findNames(place.store, folder.slice(0, -1))
  return names
    .filter(
      (name) => !name.endsWith(UNFINISHED_SUFFIX) && !listed.has(name) && !UNLISTED.includes(name.slice(folder.length)),
    )
    .map((name) => ({ name, problem: 'is not in the manifest' }))
}

async function namesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)).split(sep).join('/'))
}

/** Returns whether the backup can be relied on: without a key, its database must have been checked before encryption. */
export const isVerified = ({ is_checked }: Manifest, { faults, isRestored }: Verification): boolean =>
  faults.length === 0 && (isRestored || is_checked)

/** Saves the result beside the backup, so that the next one stores damaged files again, and for the retention. */
export async function saveCheck(
  { place, folder, manifest }: Backup & { manifest: Manifest },
  verification: Verification,
  clock: Clock,
): Promise<void> {
  const check: Check = {
    checked_at: clock.now(),
    is_restored: verification.isRestored,
    is_verified: isVerified(manifest, verification),
    faults: verification.faults,
  }
  await place.store.save(`${folder}${CHECK}`, Buffer.from(`${JSON.stringify(check, null, 2)}\n`))
}
