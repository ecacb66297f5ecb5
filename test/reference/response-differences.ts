import { type Problems, problemsOf } from './compile.ts'
import { isOurOwn } from './deliberate.ts'
import { findAnswerSchema, findOperation } from './document.ts'

/**
 * What of a success the reference's schema of the operation (`POST /register`) does not allow. An operation that the
 * reference lacks is complained of, unless it is deliberately our own.
 */
export function differencesFromReference(route: string, answer: unknown): Problems {
  const schema = findAnswerSchema(route, 200)
  if (schema !== null) return problemsOf(schema, answer)
  if (findOperation(route) !== null) return [`The reference documents no success of ${route}`]
  return isOurOwn(route) ? [] : [`${route} is not in the reference, nor among our own in test/reference/deliberate.ts`]
}
