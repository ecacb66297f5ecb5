import { OperatorError } from '#lib/errors/operator-error.ts'
import { Refusal } from '#lib/errors/refusal.ts'

/** An error in the imported data. The message names the file and the position. */
export class ImportError extends OperatorError {}

/** Returns the result of `work`, or null if it throws a refusal. */
export function nullIfRefused<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** Returns the result of `work`. If `work` throws a refusal, throws an ImportError that names the position. */
export function requireAt<Result>(position: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) throw new ImportError(`${position}: ${error.message}`)
    throw error
  }
}
