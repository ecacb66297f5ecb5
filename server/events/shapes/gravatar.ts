import { hash } from 'node:crypto'

const PREFIX = 'https://secure.gravatar.com/avatar/'

/** Whether a client that knows the address can compute the avatar from it: then the address is everyone's to see. */
export function isComputableAvatar(avatarUrl: string | null, email: string): boolean {
  if (avatarUrl === null) return true
  if (!avatarUrl.startsWith(PREFIX)) return false
  const digest = hash('md5', email.toLowerCase())
  return avatarUrl.startsWith(`${PREFIX}${digest}?`)
}
