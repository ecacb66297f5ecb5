import type { Resolve } from './guarded-request.ts'

type Limits = {
  /** The maximum number of lookups at a time. */
  pending: number
  /** The maximum number of lookups that wait for others. Any more fail. */
  waiting: number
}

/**
 * Limits the lookups of names. A lookup counts until it has finished, even if its request was aborted before, because
 * it occupies a thread of the process until then.
 */
export function limitLookups(resolve: Resolve, limits: Limits): Resolve {
  const waiting: (() => void)[] = []
  let pending = 0

  const start: Resolve = (host, options, done) => {
    pending += 1
    resolve(host, options, (error, addresses) => {
      pending -= 1
      waiting.shift()?.()
      done(error, addresses)
    })
  }

  return (host, options, done) => {
    if (pending < limits.pending) start(host, options, done)
    else if (waiting.length < limits.waiting) waiting.push(() => start(host, options, done))
    else done(Object.assign(new Error('Too many lookups'), { code: 'EAI_AGAIN' }), [])
  }
}
