import { Refusal } from './refusal.ts'

/** What whoever runs Parley can mend themselves: the message says what is wrong, and what to do about it. */
export class OperatorError extends Error {}

/** What to tell whoever started a process that an error ended; null for what must be a bug, and is shown with its stack. */
export function explainError(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  // What the system says of a file names it, and why it refuses.
  const isAboutFile = 'syscall' in error && 'path' in error
  return error instanceof OperatorError || error instanceof Refusal || isAboutFile ? error.message : null
}
