import { createECDH, hkdfSync, type KeyObject } from 'node:crypto'

/** The keys by which push services identify this installation (RFC 8292): P-256, in base64url. */
type ServerKeys = { publicKey: string; privateKey: string }

/** Derives the keys from the secret of the installation. Browsers accept notifications from these keys only. */
export function serverKeys(secret: KeyObject): ServerKeys {
  const privateKey = Buffer.from(hkdfSync('sha256', secret, '', 'web push', 32))
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey)
  return { publicKey: ecdh.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
