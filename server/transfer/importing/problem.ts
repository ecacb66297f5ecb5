import { Problem } from '../../platform/errors/problem.ts'
import { Refusal } from '../../platform/errors/refusal.ts'

/** Something is wrong with what is to be imported. It says in which file, and where there. */
export class ImportProblem extends Problem {}

/** What `work` returns, or null where it refuses. */
export function unlessRefused<Result>(work: () => Result): Result | null {
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
    if (error instanceof Refusal) throw new ImportProblem(`${where}: ${error.message}`)
    throw error
  }
}
