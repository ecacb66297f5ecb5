import { isIPv6 } from 'node:net'
import { rateLimitHit } from '../../platform/errors/rate-limit-hit.ts'
import type { Services } from '../endpoint.ts'
import type { RateRule } from './rate-limit.ts'

export type RequestOrigin = Pick<Services, 'attempts' | 'settings'> & { remoteAddress: string }

/** Counts a request for `what` from the caller's network. Refuses it if there are more than the rules allow. */
export async function limitByNetwork(
  { attempts, settings, remoteAddress }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  if (!settings.RATE_LIMITING) return
  const verdict = await attempts.take(networkKey(what, remoteAddress), rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/**
 * Limits the requests from the site of an IPv6 address in the same way. Requests from IPv4 addresses have no such
 * limit.
 */
export async function limitBySite(
  { attempts, settings, remoteAddress }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  const site = siteOf(remoteAddress)
  if (!settings.RATE_LIMITING || site === null) return
  const verdict = await attempts.take(`${what} from ${site}`, rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** Limits the requests from all networks together in the same way. */
export async function limitGlobally(
  { attempts, settings }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  if (!settings.RATE_LIMITING) return
  const verdict = await attempts.take(`${what} from anywhere`, rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** Resets the count of `limitByNetwork`. */
export async function resetNetworkLimit(
  { attempts, settings, remoteAddress }: RequestOrigin,
  what: string,
): Promise<void> {
  if (settings.RATE_LIMITING) await attempts.forget(networkKey(what, remoteAddress))
}

/** Resets the count of `limitBySite`. */
export async function resetSiteLimit(
  { attempts, settings, remoteAddress }: RequestOrigin,
  what: string,
): Promise<void> {
  const site = siteOf(remoteAddress)
  if (settings.RATE_LIMITING && site !== null) await attempts.forget(`${what} from ${site}`)
}

/** Resets the count of `limitGlobally`. */
export async function resetGlobalLimit({ attempts, settings }: RequestOrigin, what: string): Promise<void> {
  if (settings.RATE_LIMITING) await attempts.forget(`${what} from anywhere`)
}

const networkKey = (what: string, remoteAddress: string) => `${what} from ${networkOf(remoteAddress)}`

/** Returns the network of an address: for IPv6 the first 64 bits, since one caller may have all addresses in it. */
export function networkOf(remoteAddress: string): string {
  const [address = ''] = remoteAddress.split('%')
  const mapped = MAPPED.exec(address)?.[1]
  return mapped ?? (isIPv6(address) ? prefixOf(address, 4) : remoteAddress)
}

/** Returns the first 48 bits of an IPv6 address, the usual size of a site; null for all other addresses. */
export function siteOf(remoteAddress: string): string | null {
  const [address = ''] = remoteAddress.split('%')
  return isIPv6(address) && !MAPPED.test(address) ? prefixOf(address, 3) : null
}

/** An IPv4 address in the form of an IPv6 address. */
const MAPPED = /^::ffff:([\d.]+)$/i

/** Returns the network with the first `count` groups of 16 bits of the address. */
function prefixOf(address: string, count: number): string {
  const [head = '', tail] = address.split('::')
  const groups = groupsOf(head)
  const missing = tail === undefined ? 0 : 8 - groups.length - groupsOf(tail).length
  const network = [...groups, ...Array<string>(missing).fill('0'), ...groupsOf(tail ?? '')].slice(0, count)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/${16 * count}`
}

/** Returns the groups of 16 bits. An IPv4 address at the end counts as two. */
const groupsOf = (text: string) =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : group))
