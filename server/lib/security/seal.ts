import { createHmac, type KeyObject } from 'node:crypto'
import { equalSecrets } from './secrets.ts'

/**
 * Returns a URL-safe string that contains `content` in readable form and cannot be made without the secret. The string
 * is valid while `circumstances` are the same: the purpose of the string, and the state that must not have changed
 * since.
 */
export function seal(secret: KeyObject, circumstances: readonly unknown[], content: readonly unknown[]): string {
  const said = Buffer.from(JSON.stringify(content))
  const seal = createHmac('sha256', secret).update(JSON.stringify(circumstances)).update(said)
  return `${said.toString('base64url')}.${seal.digest('base64url')}`
}

/** Returns the content of a sealed string without verifying it; undefined if the string is invalid. */
export function readSealedContent(text: string): unknown {
  const [said = ''] = text.split('.')
  try {
    return JSON.parse(Buffer.from(said, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Returns whether the text equals the result of `seal` for the same arguments. */
export function verifySeal(
  secret: KeyObject,
  circumstances: readonly unknown[],
  content: readonly unknown[],
  text: string,
): boolean {
  return equalSecrets(text, seal(secret, circumstances, content))
}
