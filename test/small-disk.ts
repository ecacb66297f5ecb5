import { execFile } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from './storage.ts'

const run = promisify(execFile)

/** A disk in memory with the given number of MiB. */
export type SmallDisk = {
  readonly folder: string
  /** Fills the disk completely. */
  fill(): void
  /** Frees the space again. */
  empty(): void
}

/** Mounts a disk, or returns the reason why none can be mounted. */
export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk | { missing: string }> {
  const folder = await temporaryFolder()
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder])
  } catch {
    return { missing: 'no file system can be mounted here' }
  }
  after(() => run('umount', ['-l', folder]))
  const filler = join(folder, 'filler')
  return { folder, fill: () => fillDisk(filler), empty: () => rmSync(filler, { force: true }) }
}

function fillDisk(filler: string): void {
  const file = openSync(filler, 'a')
  try {
    for (let size = 65_536; size > 0; size = Math.floor(size / 2)) writeUntilFull(file, Buffer.alloc(size, 1))
  } finally {
    closeSync(file)
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) === bytes.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
