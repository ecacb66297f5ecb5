import type { Readable } from 'node:stream'

/** The suffix of unfinished files. No stored file has this suffix. */
export const UNFINISHED_SUFFIX = '~'

/** Uploaded files, by names such as `avatars/2/f83a.png`. */
export type FileStore = {
  /** Resolves when the whole file is on the disk; readers never see a part of it. */
  save(name: string, bytes: Buffer): Promise<void>
  /** Starts a file that is written in pieces. The file does not exist under its name before it is finished. */
  create(name: string): Promise<FileWriter>
  read(name: string): Promise<Buffer | null>
  /** Returns the bytes or the path of a file, for libraries that read files themselves. Null if it does not exist. */
  findSource(name: string): Promise<Buffer | string | null>
  /** Returns the size in bytes; null if the file does not exist. */
  findSize(name: string): Promise<number | null>
  /** Returns the bytes of an existing file from `start` to before `end`. */
  stream(name: string, range: { start: number; end: number }): Readable
  /** Returns the free bytes of the disk; null if the files are in memory. */
  findFreeSpace(): Promise<number | null>
  /** Deletes a file if it exists. */
  delete(name: string): Promise<void>
  /**
   * Lists the files under the folder `name`, including the remains of unfinished files. Files that are currently being
   * written and foreign files with invalid names are left out.
   */
  list(name: string): AsyncIterable<string>
}

/** Writes one file. Call either `finish` or `abandon`, and only once. */
export type FileWriter = {
  /** Resolves when there is room for more. */
  write(bytes: Buffer): Promise<void>
  /** Resolves when the whole file is on the disk. */
  finish(): Promise<void>
  /** Deletes the unfinished file. */
  abandon(): Promise<void>
}

/** Returns the name if it stays inside the folder and does not look like a temporary file. Throws otherwise. */
export function checkedName(name: string): string {
  if (!isStoredName(name)) throw new Error(`Not a name for a stored file: ${JSON.stringify(name)}`)
  return name
}

/** Returns whether a file can be stored under the name. */
export function isStoredName(name: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(name) && !name.includes('..')
}
