import { type Problems, problemsOf } from './compile.ts'
import { isOurOwn } from './deliberate.ts'
import { findAnswerSchema, findOperation } from './document.ts'

/**
 * Returns how a success differs from the documented schema of the operation (`POST /register`). An operation that the
 * reference server lacks is a difference, unless it is listed as our own.
 */
export function differencesFromReference(route: string, answer: unknown): Problems {
  const schema = findAnswerSchema(route, 200)
  if (schema !== null) return problemsOf(schema, answer)
  if (findOperation(route) !== null) return [`The reference documents no success of ${route}`]
  return isOurOwn(route) ? [] : [`${route} is not in the reference, nor among our own in test/reference/deliberate.ts`]
}
