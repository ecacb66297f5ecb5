import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Uploaded files, by names such as `avatars/2/f83a.png`. */
export type FileStore = {
  /** Resolves when the whole file is on the disk; a reader never meets half of it. */
  save(name: string, bytes: Buffer): Promise<void>
  read(name: string): Promise<Buffer | null>
  /** Deleting what is not there is no error. */
  delete(name: string): Promise<void>
}

/** Files in `folder`, which is made when the first is saved; null keeps them in memory. */
export function openFileStore(folder: string | null): FileStore {
  return folder === null ? filesInMemory() : filesIn(folder)
}

function filesInMemory(): FileStore {
  const files = new Map<string, Buffer>()
  return {
    async save(name, bytes) {
      files.set(checked(name), Buffer.from(bytes))
    },
    read: async (name) => files.get(checked(name)) ?? null,
    async delete(name) {
      files.delete(checked(name))
    },
  }
}

function filesIn(folder: string): FileStore {
  const pathOf = (name: string) => join(folder, checked(name))
  let saved = 0
  return {
    async save(name, bytes) {
      const path = pathOf(name)
      await mkdir(dirname(path), { recursive: true })
      const unfinished = `${path}.${process.pid}-${saved++}~`
      try {
        await writeDurably(unfinished, bytes)
        await rename(unfinished, path)
      } catch (error) {
        await rm(unfinished, { force: true })
        throw error
      }
      await syncFolder(dirname(path))
    },
    async read(name) {
      try {
        return await readFile(pathOf(name))
      } catch (error) {
        if (isAbsence(error)) return null
        throw error
      }
    },
    delete: (name) => rm(pathOf(name), { force: true }),
  }
}

/** The name, if it cannot lead out of the folder and no temporary file has one like it. */
function checked(name: string): string {
  const isPlain = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(name)
  if (!isPlain || name.includes('..')) throw new Error(`Not a name for a stored file: ${JSON.stringify(name)}`)
  return name
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes the new name last, too; Windows has no such thing for folders. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Whether the error says that there is no such file; a file where the name has a folder says so as well. */
function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR'
}
