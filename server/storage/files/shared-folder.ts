import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { StorageUnavailable } from '../engine.ts'
import type { Storage } from '../storage.ts'

/** The row of `installation` that says which folder it is. */
const ROW = 'folder of files'

/** The file in the folder that says the same. */
const FILE = 'folder-id'

/** Makes the folder the one that all nodes share, unless another is. To be called while no other node serves the database. */
export async function claimSharedFolder({ db, transaction }: Storage, folder: string): Promise<void> {
  if ((await findSharedId(db)) !== null) return
  const path = join(folder, FILE)
  await mkdir(folder, { recursive: true })
  const found = await readId(path)
  await transaction(async (tx) => {
    const value = found ?? tx.random.bytes(16).toString('hex')
    await tx.insertInto('installation').values({ name: ROW, value }).execute()
  })
  await writeFile(path, `${await findSharedId(db)}\n`, { flush: true })
}

/** Refuses a folder that the other nodes do not have: files uploaded at one would be missing at the others. */
export async function requireSharedFolder({ db }: Storage, folder: string): Promise<void> {
  const [expected, found] = [await findSharedId(db), await readId(join(folder, FILE))]
  if (found === expected) return
  throw new StorageUnavailable(
    `DATA_DIR, ${resolve(folder)}, is not the folder that the nodes of this database share: files uploaded at one node ` +
      'would be missing at another. Mount the same folder on every machine, and name it by DATA_DIR. If it is the same, ' +
      `and lost its file ${FILE}, write this line into that file: ${expected}`,
  )
}

async function findSharedId(db: Storage['db']): Promise<string | null> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', ROW).executeTakeFirst()
  return row?.value ?? null
}

async function readId(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'latin1')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
