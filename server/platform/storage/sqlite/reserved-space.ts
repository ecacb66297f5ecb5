import { rmSync, writeFileSync } from 'node:fs'

/** Bytes: the index of the log takes 32 KiB, and without it nothing in the database can be read. */
const RESERVED = 65_536

const fileOf = (path: string) => `${path}.reserve`

/** Keeps room beside the database at `path` for what opening it needs, if there is any: a later start may find a full disk. */
export function reserveDiskSpace(path: string): void {
  try {
    writeFileSync(fileOf(path), Buffer.alloc(RESERVED), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    // Half a reserve would look like a whole one.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') releaseReservedSpace(path)
  }
}

/** Makes the room free that was reserved. */
export function releaseReservedSpace(path: string): void {
  rmSync(fileOf(path), { force: true })
}
