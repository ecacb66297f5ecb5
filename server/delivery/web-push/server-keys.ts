import { createECDH, hkdfSync, type KeyObject } from 'node:crypto'

/** What makers of browsers know this installation by (RFC 8292), in base64url: numbers on P-256. */
export type ServerKeys = { publicKey: string; privateKey: string }

/** The same for as long as the installation has its secret: browsers take notices from these keys alone. */
export function serverKeys(secret: KeyObject): ServerKeys {
  const privateKey = Buffer.from(hkdfSync('sha256', secret, '', 'web push', 32))
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  return { publicKey: ecdh.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
