import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isPostgresUrl, type Settings } from '#config.ts'
import type { FileStore } from '#storage/files.ts'

type Disk = { readonly name: 'database' | 'files'; readonly free: number; readonly size: number }

type Disks = {
  readonly disks: readonly Disk[]
  /** The sizes of the files of SQLite; null without a file. */
  readonly databaseBytes: number | null
  readonly logBytes: number | null
}

/** Returns the disks of this machine on which the database and the files are, and the sizes of the files of SQLite. */
export async function findDisks(
  { DATABASE_URL: path, DATA_DIR }: Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>,
  files: Pick<FileStore, 'findFreeSpace'>,
): Promise<Disks> {
  const isFile = path !== 'memory' && !isPostgresUrl(path)
  const hasFiles = (await files.findFreeSpace().catch(() => null)) !== null
  const disks = await Promise.all([
    ...(isFile ? [readDisk('database', dirname(path))] : []),
    ...(hasFiles ? [readDisk('files', DATA_DIR)] : []),
  ])
  return {
    disks: disks.filter((disk) => disk !== null),
    databaseBytes: isFile ? await sizeOf(path) : null,
    logBytes: isFile ? await sizeOf(`${path}-wal`) : null,
  }
}

async function readDisk(name: Disk['name'], folder: string): Promise<Disk | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { name, free: bavail * bsize, size: blocks * bsize }
  } catch {
    return null
  }
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.size ?? 0
