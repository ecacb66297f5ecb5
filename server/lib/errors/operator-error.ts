import { Refusal } from './refusal.ts'

/** A problem that the operator of the server can solve: the message names the problem and the solution. */
export class OperatorError extends Error {}

/**
 * Returns the message that tells the operator why the process failed. Returns null for a bug, because a bug is shown
 * with its stack trace.
 */
export function explainError(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  // Errors of the operating system name the file and the reason.
  const isAboutFile = 'syscall' in error && 'path' in error
  return error instanceof OperatorError || error instanceof Refusal || isAboutFile ? error.message : null
}
