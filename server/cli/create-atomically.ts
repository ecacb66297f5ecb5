import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CannotOpenStorage } from '#storage/engine.ts'
import { type SyncFile, type SyncFolder, syncContents, syncFile, syncFolder } from '#storage/files/sync-to-disk.ts'
import { takeSqliteLock } from '#storage/sqlite/lock.ts'
import { CliError } from './cli-context.ts'

/** `path` is the file or folder to move to the target. It is in the folder that `make` got. */
type Made<Result> = { path: string; result: Result }

type Disk = { syncFile: SyncFile; syncFolder: SyncFolder }

/** The lock that the process holds while it uses its temporary folder. */
const LOCK = '.writer'

/**
 * Creates a file or folder at `target`, where nothing may exist. `make` gets a temporary folder next to the target. Its
 * result is durable before it is moved to the target, and under its new name before this function returns. A failure
 * leaves nothing behind. `what` describes the result in the error message that appears while another process creates
 * it. The files of a process that was killed are replaced.
 */
export async function createAtomically<Result>(
  target: string,
  what: string,
  make: (folder: string) => Promise<Made<Result>>,
  disk: Disk = { syncFile, syncFolder },
): Promise<Result> {
  requireAbsent(target)
  const highest = await mkdir(dirname(target), { recursive: true })
  const unfinished = `${target}.unfinished`
  const lock = await takeEmptyFolder(unfinished, what)
  try {
    // Another process may have finished before this one got the lock.
    requireAbsent(target)
    const { path, result } = await make(unfinished)
    if ((await stat(path)).isDirectory()) await syncContents(path, disk)
    else await disk.syncFile(path)
    await rename(path, target)
    await syncParents(target, highest ?? target, disk)
    return result
  } finally {
    // Windows cannot delete the file of a lock that is held.
    if (process.platform === 'win32') lock.release()
    await rm(unfinished, { recursive: true, force: true })
    lock.release()
  }
}

function requireAbsent(target: string): void {
  if (existsSync(target)) throw new CliError(`${target} already exists. Choose another name.`)
}

/** Makes the names of `path` and of the folders above it durable, up to the name of `highest`. */
async function syncParents(path: string, highest: string, disk: Disk): Promise<void> {
  for (let synced = path; synced !== dirname(highest); ) {
    synced = dirname(synced)
    await disk.syncFolder(synced)
  }
}

/** Creates and locks a folder, or empties the one that a killed process left. Refuses folders of other origin. */
async function takeEmptyFolder(folder: string, what: string): Promise<{ release(): void }> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lockFile = `${LOCK}.lock`
  const names = await readdir(folder)
  if (names.length > 0 && !names.includes(lockFile))
    throw new CliError(`${folder} is needed for ${what} that is not complete. Delete or rename it.`)
  const lock = await takeSqliteLock(join(folder, LOCK)).catch((error: unknown) => {
    throw error instanceof CannotOpenStorage ? new CliError(`${folder} belongs to ${what} that is running.`) : error
  })
  for (const name of await readdir(folder))
    if (name !== lockFile) await rm(join(folder, name), { recursive: true, force: true })
  return lock
}
