import { createHmac, type KeyObject } from 'node:crypto'
import { equalSecrets } from './secrets.ts'

/**
 * A text, fit for an address, that says `content` to whoever reads it and that nobody can make without the secret. It
 * proves something while `circumstances` are the same: what it is for, and what must not have changed since.
 */
export function seal(secret: KeyObject, circumstances: readonly unknown[], content: readonly unknown[]): string {
  const said = Buffer.from(JSON.stringify(content))
  const seal = createHmac('sha256', secret).update(JSON.stringify(circumstances)).update(said)
  return `${said.toString('base64url')}.${seal.digest('base64url')}`
}

/** What a sealed text says, nothing of which is proven yet; undefined when it is none. */
export function readSealedContent(text: string): unknown {
  const [said = ''] = text.split('.')
  try {
    return JSON.parse(Buffer.from(said, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Whether the text is what `sealed` makes of the same. */
export function verifySeal(
  secret: KeyObject,
  circumstances: readonly unknown[],
  content: readonly unknown[],
  text: string,
): boolean {
  return equalSecrets(text, seal(secret, circumstances, content))
}
