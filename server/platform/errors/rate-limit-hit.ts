import { refusal } from './refusal.ts'

/** The caller asks for more than its share. `retryAfter` is in seconds. */
export const rateLimitHit = refusal(
  'RATE_LIMIT_HIT',
  429,
  'API usage exceeded rate limit',
  ({ retryAfter }: { retryAfter: number }) => ({ 'retry-after': retryAfter }),
)
