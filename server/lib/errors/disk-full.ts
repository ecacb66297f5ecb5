import { OperatorError } from './operator-error.ts'

/** The disk was full. The operation saved nothing; existing data can still be read. */
export class DiskFull extends OperatorError {}

/** Returns whether the error reports a full disk, from the database or from the file system. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof DiskFull) return true
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
