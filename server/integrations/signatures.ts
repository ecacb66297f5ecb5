import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { equalSecrets } from '#lib/secrets.ts'

// Signatures of deliveries. A service that signs its deliveries proves that it knows a secret, so that knowing the URL
// of a bot is not enough to post. Comparisons take the same time for every input.

/** A delivery as it was received, and the secret that its sender shares with the bot. */
type Signed = { rawBody: Buffer; headers: IncomingHttpHeaders; secret: string; now: number }

/** Returns whether the delivery was signed with the secret. */
export type VerifySignature = (signed: Signed) => boolean

type Hmac = {
  header: string
  algorithm?: 'md5' | 'sha1' | 'sha256'
  encoding?: 'hex' | 'base64'
  /** The text before the signature in the header, such as `sha256=`. */
  prefix?: string
}

const hmac = (algorithm: string, secret: string, ...parts: readonly (string | Buffer)[]) => {
  const made = createHmac(algorithm, secret)
  for (const part of parts) made.update(part)
  return made
}

const headerOf = ({ headers }: Signed, name: string) => String(headers[name.toLowerCase()] ?? '')

/** Checks an HMAC of the body in a header. A header may have several signatures, separated by commas. */
export function hmacSignature({ header, algorithm = 'sha256', encoding = 'hex', prefix = '' }: Hmac): VerifySignature {
  return (signed) => {
    const expected = prefix + hmac(algorithm, signed.secret, signed.rawBody).digest(encoding)
    return headerOf(signed, header)
      .split(',')
      .some((given) => equalSecrets(given.trim(), expected))
  }
}

/** Checks a header that contains the secret itself. */
export function tokenHeader(header: string): VerifySignature {
  return (signed) => equalSecrets(headerOf(signed, header), signed.secret)
}

/** Seconds for which a signature with a time is valid. */
const MAX_AGE = 300

const isRecent = (time: string, now: number) => /^\d{1,12}$/.test(time) && Math.abs(now - Number(time)) <= MAX_AGE

/** Checks the signature of Slack, which covers the time of the request. */
export const slackSignature: VerifySignature = (signed) => {
  const time = headerOf(signed, 'X-Slack-Request-Timestamp')
  const expected = `v0=${hmac('sha256', signed.secret, `v0:${time}:`, signed.rawBody).digest('hex')}`
  return isRecent(time, signed.now) && equalSecrets(headerOf(signed, 'X-Slack-Signature'), expected)
}

/** Checks the signature of Stripe, which covers the time of the request. */
export const stripeSignature: VerifySignature = (signed) => {
  const fields = headerOf(signed, 'Stripe-Signature')
    .split(',')
    .map((field) => field.trim().split('=') as [string, string?])
  const time = fields.find(([name]) => name === 't')?.[1] ?? ''
  const expected = hmac('sha256', signed.secret, `${time}.`, signed.rawBody).digest('hex')
  return (
    isRecent(time, signed.now) && fields.some(([name, value = '']) => name === 'v1' && equalSecrets(value, expected))
  )
}
