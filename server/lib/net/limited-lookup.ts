import type { Resolve } from './guarded-request.ts'

type Limits = {
  /** The maximum number of lookups at a time. */
  pending: number
  /** The maximum number of lookups that wait for other lookups. Further lookups fail. */
  waiting: number
}

/**
 * Limits the lookups of names. A lookup counts until it has finished, even if its request was aborted before, because
 * it occupies a thread of the process until then. A waiting lookup fails when its request is aborted.
 */
export function limitLookups(resolve: Resolve, limits: Limits): Resolve {
  const waiting = new Set<() => void>()
  let pending = 0

  const start: Resolve = (host, options, done) => {
    pending += 1
    resolve(host, options, (error, addresses) => {
      pending -= 1
      const [next] = waiting
      next?.()
      done(error, addresses)
    })
  }

  return (host, options, done, signal) => {
    const fail = (message: string) => done(Object.assign(new Error(message), { code: 'EAI_AGAIN' }), [])
    if (pending < limits.pending) return start(host, options, done)
    if (waiting.size >= limits.waiting) return fail('Too many lookups')
    const begin = () => {
      waiting.delete(begin)
      signal?.removeEventListener('abort', abort)
      start(host, options, done)
    }
    const abort = () => {
      waiting.delete(begin)
      fail('The request was aborted')
    }
    waiting.add(begin)
    signal?.addEventListener('abort', abort, { once: true })
  }
}
