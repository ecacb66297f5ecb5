import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { refusal } from '../base/refusal.ts'

/** As a browser names itself to who sends to it (`PushSubscription` of the Push API). */
export const browserKeys = {
  endpoint: z.string().describe('Where notices are sent: at most 2,000 characters.'),
  p256dh: z.string().describe('The public key on P-256 of the browser, in base64url.'),
  auth: z.string().describe('The secret of 16 bytes that it shares with senders, in base64url.'),
}

export const noBrowser = refusal('BAD_REQUEST', 400, 'This is no browser that notices can be sent to')

const MAX_ADDRESS = 2000

/** Refuses what nothing could be sent to. */
export function requireBrowserKeys({
  endpoint,
  p256dh,
  auth,
}: {
  endpoint: string
  p256dh: string
  auth: string
}): void {
  const isAddress = ['http:', 'https:'].includes(URL.parse(endpoint)?.protocol ?? '')
  if (!isAddress || endpoint.length > MAX_ADDRESS || !isPoint(bytesOf(p256dh)) || bytesOf(auth).length !== 16)
    throw noBrowser()
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url')

function isPoint(bytes: Buffer): boolean {
  try {
    return bytes.length === 65 && ECDH.convertKey(bytes, 'prime256v1').length === 65
  } catch {
    return false
  }
}
