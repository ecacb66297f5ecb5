import { t } from '#lib/text/t.ts'
import type { MessageJson } from '#messages/reading/message-json.ts'
import type { Realm } from '#realms/realm.ts'

/** The maximum number of names in a subject. */
const MAX_NAMES = 3

/** Returns the name of the conversation for an email to the reader. */
export function conversationName({ display_recipient, subject }: MessageJson, readerId: number): string {
  if (typeof display_recipient === 'string') return `#${display_recipient} › ${subject}`
  const others = display_recipient.filter(({ id }) => id !== readerId).map(({ full_name }) => full_name)
  return t('Direct messages with {names}', { names: listNames(others) })
}

function listNames(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES - 1) : names
  const othersCount = names.length - shown.length
  const parts =
    othersCount > 0 ? [...shown, t('{othersCount, plural, one {# other} other {# others}}', { othersCount })] : shown
  return parts.length < 2
    ? parts.join()
    : t('{names} and {last}', { names: parts.slice(0, -1).join(', '), last: parts.at(-1) ?? '' })
}

/**
 * Returns the path of the conversation at this message in the web client. `topic` is the stored topic name, which may
 * be empty.
 */
export function conversationPath(message: MessageJson, topic: string, readerId: number): string {
  const near = `near=${message.id}`
  if (typeof message.display_recipient !== 'string') {
    const others = message.display_recipient.map(({ id }) => id).filter((id) => id !== readerId)
    return `/dm/${others.sort((a, b) => a - b).join(',')}?${near}`
  }
  return `/channels/${message.stream_id}?topic=${encodeURIComponent(JSON.stringify(topic))}&${near}`
}

/** Returns the reason why emails contain no message content; null if they contain it. */
export function contentHiddenReason(realm: Realm, isEnabledByUser: boolean): string | null {
  if (!realm.settings.message_content_allowed_in_email_notifications)
    return t('This email does not include message content because {realm} has disabled message content in emails.', {
      realm: realm.name,
    })
  return isEnabledByUser
    ? null
    : t('This email does not include message content because you have disabled message content in emails.')
}
