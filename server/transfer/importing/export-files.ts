import { lstat, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** Returns whether a path in the export stays inside its folder. */
export function isSafePath(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.includes('\0') && !path.split(/[/\\]/).includes('..')
}

/** Returns the path of a file in the export; null if it does not exist or a link leads out of the folder. */
export async function findExportedFile(folder: string, kind: string, path: string): Promise<string | null> {
  const found = join(folder, kind, path)
  try {
    if (!(await lstat(found)).isFile()) return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
  const [real, root] = [await realpath(found), await realpath(folder)]
  return real.startsWith(root + sep) ? real : null
}
