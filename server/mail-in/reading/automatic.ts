import type { ReadMail } from './read-mail.ts'

/** Emails that passed more servers than this go in circles. */
const MAX_HOPS = 50

/**
 * Returns the reason why an email is dropped without an error: it goes in circles, or a program answered it. Programs
 * may write to channels on their own account, as monitoring does, but nobody replies to an email through a program.
 * `isOwnAddress` returns true for the addresses of this server.
 */
export function reasonToDrop(
  { headers, hops, from }: ReadMail,
  { isReply, sender, isOwnAddress }: { isReply: boolean; sender: string; isOwnAddress: (address: string) => boolean },
): string | null {
  const header = (name: string) => (headers[name] ?? '').toLowerCase()
  if (hops > MAX_HOPS) return 'too many hops'
  if (isOwnAddress(from.address) || isOwnAddress(sender)) return 'loop'
  if (sender === '' || /^(?:mailer-daemon|postmaster)@/i.test(from.address)) return 'bounce'
  const submitted = /^[a-z-]*/.exec(header('auto-submitted'))?.[0] ?? ''
  if (submitted === 'auto-replied' || submitted === 'auto-notified') return 'automatic reply'
  if (header('x-autoreply') !== '' || header('x-autorespond') !== '' || header('precedence') === 'auto_reply')
    return 'automatic reply'
  if (!isReply) return null
  if (submitted !== '' && submitted !== 'no') return 'automatic reply'
  return /^(?:bulk|junk|list)$/.test(header('precedence')) || header('list-id') !== '' ? 'bulk email' : null
}
