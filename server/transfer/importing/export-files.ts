import { lstat, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'

/** Whether a path that the export names stays below its folder. */
export function isSafePath(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.includes('\0') && !path.split(/[/\\]/).includes('..')
}

/** Where a file of the export lies; null when it has no such file, or a link that leads out of it. */
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
