import assert from 'node:assert/strict'
import type { Body, Chat, Person } from '../harness.ts'

/** Returns the authentication header of a user. */
export function basic({ email, apiKey }: Pick<Person, 'email' | 'apiKey'>): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}` }
}

/** The state that the terminal client requests when it registers. */
export const terminalStateTypes = [
  'realm',
  'presence',
  'subscription',
  'message',
  'starred_messages',
  'update_message_flags',
  'muted_topics',
  'realm_user',
  'realm_user_groups',
  'user_settings',
  'realm_emoji',
  'custom_profile_fields',
  'zulip_version',
]

type Request = { path: string; method?: string; headers?: Record<string, string>; body?: string; as?: Person }

/** Sends a request unchanged, and returns the response with its status. */
export async function send(chat: Chat, { path, method = 'POST', headers = {}, body, as }: Request): Promise<Body> {
  const all = { host: 'parley.test', ...(as && basic(as)), ...headers }
  const answer = await chat.request({ method, path, headers: all, ...(body !== undefined && { body }) })
  return { status: answer.status, ...(answer.body === '' ? {} : JSON.parse(answer.body)) } as Body
}

/** Sends fields as zulip-js does: multipart, without a space in the header. */
export function sendMultipart(chat: Chat, as: Person, path: string, fields: Record<string, string>): Promise<Body> {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--parley\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const headers = { 'content-type': 'multipart/form-data;boundary=parley' }
  return send(chat, { path, as, headers, body: `${parts.join('')}--parley--\r\n` })
}

/** The parameters with which the mobile app registers. */
export const mobileApp = {
  idle_queue_timeout: '"mobile"',
  apply_markdown: true,
  client_gravatar: false,
  slim_presence: true,
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_avatar_url_field_optional: true,
    stream_typing_notifications: true,
    user_settings_object: true,
    include_deactivated_groups: true,
    empty_topic_name: true,
    individual_emoji_changes: true,
  },
}

export type Queue = { id: string; lastEventId: number }

export async function openQueue(person: Person, params: Record<string, unknown> = {}): Promise<Queue> {
  const { queue_id: id, last_event_id: lastEventId } = await person.succeed('POST /register', params)
  assert.equal(typeof id, 'string')
  return { id, lastEventId }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
export type QueueEvent = { id: number; type: string; [field: string]: any }

/** Returns the events in a queue without waiting for more. */
export async function fetchEventsNow(person: Person, { id, lastEventId }: Queue): Promise<QueueEvent[]> {
  const params = { queue_id: id, last_event_id: lastEventId, dont_block: true }
  return (await person.succeed('GET /events', params))['events']
}

/** Resolves when earlier polls are waiting: a later request to another queue has been answered. */
export async function waitUntilPolling(person: Person): Promise<void> {
  await fetchEventsNow(person, await openQueue(person, { event_types: ['message'] }))
}
