import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, opendir, readFile, rename, rm, stat, statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { FileOperation, Meter } from '#lib/meter.ts'
import { type SyncFolder, syncFolder as syncFolderOnDisk } from './sync-to-disk.ts'

// Uploaded and generated files by name, in a folder on disk or in the memory of a test. A name never leads out of its
// folder. A file appears under its name only when it is complete and durable.

/** The suffix of unfinished files. No stored file has this suffix. */
export const UNFINISHED_SUFFIX = '~'

/** Uploaded files, by names such as `avatars/2/f83a.png`. */
export type FileStore = {
  /** Resolves when the whole file is on the disk; readers never see a part of it. */
  save(name: string, bytes: Buffer): Promise<void>
  /** Starts a file that is written in pieces. The file does not exist under its name before it is finished. */
  create(name: string): Promise<FileWriter>
  read(name: string): Promise<Buffer | null>
  /**
   * Calls `use` with the bytes or the path of a file, for libraries that read files themselves, and returns its result.
   * The path is valid until `use` has ended. Returns null without a call if the file does not exist.
   */
  withSource<Result>(name: string, use: (source: Buffer | string) => Promise<Result>): Promise<Result | null>
  /** Returns the size in bytes; null if the file does not exist. */
  findSize(name: string): Promise<number | null>
  /** Returns the bytes of an existing file from `start` to before `end`. */
  stream(name: string, range: { start: number; end: number }): Readable
  /** Returns the free bytes of the disk that files need, at least while they are written; null if they are in memory. */
  findFreeSpace(): Promise<number | null>
  /** Deletes a file if it exists. */
  delete(name: string): Promise<void>
  /**
   * Lists the files under the folder `name`, including the remains of unfinished files. Files that are currently being
   * written and foreign files with invalid names are left out.
   */
  list(name: string): AsyncIterable<string>
  /** Returns since when the store cannot be used, in UNIX seconds; null while it can. Folders have no such state. */
  failingSince?(): number | null
  /** Throws `FilesUnavailable` with the reason if the store cannot be used. */
  check?(): Promise<void>
  /** Returns a URL at which anyone can read the file from the store itself for a while. */
  signUrl?(name: string, options: SignedUrlOptions): Promise<string>
}

/** The headers of the response at a signed URL, and the times from which it is valid and for how long. */
type SignedUrlOptions = {
  contentType: string
  disposition: string
  caching: string
  /** UNIX seconds. The same time gives the same URL. */
  signedAt: number
  validSeconds: number
}

/** Writes one file. Call either `finish` or `abandon`, and only once. */
export type FileWriter = {
  /** Resolves when there is room for more. */
  write(bytes: Buffer): Promise<void>
  /** Resolves when the whole file is on the disk. */
  finish(): Promise<void>
  /** Deletes the unfinished file. */
  abandon(): Promise<void>
}

/** Returns the name if it stays inside the folder and does not look like a temporary file. Throws otherwise. */
export function checkedName(name: string): string {
  if (!isStoredName(name)) throw new Error(`Not a name for a stored file: ${JSON.stringify(name)}`)
  return name
}

/** Returns whether a file can be stored under the name. */
export function isStoredName(name: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(name) && !name.includes('..')
}

/** The folders of stored files that are backed up. */
export const AVATARS = 'avatars'
export const EMOJI = 'emoji'
export const REALM_PICTURES = 'organizations'
export const UPLOADS = 'uploads'

/** Thumbnails can be recreated at any time. */
export const THUMBNAILS = 'thumbnails'

/** Pictures and videos of other sites, which can be fetched again. */
export const EXTERNAL_CONTENT = 'external_content'

/** Exports that administrators requested. Backups leave them out, because they can be made again. */
export const DATA_EXPORTS = 'exports'

/** The folders whose files cannot be recreated. */
export const backedUpFolders: readonly string[] = [AVATARS, EMOJI, REALM_PICTURES, UPLOADS]

