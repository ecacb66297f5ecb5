import type { RateRule } from '../http/rate-limit.ts'
import { rateLimitHit } from '../http/refusals.ts'
import type { PageCall } from './page.ts'

/** Counts a request for `what` from where it comes from; refused when there are more than the rules allow. */
export function limitRate(
  { rateLimiter, settings, clock, remoteAddress }: PageCall,
  what: string,
  rules: readonly RateRule[],
): void {
  if (!settings.RATE_LIMITING) return
  const verdict = rateLimiter.take(`${what} from ${remoteAddress}`, rules, clock.now())
  if (!verdict.allowed) throw rateLimitHit({ retryAfter: verdict.retryAfter })
}
