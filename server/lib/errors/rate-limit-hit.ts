import { refusal } from './refusal.ts'

/** The caller has exceeded its limit. `retryAfter` is in seconds. */
export const rateLimitHit = refusal('RATE_LIMIT_HIT', 429, 'API usage exceeded rate limit', {
  extras: ({ retryAfter }: { retryAfter: number }) => ({ 'retry-after': retryAfter }),
})