/** Copies a file from the disk into the store; returns its size in bytes. `signal` aborts the copying. */
export async function storeFile(files: FileStore, source: string, name: string, signal?: AbortSignal): Promise<number> {
  const writer = await files.create(name)
  await using unfinished = new AsyncDisposableStack()
  unfinished.defer(() => writer.abandon())
  let size = 0
  for await (const piece of createReadStream(source, { signal })) {
    size += piece.length
    await writer.write(piece as Buffer)
  }
  unfinished.move()
  await writer.finish()
  return size
}

/** Identifies the unfinished files of this process, because other processes and machines may share the folder. */
export const OWN_MARK = `${hostname().replace(/[^A-Za-z0-9]+/g, '')}-${process.pid}`

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
    async withSource(name, use) {
      const found = await unlessAbsent(stat(pathOf(name)))
      return found?.isFile() ? use(pathOf(name)) : null
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

export const finishedName = (name: string) =>
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

/** Opens a store for files in `folder`. The first file creates the folder. If `folder` is null, files are in memory. */
export function openFileStore(folder: string | null): FileStore {
  return folder === null ? filesInMemory() : filesInFolder(folder)
}

function filesInMemory(): FileStore {
  const files = new Map<string, Buffer>()
  return {
    async save(name, bytes) {
      files.set(checkedName(name), Buffer.from(bytes))
    },
    async create(name) {
      checkedName(name)
      const pieces: Buffer[] = []
      return {
        write: async (bytes) => void pieces.push(Buffer.from(bytes)),
        finish: async () => void files.set(name, Buffer.concat(pieces)),
        abandon: async () => {},
      }
    },
    read: async (name) => files.get(checkedName(name)) ?? null,
    async withSource(name, use) {
      const bytes = files.get(checkedName(name))
      return bytes === undefined ? null : use(bytes)
    },
    findSize: async (name) => files.get(checkedName(name))?.length ?? null,
    stream: (name, { start, end }) => Readable.from([files.get(checkedName(name))?.subarray(start, end) ?? '']),
    findFreeSpace: async () => null,
    async delete(name) {
      files.delete(checkedName(name))
    },
    async *list(name) {
      for (const file of [...files.keys()]) if (file.startsWith(`${checkedName(name)}/`)) yield file
    },
  }
}

/**
 * Returns a store that reports the time and the outcome of each operation, whatever stores the files. Returns the store
 * unchanged if there is no meter.
 */
export function measuredFiles(files: FileStore, meter: Meter | undefined): FileStore {
  if (meter === undefined) return files
  const begin = (operation: FileOperation) => {
    const startedAt = performance.now()
    return (hasFailed: boolean) =>
      meter.fileOperationEnded(operation, (performance.now() - startedAt) / 1000, hasFailed)
  }
  async function measure<Result>(operation: FileOperation, work: () => Promise<Result>): Promise<Result> {
    const end = begin(operation)
    let hasFailed = true
    try {
      const result = await work()
      hasFailed = false
      return result
    } finally {
      end(hasFailed)
    }
  }
  return {
    ...files,
    save: (name, bytes) => measure('save', () => files.save(name, bytes)),
    async create(name) {
      const writer = await measure('save', () => files.create(name))
      return {
        write: (bytes) => writer.write(bytes),
        finish: () => measure('save', () => writer.finish()),
        abandon: () => writer.abandon(),
      }
    },
    read: (name) => measure('read', () => files.read(name)),
    findSize: (name) => measure('find', () => files.findSize(name)),
    stream(name, range) {
      const end = begin('stream')
      const stream = files.stream(name, range)
      return stream.once('close', () => end(stream.errored !== null))
    },
    delete: (name) => measure('delete', () => files.delete(name)),
    async *list(name) {
      const end = begin('list')
      let hasFailed = true
      try {
        yield* files.list(name)
        hasFailed = false
      } finally {
        end(hasFailed)
      }
    },
  }
}
