import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type FileStore, UNFINISHED_SUFFIX } from './files.ts'
import { backedUpFolders } from './folders.ts'

/**
 * The maximum number of files that are copied at the same time. Several are, because each copy waits for the disk at
 * its end.
 */
const CONCURRENCY = 8

export type CopiedTotals = { files: number; bytes: number }

/**
 * Copies all files that cannot be recreated. Files deleted meanwhile are skipped; files added meanwhile may be missing.
 * `onProgress` gets the totals so far. After a failure no further files are written.
 */
export async function copyFiles(
  from: FileStore,
  to: FileStore,
  onProgress: (copied: CopiedTotals) => void = () => {},
): Promise<CopiedTotals> {
  const copied: CopiedTotals = { files: 0, bytes: 0 }
  for (const folder of backedUpFolders) {
    const names = from.list(folder)[Symbol.asyncIterator]()
    let hasFailed = false
    const copyNext = async () => {
      for (let next = await names.next(); !next.done && !hasFailed; next = await names.next()) {
        if (next.value.endsWith(UNFINISHED_SUFFIX)) continue
        const size = await copyFile(from, to, next.value)
        if (size === null) continue
        copied.files += 1
        copied.bytes += size
        onProgress(copied)
      }
    }
    const copying = Array.from({ length: CONCURRENCY }, () =>
      copyNext().catch((error: unknown) => {
        hasFailed = true
        throw error
      }),
    )
    await Promise.allSettled(copying)
    await Promise.all(copying)
  }
  return copied
}

/** Copies a file and returns its size; null if the file has been deleted. */
async function copyFile(from: FileStore, to: FileStore, name: string): Promise<number | null> {
  const size = await from.findSize(name)
  if (size === null) return null
  const writer = await to.create(name)
  try {
    await pipeline(
      from.stream(name, { start: 0, end: size }),
      new Writable({
        write(chunk: Buffer, _, done) {
          writer.write(chunk).then(() => done(), done)
        },
      }),
    )
  } catch (error) {
    await writer.abandon()
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  await writer.finish()
  return size
}
