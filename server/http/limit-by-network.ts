import { isIPv6 } from 'node:net'
import { rateLimitHit } from '../platform/errors/rate-limit-hit.ts'
import type { Services } from './endpoint.ts'
import type { RateRule } from './rate-limit.ts'

export type RequestOrigin = Pick<Services, 'attempts' | 'settings'> & { remoteAddress: string }

/** Counts a request for `what` from where it comes from; refused when there are more than the rules allow. */
export async function limitByNetwork(
  { attempts, settings, remoteAddress }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  if (!settings.RATE_LIMITING) return
  const verdict = await attempts.take(networkKey(what, remoteAddress), rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** `limitPlace` for the whole site that an IPv6 address belongs to; an IPv4 address is no larger site than itself. */
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

/** `limitPlace` for requests from all places together. */
export async function limitGlobally(
  { attempts, settings }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  if (!settings.RATE_LIMITING) return
  const verdict = await attempts.take(`${what} from anywhere`, rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** Forgets what `limitPlace` counted. */
export async function resetNetworkLimit(
  { attempts, settings, remoteAddress }: RequestOrigin,
  what: string,
): Promise<void> {
  if (settings.RATE_LIMITING) await attempts.forget(networkKey(what, remoteAddress))
}

/** Forgets what `limitSite` counted. */
export async function resetSiteLimit(
  { attempts, settings, remoteAddress }: RequestOrigin,
  what: string,
): Promise<void> {
  const site = siteOf(remoteAddress)
  if (settings.RATE_LIMITING && site !== null) await attempts.forget(`${what} from ${site}`)
}

/** Forgets what `limitEverywhere` counted. */
export async function resetGlobalLimit({ attempts, settings }: RequestOrigin, what: string): Promise<void> {
  if (settings.RATE_LIMITING) await attempts.forget(`${what} from anywhere`)
}

const networkKey = (what: string, remoteAddress: string) => `${what} from ${networkOf(remoteAddress)}`

/** One place of the Internet. Of IPv6 it is the network of 64 bits, since one caller may have all its addresses. */
export function networkOf(remoteAddress: string): string {
  const [address = ''] = remoteAddress.split('%')
  const mapped = MAPPED.exec(address)?.[1]
  return mapped ?? (isIPv6(address) ? prefixOf(address, 4) : remoteAddress)
}

/** The network of 48 bits that an IPv6 address belongs to, as sites are given them; null for all other addresses. */
export function siteOf(remoteAddress: string): string | null {
  const [address = ''] = remoteAddress.split('%')
  return isIPv6(address) && !MAPPED.test(address) ? prefixOf(address, 3) : null
}

/** An IPv4 address in the form of an IPv6 address. */
const MAPPED = /^::ffff:([\d.]+)$/i

/** The network of so many groups of 16 bits. */
function prefixOf(address: string, count: number): string {
  const [head = '', tail] = address.split('::')
  const groups = wordsOf(head)
  const missing = tail === undefined ? 0 : 8 - groups.length - wordsOf(tail).length
  const network = [...groups, ...Array<string>(missing).fill('0'), ...wordsOf(tail ?? '')].slice(0, count)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/${16 * count}`
}

/** The groups of 16 bits; an IPv4 address at the end stands for two. */
const wordsOf = (text: string) =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : group))
