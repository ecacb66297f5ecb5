import type { Readable } from 'node:stream'

/** What the name of an unfinished file ends with, which no stored file's does. */
export const UNFINISHED_SUFFIX = '~'

/** Uploaded files, by names such as `avatars/2/f83a.png`. */
export type FileStore = {
  /** Resolves when the whole file is on the disk; a reader never meets half of it. */
  save(name: string, bytes: Buffer): Promise<void>
  /** Begins a file that is written in pieces; under its name nothing is there before it is finished. */
  create(name: string): Promise<FileWriter>
  read(name: string): Promise<Buffer | null>
  /** What libraries read that read files by themselves: its bytes, or where they lie. Null when there is no such file. */
  findSource(name: string): Promise<Buffer | string | null>
  /** In bytes; null when there is no such file. */
  findSize(name: string): Promise<number | null>
  /** The bytes from `start` to before `end` of a file that is there. */
  stream(name: string, range: { start: number; end: number }): Readable
  /** Deleting what is not there is no error. */
  delete(name: string): Promise<void>
  /**
   * The names of the files under the folder `name`, and of what is left of files that were never finished; those being
   * written now are left out, and what the system or somebody else has put there under no name of ours.
   */
  list(name: string): AsyncIterable<string>
}

/** Of the two last ones exactly one must be called. */
export type FileWriter = {
  /** Resolves when there is room for more. */
  write(bytes: Buffer): Promise<void>
  /** Resolves when the whole file is on the disk. */
  finish(): Promise<void>
  /** Leaves nothing behind. */
  abandon(): Promise<void>
}

/** The name, if it cannot lead out of the folder and no temporary file has one like it. */
export function checkedName(name: string): string {
  if (!isStoredName(name)) throw new Error(`Not a name for a stored file: ${JSON.stringify(name)}`)
  return name
}

/** Whether a file can be stored under the name. */
export function isStoredName(name: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(name) && !name.includes('..')
}
