import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** How many domains' answers are remembered. */
const MAX_REMEMBERED = 5000

let list: Buffer | undefined
const remembered = new Map<string, boolean>()

/**
 * Whether a domain, in lower case, hands out throw-away addresses, by the list of the package disposable-email-domains.
 * The list is searched as it lies in its file, so that its 120,000 domains cost 2 MB, and only where they are asked for.
 */
export function isDisposableDomain(domain: string): boolean {
  const known = remembered.get(domain)
  if (known !== undefined) return known
  list ??= readFileSync(createRequire(import.meta.url).resolve('disposable-email-domains/index.json'))
  const isDisposable = !domain.includes('"') && list.includes(`"${domain}"`)
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(domain, isDisposable)
  return isDisposable
}
