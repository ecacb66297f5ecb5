import { createECDH, ECDH, hkdfSync, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import { refusal } from '#lib/errors.ts'

/** A `PushSubscription` of the Push API: the address and the keys of a browser. */
export const browserKeys = {
  endpoint: z.string().describe('The address of the push service, at most 2,000 characters.'),
  p256dh: z.string().describe('The public key of the browser (P-256), in base64url.'),
  auth: z.string().describe('The secret of 16 bytes that the browser shares with senders, in base64url.'),
}

export const invalidBrowserKeys = refusal('BAD_REQUEST', 400, "This browser can't receive notifications")

const MAX_ADDRESS = 2000

type Browser = { endpoint: string; p256dh: string; auth: string }

/** Returns the browser with its keys in canonical form. Refuses an address or keys that are not valid. */
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

/** The keys by which push services identify this installation (RFC 8292): P-256, in base64url. */
type ServerKeys = { publicKey: string; privateKey: string }

/** Derives the keys from the secret of the installation. Browsers accept notifications from these keys only. */
export function serverKeys(secret: KeyObject): ServerKeys {
  const privateKey = Buffer.from(hkdfSync('sha256', secret, '', 'web push', 32))
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  return { publicKey: ecdh.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
