import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

// Makes files and names of files durable. A new file survives a power failure only if both it and its folder were
// synced.

/** Makes the content of a file durable. */
export type SyncFile = (path: string) => Promise<void>

/** Makes the names in a folder durable. */
export type SyncFolder = (path: string) => Promise<void>

export const syncFile: SyncFile = async (path) => {
  await using file = await open(path, 'r+')
  await file.sync()
}

/** Windows does not support this. */
export const syncFolder: SyncFolder = async (path) => {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

/** The maximum number of files that are synced at the same time. */
const CONCURRENCY = 8

/** Makes a folder durable with everything in it. Its own name is durable once its parent folder is synced, too. */
export async function syncContents(
  folder: string,
  disk: { syncFile: SyncFile; syncFolder: SyncFolder },
): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const left = entries.values()
  const syncRest = async () => {
    for (const entry of left) {
      const path = join(entry.parentPath, entry.name)
      await (entry.isDirectory() ? disk.syncFolder(path) : disk.syncFile(path))
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, syncRest))
  await disk.syncFolder(folder)
}
