import { isIPv6 } from 'node:net'
import { rateLimitHit } from '../base/rate-limit-hit.ts'
import type { Services } from './endpoint.ts'
import type { RateRule } from './rate-limit.ts'

export type FromPlace = Pick<Services, 'attempts' | 'settings'> & { remoteAddress: string }

/** Counts a request for `what` from where it comes from; refused when there are more than the rules allow. */
export async function limitPlace(
  { attempts, settings, remoteAddress }: FromPlace,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  if (!settings.RATE_LIMITING) return
  const verdict = await attempts.take(placeKey(what, remoteAddress), rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** Forgets what `limitPlace` counted. */
export async function forgetPlace({ attempts, settings, remoteAddress }: FromPlace, what: string): Promise<void> {
  if (settings.RATE_LIMITING) await attempts.forget(placeKey(what, remoteAddress))
}

const placeKey = (what: string, remoteAddress: string) => `${what} from ${networkOf(remoteAddress)}`

/** One place of the Internet. Of IPv6 it is the network of 64 bits, since one caller may have all its addresses. */
export function networkOf(remoteAddress: string): string {
  const [address = ''] = remoteAddress.split('%')
  if (!isIPv6(address)) return remoteAddress
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = address.split('::')
  const groups = wordsOf(head)
  const missing = tail === undefined ? 0 : 8 - groups.length - wordsOf(tail).length
  const network = [...groups, ...Array<string>(missing).fill('0'), ...wordsOf(tail ?? '')].slice(0, 4)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

/** The groups of 16 bits; an IPv4 address at the end stands for two. */
const wordsOf = (text: string) =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : group))
