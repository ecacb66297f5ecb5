import type { Realm } from '../../organizations/realms/realm.ts'
import type { MessageJson } from '../reading/message-json.ts'

/** How many people a subject names. */
const MAX_NAMES = 3

/** What a conversation is called in mails to one of those who take part. */
export function conversationName({ display_recipient, subject }: MessageJson, readerId: number): string {
  if (typeof display_recipient === 'string') return `#${display_recipient} › ${subject}`
  const others = display_recipient.filter(({ id }) => id !== readerId).map(({ full_name }) => full_name)
  return `DMs with ${listNames(others)}`
}

function listNames(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES - 1) : names
  const rest = names.length - shown.length
  const parts = rest > 0 ? [...shown, `${rest} others`] : shown
  return parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

/** The path at which the web client shows a conversation, at one message of it; `topic` is its own name, if any. */
export function conversationPath(message: MessageJson, topic: string, readerId: number): string {
  const near = `near=${message.id}`
  if (typeof message.display_recipient !== 'string') {
    const others = message.display_recipient.map(({ id }) => id).filter((id) => id !== readerId)
    return `/dm/${others.sort((one, other) => one - other).join(',')}?${near}`
  }
  return `/channels/${message.stream_id}?topic=${encodeURIComponent(JSON.stringify(topic))}&${near}`
}

export function messageCountText(count: number): string {
  return count === 1 ? 'a message' : `${count} messages`
}

/** Which of the settings keep what was said out of mails; null: none does. */
export function contentHiddenReason(realm: Realm, isWanted: boolean): string | null {
  if (!realm.settings.message_content_allowed_in_email_notifications)
    return `${realm.name} keeps what is said out of mails, and who said it.`
  return isWanted ? null : 'Your settings keep what is said out of mails, and who said it.'
}
