import { ANY_WILDCARD, Flag } from '#messages/flags.ts'
import type { MessageJson } from '#messages/message.ts'
import type { Actor } from '#people/users.ts'
import { toMailContent } from '../content/message-text.ts'
import type { Payloads } from './service.ts'

// The content of notifications for the mobile apps, in the form that they expect of the reference server. Unlike those
// for browsers it is not encrypted: the push service can read it, unless PUSH_SERVICE_HIDES_CONTENT is set.

/** The maximum length of the text of a message, in characters. */
const MAX_TEXT = 200

/** The maximum number of messages whose notifications one request removes. */
export const MAX_REMOVED = 200

export type PayloadContext = { actor: Actor; url: string; hidesContent: boolean }

/** Returns the fields of all notifications, by which an app finds the account. */
export const basePayload = ({ actor, url }: Pick<PayloadContext, 'actor' | 'url'>) => ({
  server: new URL(url).host,
  realm_id: actor.realmId,
  realm_uri: url,
  realm_url: url,
  realm_name: actor.realm.name,
  user_id: actor.id,
})

export function messagePayloads(context: PayloadContext, message: MessageJson, flags: number): Payloads {
  const { text, isCut } = textOf(context, message)
  const data = {
    ...basePayload(context),
    sender_id: message.sender_id,
    sender_email: message.sender_email,
    time: message.timestamp,
    ...conversationOf(message),
  }
  const avatar = message.avatar_url ?? ''
  return {
    apns_payload: {
      alert: { title: titleOf(message), subtitle: subtitleOf(message, flags), body: text },
      sound: 'default',
      badge: 0,
      custom: { zulip: { ...data, message_ids: [message.id] } },
    },
    gcm_payload: {
      ...data,
      event: 'message',
      zulip_message_id: message.id,
      content: text,
      content_truncated: isCut,
      sender_full_name: message.sender_full_name,
      sender_avatar_url: avatar.startsWith('/') ? context.url + avatar : avatar,
    },
    gcm_options: { priority: 'high' },
  }
}

export function removalPayloads(context: Pick<PayloadContext, 'actor' | 'url'>, ids: readonly number[]): Payloads {
  const data = { ...basePayload(context), event: 'remove', zulip_message_ids: ids.join(',') }
  return {
    apns_payload: { badge: 0, custom: { zulip: data } },
    gcm_payload: { ...data, zulip_message_id: ids[0] },
    gcm_options: { priority: 'normal' },
  }
}

/** Returns the users of a direct conversation, the reader and the sender included; null for a channel. */
const peopleOf = ({ display_recipient }: MessageJson) =>
  typeof display_recipient === 'string' ? null : display_recipient

function conversationOf(message: MessageJson) {
  const people = peopleOf(message)
  if (people === null)
    return {
      recipient_type: 'stream',
      stream: message.display_recipient,
      stream_id: message.stream_id,
      topic: message.subject,
    }
  const ids = people.map(({ id }) => id).toSorted((one, other) => one - other)
  return { recipient_type: 'private', ...(ids.length > 2 && { pm_users: ids.join(',') }) }
}

function titleOf(message: MessageJson): string {
  const people = peopleOf(message)
  if (people === null) return `#${message.display_recipient as string} > ${message.subject}`
  if (people.length <= 2) return message.sender_full_name
  return people
    .map(({ full_name }) => full_name)
    .toSorted()
    .join(', ')
}

function subtitleOf(message: MessageJson, flags: number): string {
  const people = peopleOf(message)
  if ((flags & (Flag.mentioned | Flag.group_mentioned)) !== 0) return `${message.sender_full_name} mentioned you:`
  if ((flags & ANY_WILDCARD) !== 0) return `${message.sender_full_name} mentioned everyone:`
  return people !== null && people.length <= 2 ? '' : `${message.sender_full_name}:`
}

function textOf({ actor, url, hidesContent }: PayloadContext, message: MessageJson): { text: string; isCut: boolean } {
  if (hidesContent) return { text: 'New message', isCut: false }
  const hidesDirect = !actor.settings.pm_content_in_desktop_notifications && peopleOf(message) !== null
  if (hidesDirect) return { text: 'New direct message', isCut: false }
  const characters = Array.from(toMailContent(message.content, url).text.trim())
  const isCut = characters.length > MAX_TEXT
  return { text: isCut ? `${characters.slice(0, MAX_TEXT).join('')}…` : characters.join(''), isCut }
}
