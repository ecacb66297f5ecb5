import { everything } from '../contract/stage.ts'
import type { Request } from './organization.ts'
import type { Variant } from './secrets.ts'

type Params = Record<string, unknown>

/** Messages of the organization, including those of secrets. */
const IDS = Array.from({ length: 80 }, (_, index) => index + 1)

const narrowed = (...narrow: readonly unknown[]): Params => ({
  anchor: 'newest',
  num_before: 100,
  num_after: 0,
  narrow,
})

/** Returns requests that look for secrets: lists in all forms, searches, and guesses of their names and texts. */
export function probesFor(variants: readonly Variant[]): Request[] {
  return [...lists, ...variants.flatMap(({ word }) => guesses(word))]
}

const lists: readonly Request[] = (
  [
    ['POST /register', { client_capabilities: everything, include_subscribers: true, slim_presence: true }],
    ['POST /register', { apply_markdown: true, client_gravatar: false, all_public_streams: true }],
    [
      'GET /streams',
      { include_all: true, exclude_archived: false, include_default: true, include_subscriber_counts: true },
    ],
    ['GET /streams', { include_public: true, include_web_public: true, include_owner_subscribed: true }],
    ['GET /users/me/subscriptions', { include_subscribers: true }],
    ['GET /users', { include_custom_profile_fields: true, client_gravatar: false }],
    ['GET /user_groups', { include_deactivated_groups: true }],
    ['GET /realm/presence', {}],
    ['POST /users/me/presence', { status: 'active', last_update_id: -1 }],
    ['POST /users/me/presence', { status: 'active' }],
    ['GET /messages', { message_ids: IDS }],
    ['GET /messages', narrowed()],
    ...['dm', 'starred', 'unread', 'mentioned', 'alerted', 'resolved', 'followed', 'muted'].map(
      (operand) => ['GET /messages', narrowed(['is', operand])] as const,
    ),
    ...['attachment', 'link', 'reaction', 'image'].map(
      (operand) => ['GET /messages', narrowed(['has', operand])] as const,
    ),
    ...['sue@example.com', 'tom@example.com', 'mary@example.com'].flatMap((operand) =>
      ['sender', 'dm', 'dm-including'].map((operator) => ['GET /messages', narrowed([operator, operand])] as const),
    ),
    ['GET /messages', narrowed(['channels', 'public'])],
    ['GET /messages/matches_narrow', { msg_ids: IDS, narrow: [] }],
    ['POST /messages/flags/narrow', { ...narrowed(), op: 'add', flag: 'read' }],
    ...IDS.slice(20, 60).map((id) => [`GET /messages/${id}`, {}] as const),
    ...IDS.slice(0, 45).map((id) => [`GET /users/${id}`, { include_custom_profile_fields: true }] as const),
  ] as const
).map(([route, params]) => ({ route, params }))

/** Creating a channel is not among them: names are unique, so everyone who can create channels can find them out. */
function guesses(word: string): Request[] {
  const addresses = [`${word}@example.com`, `${word}@x.com`]
  const content = `#**${word}** #**${word}>about ${word}** @**Mary of ${word}** @_**Mary of ${word}|26** @*${word}* :${word}:`
  const calls: (readonly [string, Params])[] = [
    ['GET /get_stream_id', { stream: word }],
    ['DELETE /users/me/subscriptions', { subscriptions: [word] }],
    ['PATCH /users/me/subscriptions', { delete: [word] }],
    ['POST /messages', { type: 'channel', to: word, topic: 'tea', content: 'hi' }],
    ['POST /scheduled_messages', { type: 'channel', to: word, topic: 'tea', content: 'hi', ...AT }],
    ['PATCH /users/me/subscriptions/muted_topics', { stream: word, topic: 'tea', op: 'add' }],
    ['POST /messages/render', { content }],
    ['POST /messages', { type: 'channel', to: 'joined', topic: `about ${word}`, content }],
    ['GET /messages', narrowed(['channel', word])],
    ['GET /messages', narrowed(['topic', `about ${word}`])],
    ['GET /messages', narrowed(['search', word])],
    ['GET /messages/matches_narrow', { msg_ids: IDS, narrow: [['search', word]] }],
    ...addresses.flatMap((address) => [
      [`GET /users/${address}`, {}] as const,
      [`GET /users/${address}/presence`, {}] as const,
      ['POST /messages', { type: 'direct', to: [address], content: 'hi' }] as const,
      ['GET /messages', narrowed(['sender', address])] as const,
      ['GET /messages', narrowed(['dm', address])] as const,
      ['DELETE /users/me/subscriptions', { subscriptions: [], principals: [address] }] as const,
    ]),
  ]
  return calls.map(([route, params]) => ({ route, params }))
}

const AT = { scheduled_delivery_timestamp: 4_000_000_000 }
