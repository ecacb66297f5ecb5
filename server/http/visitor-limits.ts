import { rateLimitHit } from '#lib/errors.ts'
import { hashSecret } from '#lib/secrets.ts'
import type { Services } from './endpoint.ts'
import { networkOf, type RateRule, siteOf } from './rate-limits.ts'

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

/** The limits for emails to an address that anyone can enter in a form: one in ten minutes, and five a day. */
const ENTERED_ADDRESS: readonly RateRule[] = [
  [600, 1],
  [86_400, 5],
]

/**
 * Counts an email `about` something to the address. Returns whether it may be sent, which the response must not reveal.
 */
export async function mayMail(
  { attempts }: Pick<Services, 'attempts'>,
  about: string,
  email: string,
  rules: readonly RateRule[] = ENTERED_ADDRESS,
): Promise<boolean> {
  return (await attempts.take(`${about} to ${hashSecret(email.toLowerCase())}`, rules)).allowed
}
