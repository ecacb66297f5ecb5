import { OperatorError } from '../../platform/errors/operator-error.ts'
import { Refusal } from '../../platform/errors/refusal.ts'

/** Something is wrong with what is to be imported. It says in which file, and where there. */
export class ImportError extends OperatorError {}

/** What `work` returns, or null where it refuses. */
export function nullIfRefused<Result>(work: () => Result): Result | null {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** What `work` returns; what it refuses is told as a problem of `where`. */
export function requireAt<Result>(where: string, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Refusal) throw new ImportError(`${where}: ${error.message}`)
    throw error
  }
}
