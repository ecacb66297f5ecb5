import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The maximum number of domains for which the result is cached. */
const MAX_RESULTS = 5000

let list: Buffer | undefined
const results = new Map<string, boolean>()

/**
 * Returns whether a domain, in lower case, provides disposable addresses, according to the package
 * disposable-email-domains. The raw file is searched instead of parsed, so that its 120,000 domains take only 2 MB of
 * memory. It is read when it is first needed.
 */
export function isDisposableDomain(domain: string): boolean {
  const cached = results.get(domain)
  if (cached !== undefined) return cached
  list ??= readFileSync(createRequire(import.meta.url).resolve('disposable-email-domains/index.json'))
  const isDisposable = !domain.includes('"') && list.includes(`"${domain}"`)
  if (results.size >= MAX_RESULTS) results.clear()
  results.set(domain, isDisposable)
  return isDisposable
}
