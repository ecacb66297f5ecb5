import { createHmac, type KeyObject } from 'node:crypto'
import { isPlainAddress } from './guarded-fetch.ts'
import { equalSecrets } from './secrets.ts'

// The addresses at which this server passes on pictures and videos of other sites, so that browsers contact no other
// server: `/external_content/{signature}/{address in hex}`. The signature is made with the secret of the server, so
// that the server fetches only addresses that it has offered itself. The addresses are relative and do not expire: they
// are part of stored messages, and stay valid until the secret changes.

/** The secret and the rules with which addresses are made. */
export type ExternalContentKey = {
  /** The secret of the server. */
  readonly secret: KeyObject
  /** The hosts of other sites that are not public, or at unusual ports, as in EXTERNAL_CONTENT_PRIVATE_HOSTS. */
  readonly privateHosts: readonly string[]
}

/** The maximum length of an address of another site, in bytes. */
const MAX_ADDRESS_LENGTH = 2000

const PREFIX = '/external_content/'
const PATH = /^\/external_content\/([0-9a-f]{40})\/((?:[0-9a-f]{2}){1,2000})$/

/**
 * Returns the path at which this server shows a picture or video of another site. Returns null if the server would not
 * fetch the address: because of its scheme, port, credentials or length.
 */
export function externalContentPath({ secret, privateHosts }: ExternalContentKey, address: string): string | null {
  const url = URL.parse(address)
  if (url === null || !isPlainAddress(url, privateHosts) || Buffer.byteLength(address) > MAX_ADDRESS_LENGTH) return null
  const bytes = Buffer.from(address)
  return `${PREFIX}${signatureOf(secret, bytes)}/${bytes.toString('hex')}`
}

/** Returns the address of the other site; null if this server did not make the path. */
export function verifyExternalContentPath(secret: KeyObject, path: string): string | null {
  const [, signature, hex] = PATH.exec(path) ?? []
  if (signature === undefined || hex === undefined) return null
  const bytes = Buffer.from(hex, 'hex')
  return equalSecrets(signature, signatureOf(secret, bytes)) ? bytes.toString() : null
}

/** Returns the address of the other site in a path from a stored message, without verifying it; null for other text. */
export function externalAddressIn(path: string): string | null {
  const [, , hex] = PATH.exec(path) ?? []
  return hex === undefined ? null : Buffer.from(hex, 'hex').toString()
}

/** Returns the first 160 bits of the signature in hexadecimal. */
const signatureOf = (secret: KeyObject, address: Buffer) =>
  createHmac('sha256', secret).update('external content\0').update(address).digest('hex').slice(0, 40)
