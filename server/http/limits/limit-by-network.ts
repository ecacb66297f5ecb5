import { rateLimitHit } from '#lib/errors/rate-limit-hit.ts'
import type { Services } from '../endpoint.ts'
import { networkOf, siteOf } from './network.ts'
import type { RateRule } from './rate-limit.ts'

export type RequestOrigin = Pick<Services, 'attempts'> & { remoteAddress: string }

/** Counts a request for `what` from the caller's network. Refuses it if there are more than the rules allow. */
export async function limitByNetwork(
  { attempts, remoteAddress }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  const verdict = await attempts.take(networkKey(what, remoteAddress), rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/**
 * Limits the requests from the site of an IPv6 address in the same way. Requests from IPv4 addresses have no such
 * limit.
 */
export async function limitBySite(
  { attempts, remoteAddress }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  const site = siteOf(remoteAddress)
  if (site === null) return
  const verdict = await attempts.take(`${what} from ${site}`, rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** Limits the requests from all networks together in the same way. */
export async function limitGlobally(
  { attempts }: RequestOrigin,
  what: string,
  rules: readonly RateRule[],
): Promise<void> {
  const verdict = await attempts.take(`${what} from anywhere`, rules)
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}

/** Resets the count of `limitByNetwork`. */
export async function resetNetworkLimit({ attempts, remoteAddress }: RequestOrigin, what: string): Promise<void> {
  await attempts.forget(networkKey(what, remoteAddress))
}

/** Resets the count of `limitBySite`. */
export async function resetSiteLimit({ attempts, remoteAddress }: RequestOrigin, what: string): Promise<void> {
  const site = siteOf(remoteAddress)
  if (site !== null) await attempts.forget(`${what} from ${site}`)
}

/** Resets the count of `limitGlobally`. */
export async function resetGlobalLimit({ attempts }: RequestOrigin, what: string): Promise<void> {
  await attempts.forget(`${what} from anywhere`)
}

const networkKey = (what: string, remoteAddress: string) => `${what} from ${networkOf(remoteAddress)}`
