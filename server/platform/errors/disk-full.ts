import { OperatorError } from './operator-error.ts'

/** No room was left for what was to be saved: nothing of it is, and what is there can be read. */
export class DiskFull extends OperatorError {}

/** Whether an error says so, of the database or, as the system's own, of a file. */
export function isDiskFull(error: unknown): boolean {
  if (error instanceof DiskFull) return true
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
