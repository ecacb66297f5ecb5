import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, opendir, readFile, rename, rm, stat, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { checkedName, type FileStore, type FileWriter, isStoredName, UNFINISHED_SUFFIX } from './files.ts'
import { type SyncFolder, syncFolder as syncFolderOnDisk } from './sync-to-disk.ts'

/** Identifies the unfinished files of this process, because other processes and machines may share the folder. */
const OWN_MARK = `${hostname().replace(/[^A-Za-z0-9]+/g, '')}-${process.pid}`

/** Returns a file store in a folder on disk. */
export function filesInFolder(top: string, syncFolder: SyncFolder = syncFolderOnDisk): FileStore {
  const folder = resolve(top)
  const pathOf = (name: string) => join(folder, checkedName(name))
  /** The paths of files that are being written. */
  const unfinished = new Set<string>()
  const makeFolder = durableFolderMaker(folder, syncFolder)
  let begun = 0

  const create: FileStore['create'] = async (name) => {
    const path = pathOf(name)
    await makeFolder(dirname(path))
    const temporaryPath = `${path}.${OWN_MARK}-${begun++}${UNFINISHED_SUFFIX}`
    return createFile({ path, temporaryPath, unfinished, syncFolder })
  }

  return {
    create,
    async save(name, bytes) {
      const writer = await create(name)
      try {
        await writer.write(bytes)
      } catch (error) {
        await writer.abandon()
        throw error
      }
      await writer.finish()
    },
    read: async (name) => unlessAbsent(readFile(pathOf(name))),
    async findSource(name) {
      const found = await unlessAbsent(stat(pathOf(name)))
      return found?.isFile() ? pathOf(name) : null
    },
    async findSize(name) {
      const found = await unlessAbsent(stat(pathOf(name)))
      return found?.isFile() ? found.size : null
    },
    stream(name, { start, end }) {
      // The `end` of the system call is inclusive, so it cannot express an empty range.
      return end <= start ? Readable.from([]) : createReadStream(pathOf(name), { start, end: end - 1 })
    },
    async findFreeSpace() {
      await makeFolder(folder)
      const { bavail, bsize } = await statfs(folder)
      return bavail * bsize
    },
    async delete(name) {
      const path = pathOf(finishedName(name))
      await rm(name.endsWith(UNFINISHED_SUFFIX) ? path + UNFINISHED_SUFFIX : path, { force: true })
    },
    async *list(name) {
      const top = await unlessAbsent(opendir(pathOf(name), { recursive: true }))
      if (top === null) return
      for await (const entry of top) {
        const path = join(entry.parentPath, entry.name)
        const name = relative(folder, path).split(sep).join('/')
        if (entry.isFile() && !unfinished.has(path) && isStoredName(finishedName(name))) yield name
      }
    },
  }
}

/**
 * Returns a function that creates a folder below `top` and its missing parents, and makes their names durable. It also
 * syncs an existing folder once, because the folder may come from a process that was killed.
 */
function durableFolderMaker(top: string, syncFolder: SyncFolder): (path: string) => Promise<void> {
  /** Folders whose names are durable, together with the names of all folders above them. */
  const durable = new Set<string>()
  return async (path) => {
    const made = await mkdir(path, { recursive: true })
    if (made === undefined && durable.has(path)) return
    const highest = made !== undefined && top.startsWith(resolve(made)) ? dirname(resolve(made)) : top
    for (let synced = path; synced !== highest; ) {
      synced = dirname(synced)
      await syncFolder(synced)
    }
    durable.add(path)
  }
}

type NewFile = { path: string; temporaryPath: string; unfinished: Set<string>; syncFolder: SyncFolder }

/** Creates a file under its temporary path. The file gets its own path when it is finished. */
async function createFile({ path, temporaryPath, unfinished, syncFolder }: NewFile): Promise<FileWriter> {
  unfinished.add(temporaryPath)
  let file: FileHandle | undefined
  const abandon = async () => {
    await file?.close().catch(() => {})
    await rm(temporaryPath, { force: true })
    unfinished.delete(temporaryPath)
  }
  try {
    file = await open(temporaryPath, 'w')
  } catch (error) {
    await abandon()
    throw error
  }
  return {
    write: (bytes) => file.writeFile(bytes),
    async finish() {
      try {
        await file.sync()
        await file.close()
        await rename(temporaryPath, path)
      } catch (error) {
        await abandon()
        throw error
      }
      unfinished.delete(temporaryPath)
      await syncFolder(dirname(path))
    },
    abandon,
  }
}

const finishedName = (name: string) =>
  name.endsWith(UNFINISHED_SUFFIX) ? name.slice(0, -UNFINISHED_SUFFIX.length) : name

/**
 * Returns the result; null if the file is missing. If the name is a folder, or its parent is a file, the file is
 * missing, too.
 */
async function unlessAbsent<Value>(found: Promise<Value>): Promise<Value | null> {
  try {
    return await found
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null
    throw error
  }
}
