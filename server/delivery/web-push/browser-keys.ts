import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { refusal } from '../../platform/errors/refusal.ts'

/** As a browser names itself to who sends to it (`PushSubscription` of the Push API). */
export const browserKeys = {
  endpoint: z.string().describe('Where notices are sent: at most 2,000 characters.'),
  p256dh: z.string().describe('The public key on P-256 of the browser, in base64url.'),
  auth: z.string().describe('The secret of 16 bytes that it shares with senders, in base64url.'),
}

export const invalidBrowserKeys = refusal('BAD_REQUEST', 400, 'This is no browser that notices can be sent to')

const MAX_ADDRESS = 2000

type Browser = { endpoint: string; p256dh: string; auth: string }

/** The same, its keys as they are written everywhere; refuses what nothing could be sent to. */
export function requireBrowserKeys({ endpoint, ...keys }: Browser): Browser {
  const [p256dh, auth] = [bytesOf(keys.p256dh), bytesOf(keys.auth)]
  const isAddress = ['http:', 'https:'].includes(URL.parse(endpoint)?.protocol ?? '')
  if (!isAddress || endpoint.length > MAX_ADDRESS || !isPoint(p256dh) || auth.length !== 16) throw invalidBrowserKeys()
  return { endpoint, p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') }
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url')

function isPoint(bytes: Buffer): boolean {
  try {
    return bytes.length === 65 && ECDH.convertKey(bytes, 'prime256v1').length === 65
  } catch {
    return false
  }
}
