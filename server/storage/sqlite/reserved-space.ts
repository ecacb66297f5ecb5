import { rmSync, writeFileSync } from 'node:fs'

/**
 * The reserved space in bytes. The index of the log takes 32 KiB, and the database cannot be read without the index.
 */
const RESERVED = 65_536

const fileOf = (path: string) => `${path}.reserve`

/**
 * Reserves disk space beside the database at `path`, because a later start may find a full disk and needs space to open
 * the database. If there is too little space now, reserves nothing.
 */
export function reserveDiskSpace(path: string): void {
  try {
    writeFileSync(fileOf(path), Buffer.alloc(RESERVED), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    // A partial reserve would look like a complete one.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') releaseReservedSpace(path)
  }
}

/** Frees the reserved disk space. */
export function releaseReservedSpace(path: string): void {
  rmSync(fileOf(path), { force: true })
}
