import { createSecretKey, type KeyObject } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Settings } from '#config.ts'
import type { Random } from '#lib/secrets.ts'
import { CannotOpenStorage, type Storage } from './storage.ts'

// The folder of an installation, which contains its uploaded files and its secret. A folder and its database carry
// the same mark, so that a server never deletes or serves the files of another database.

/** The row of `installation` that identifies the folder. */
const FOLDER_ROW = 'folder of files'

/** The name of the file that identifies the folder it is in. */
export const FOLDER_ID = 'folder-id'

/**
 * Makes this the folder that all nodes share, unless the database already names such a folder. It must be called while
 * no other node serves the database.
 */
export async function claimSharedFolder(storage: Storage, folder: string): Promise<void> {
  if ((await findExpectedId(storage.db)) === null) await claim(storage, folder, await readId(folder))
}

/**
 * Refuses a folder that is not the shared one. Otherwise, files uploaded at one node would be missing at the others.
 */
export async function requireSharedFolder({ db }: Storage, folder: string): Promise<void> {
  const [expected, found] = [await findExpectedId(db), await readId(folder)]
  if (found === expected) return
  throw new CannotOpenStorage(
    `DATA_DIR, ${resolve(folder)}, is not the folder that the nodes of this database share: files uploaded at one node ` +
      'would be missing at another. Mount the same folder on every machine, and name it by DATA_DIR. If it is the same, ' +
      `and lost its file ${FOLDER_ID}, write this line into that file: ${expected}`,
  )
}

/**
 * Returns whether the folder belongs to the database, so that unknown files may be deleted. If a new database was
 * created beside the files of another one, the folder does not belong to the new one. An unmarked folder is claimed for
 * the database, unless `isForeign` returns true.
 */
export async function ownsFolder(
  storage: Storage,
  folder: string,
  isForeign: () => Promise<boolean>,
): Promise<boolean> {
  const [expected, found] = [await findExpectedId(storage.db), await readId(folder)]
  if (found !== null) return found === expected
  if (expected !== null) await writeId(folder, expected)
  else if (await isForeign()) return false
  else await claim(storage, folder, null)
  return true
}

async function claim({ db, transaction }: Storage, folder: string, found: string | null): Promise<void> {
  await transaction(async (tx) => {
    const value = found ?? tx.random.bytes(16).toString('hex')
    await tx.insertInto('installation').values({ name: FOLDER_ROW, value }).execute()
  })
  await writeId(folder, String(await findExpectedId(db)))
}

async function findExpectedId(db: Storage['db']): Promise<string | null> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', FOLDER_ROW).executeTakeFirst()
  return row?.value ?? null
}

async function writeId(folder: string, id: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, FOLDER_ID), `${id}\n`, { flush: true })
}

async function readId(folder: string): Promise<string | null> {
  try {
    return (await readFile(join(folder, FOLDER_ID), 'latin1')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** The length of the secret in bytes. */
const SECRET_LENGTH = 32

/**
 * Returns the secret of the installation. The server derives links from it. The secret is SECRET_KEY, or else the
 * content of a file in the data folder. The first start creates the file. The secret is stored separately from the
 * database, so that a copy of the database cannot open invitations.
 */
export function openServerSecret(settings: Settings, random: Random): KeyObject {
  return createSecretKey(readServerSecret(settings, random))
}

function readServerSecret(settings: Settings, random: Random): Buffer {
  if (settings.SECRET_KEY !== '') return Buffer.from(settings.SECRET_KEY)
  if (settings.DATABASE_URL === 'memory') return random.bytes(SECRET_LENGTH)
  const path = join(settings.DATA_DIR, 'secret')
  mkdirSync(settings.DATA_DIR, { recursive: true })
  try {
    writeFileSync(path, random.bytes(SECRET_LENGTH).toString('hex'), { flag: 'wx', mode: 0o600, flush: true })
    chmodSync(path, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return Buffer.from(readFileSync(path, 'latin1').trim(), 'hex')
}
