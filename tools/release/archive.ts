import { readdirSync } from 'node:fs'
import { create } from 'tar'

/**
 * Packs a folder, under another name, into a `.tar.gz`. The same files give the same bytes: entries are sorted, have the
 * given time in seconds, and belong to nobody in particular.
 */
export async function packFolder(folder: string, name: string, file: string, time: number): Promise<void> {
  const entries = (readdirSync(folder, { recursive: true }) as string[]).sort()
  const options = { portable: true, mtime: new Date(time * 1000), noDirRecurse: true, gzip: { level: 9 } }
  await create({ ...options, cwd: folder, prefix: name, file }, ['.', ...entries])
}
