import { hashSecret } from '#lib/security/secrets.ts'
import type { Services } from '../endpoint.ts'
import type { RateRule } from './rate-limit.ts'

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
