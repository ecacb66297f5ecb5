import { Refusal } from './refusal.ts'

/** A problem that the operator of the server can solve: the message names the problem and the solution. */
export class OperatorError extends Error {}

/** Returns a message for the operator whose process failed; null for a bug, which is shown with its stack. */
export function explainError(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  // Errors of the operating system name the file and the reason.
  const isAboutFile = 'syscall' in error && 'path' in error
  return error instanceof OperatorError || error instanceof Refusal || isAboutFile ? error.message : null
}
