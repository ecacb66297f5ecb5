/** The kind of object that an id in a request identifies. */
export type Kind =
  | 'user'
  | 'bot'
  | 'channel'
  | 'group'
  | 'message'
  | 'invitation'
  | 'link'
  | 'mail'
  | 'linkifier'
  | 'draft'
  | 'scheduled'
  | 'reminder'
  | 'snippet'
  | 'attachment'
  | 'field'
  | 'playground'
  | 'key'
  | 'session'
  | 'passkey'
  | 'connection'
  | 'browser'
  | 'export'
  | 'hook'
  | 'delivery'

type Probe = [kind: Kind, route: string, params?: (id: number) => Record<string, unknown>]

const permission = (name: string) => (id: number) => ({
  [name]: { new: { direct_members: [], direct_subgroups: [id] } },
})
const permissionOfUser = (name: string) => (id: number) => ({
  [name]: { new: { direct_members: [id], direct_subgroups: [] } },
})
export const narrow = (operator: string) => (id: number) => ({
  anchor: 'newest',
  num_before: 5,
  num_after: 0,
  narrow: [{ operator, operand: id }],
})

export const later = { content: 'hi', scheduled_delivery_timestamp: 4_000_000_000 }

/** Every request with an id of another object; `{}` in a path is replaced by the id. */
export const probes: Probe[] = [
  ['user', 'GET /users', (id) => ({ user_ids: [id] })],
  ['user', 'GET /users/{}/erasure'],
  ['user', 'POST /users/{}/erasure'],
  ['user', 'GET /audit_log', (id) => ({ actor_id: id })],
  ['channel', 'GET /audit_log', (id) => ({ target_type: 'channel', target_id: id })],
  ['channel', 'GET /streams/{}'],
  ['channel', 'PATCH /streams/{}', () => ({ description: 'mine' })],
  ['channel', 'DELETE /streams/{}'],
  ['channel', 'GET /streams/{}/members'],
  ['channel', 'GET /streams/{}/email_address'],
  ['channel', 'DELETE /streams/{}/email_address'],
  ['channel', 'POST /streams/{}/delete_topic', () => ({ topic_name: 'tea' })],
  ['channel', 'GET /users/me/{}/topics'],
  ['channel', 'POST /default_streams', (id) => ({ stream_id: id })],
  ['channel', 'DELETE /default_streams', (id) => ({ stream_id: id })],
  ['channel', 'POST /messages', (id) => ({ type: 'channel', to: id, topic: 'tea', content: 'hi' })],
  ['channel', 'POST /scheduled_messages', (id) => ({ ...later, type: 'channel', to: id, topic: 'tea' })],
  ['channel', 'PATCH /scheduled_messages/{ownScheduled}', (id) => ({ type: 'channel', to: id, topic: 'tea' })],
  ['channel', 'PATCH /messages/{own}', (id) => ({ stream_id: id })],
  ['channel', 'POST /mark_stream_as_read', (id) => ({ stream_id: id })],
  ['channel', 'POST /mark_topic_as_read', (id) => ({ stream_id: id, topic_name: 'tea' })],
  ['channel', 'GET /messages', narrow('channel')],
  ['channel', 'POST /messages/flags/narrow', (id) => ({ ...narrow('channel')(id), op: 'add', flag: 'starred' })],
  ['channel', 'GET /users/{own}/subscriptions/{}'],
  [
    'channel',
    'POST /users/me/subscriptions/properties',
    (id) => ({ subscription_data: [{ stream_id: id, property: 'is_muted', value: true }] }),
  ],
  ['channel', 'PATCH /users/me/subscriptions/{}', () => ({ property: 'is_muted', value: true })],
  ['channel', 'POST /typing', (id) => ({ type: 'channel', op: 'start', stream_id: id, topic: 'tea' })],
  ['channel', 'POST /user_topics', (id) => ({ stream_id: id, topic: 'tea', visibility_policy: 1 })],
  ['channel', 'POST /user_topics', (id) => ({ stream_id: id, topic: 'tea', visibility_policy: 0 })],
  ['channel', 'PATCH /users/me/subscriptions/muted_topics', (id) => ({ stream_id: id, topic: 'tea', op: 'add' })],
  ['channel', 'PATCH /users/me/subscriptions/muted_topics', (id) => ({ stream_id: id, topic: 'tea', op: 'remove' })],
  ['channel', 'POST /invites', (id) => ({ invitee_emails: 'new@x.com', stream_ids: [id] })],
  ['channel', 'PATCH /realm', (id) => ({ new_stream_announcements_stream_id: id })],

  ['user', 'GET /users/{}'],
  ['user', 'PATCH /users/{}', () => ({ full_name: 'Mine' })],
  ['user', 'DELETE /users/{}'],
  ['user', 'DELETE /users/{}/sessions'],
  ['user', 'DELETE /users/{}/second_factors'],
  ['user', 'POST /users/{}/reactivate'],
  ['user', 'GET /users/{}/presence'],
  ['user', 'GET /users/{}/status'],
  ['user', 'GET /users/{}/subscriptions/{ownChannel}'],
  ['user', 'POST /users/me/muted_users/{}'],
  ['user', 'DELETE /users/me/muted_users/{}'],
  ['user', 'GET /user_groups/{ownGroup}/members/{}'],
  ['user', 'POST /user_groups/{ownGroup}/members', (id) => ({ add: [id] })],
  ['user', 'POST /user_groups/create', (id) => ({ name: 'x', description: '', members: [id] })],
  ['user', 'PATCH /user_groups/{ownGroup}', permissionOfUser('can_manage_group')],
  ['user', 'PATCH /streams/{ownChannel}', permissionOfUser('can_subscribe_group')],
  ['user', 'PATCH /realm', permissionOfUser('can_invite_users_group')],
  ['user', 'POST /users/me/subscriptions', (id) => ({ subscriptions: [{ name: 'x' }], principals: [id] })],
  ['user', 'DELETE /users/me/subscriptions', (id) => ({ subscriptions: ['design'], principals: [id] })],
  ['user', 'POST /messages', (id) => ({ type: 'direct', to: [id], content: 'hi' })],
  ['user', 'POST /scheduled_messages', (id) => ({ ...later, type: 'direct', to: [id] })],
  ['user', 'PATCH /scheduled_messages/{ownScheduled}', (id) => ({ to: [id] })],
  ['user', 'POST /messages/render', (id) => ({ content: `@_**Eve|${id}** @**|${id}**` })],
  ['user', 'POST /typing', (id) => ({ op: 'start', to: [id] })],
  ['user', 'GET /messages', narrow('sender')],
  ['user', 'GET /messages', narrow('dm-including')],
  ['user', 'GET /messages', (id) => narrow('dm')(id)],
  ['user', 'PATCH /bots/{ownBot}', (id) => ({ bot_owner_id: id })],
  ['bot', 'PATCH /bots/{}', () => ({ full_name: 'Mine' })],
  ['bot', 'DELETE /bots/{}'],
  ['bot', 'POST /bots/{}/api_key/regenerate'],
  ['bot', 'POST /bots/{}/api_keys'],
  ['bot', 'GET /bots/{}/webhook_secrets'],
  ['bot', 'PUT /bots/{}/webhook_secrets/{}', () => ({ secret: 'known' })],
  ['bot', 'GET /bots/{}/webhook_deliveries'],
  ['bot', 'POST /bots/{}/webhook_test', () => ({ integration: 'github' })],
  ['bot', 'POST /bots/{}/webhook_deliveries/1/send_again'],
  ['delivery', 'POST /bots/{ownHook}/webhook_deliveries/{}/send_again'],
  ['bot', 'GET /bots/{}/commands'],
  ['bot', 'PUT /bots/{}/commands', () => ({ commands: [] })],
  ['bot', 'GET /bots/{}/outgoing_deliveries'],
  ['bot', 'POST /bots/{}/outgoing_deliveries/{}/send_again'],
  ['bot', 'POST /users/{}/reactivate'],

  ['group', 'PATCH /user_groups/{}', () => ({ name: 'mine' })],
  ['group', 'POST /user_groups/{}/deactivate'],
  ['group', 'GET /user_groups/{}/members'],
  ['group', 'GET /user_groups/{}/members/{own}'],
  ['group', 'GET /user_groups/{}/subgroups'],
  ['group', 'POST /user_groups/{}/members', () => ({ add: [1] })],
  ['group', 'POST /user_groups/{}/subgroups', () => ({ add: [1] })],
  ['group', 'POST /user_groups/{ownGroup}/subgroups', (id) => ({ add: [id] })],
  ['group', 'POST /user_groups/{ownGroup}/members', (id) => ({ add_subgroups: [id] })],
  ['group', 'POST /user_groups/create', (id) => ({ name: 'x', description: '', members: [], subgroups: [id] })],
  ['group', 'PATCH /user_groups/{ownGroup}', permission('can_manage_group')],
  ['group', 'PATCH /streams/{ownChannel}', permission('can_subscribe_group')],
  ['group', 'PATCH /realm', permission('can_invite_users_group')],
  ['group', 'POST /users/me/subscriptions', (id) => ({ subscriptions: [{ name: 'x' }], can_subscribe_group: id })],
  ['group', 'POST /invites', (id) => ({ invitee_emails: 'new@x.com', stream_ids: [], group_ids: [id] })],

  ['message', 'GET /messages/{}'],
  ['message', 'PATCH /messages/{}', () => ({ content: 'mine' })],
  ['message', 'PATCH /messages/{}', () => ({ topic: 'mine' })],
  ['message', 'DELETE /messages/{}'],
  ['message', 'GET /messages/{}/history'],
  ['message', 'GET /messages/{}/read_receipts'],
  ['message', 'POST /messages/{}/reactions', () => ({ emoji_name: 'smile' })],
  ['message', 'DELETE /messages/{}/reactions', () => ({ emoji_name: 'smile' })],
  ['message', 'POST /messages/{}/typing', () => ({ op: 'start' })],
  ['message', 'POST /submessage', (id) => ({ message_id: id, msg_type: 'widget', content: '1' })],
  ...['read', 'starred', 'collapsed'].flatMap((flag) =>
    ['add', 'remove'].map((op): Probe => ['message', 'POST /messages/flags', (id) => ({ messages: [id], op, flag })]),
  ),
  ['message', 'GET /messages', (id) => ({ message_ids: [id] })],
  ['message', 'GET /messages', narrow('id')],
  ['message', 'GET /messages', narrow('with')],
  ['message', 'GET /messages', (id) => ({ anchor: id, num_before: 0, num_after: 0, narrow: [] })],
  ['message', 'GET /messages/matches_narrow', (id) => ({ msg_ids: [id], narrow: [] })],
  [
    'message',
    'POST /messages/flags/narrow',
    (id) => ({ anchor: id, num_before: 0, num_after: 0, narrow: [], op: 'add', flag: 'starred' }),
  ],

  ['invitation', 'DELETE /invites/{}'],
  ['invitation', 'PATCH /invites/{}', () => ({ invite_expires_in_minutes: 10 })],
  ['invitation', 'POST /invites/{}/resend'],
  ['link', 'DELETE /invites/multiuse/{}'],
  ['link', 'PATCH /invites/multiuse/{}', () => ({ invite_expires_in_minutes: 10 })],
  ['invitation', 'GET /mails', (id) => ({ invite_id: id })],
  ['mail', 'GET /mails/{}'],
  ['mail', 'POST /mails/{}/retry'],
  ['channel', 'POST /invites/multiuse', (id) => ({ stream_ids: [id] })],
  ['group', 'POST /invites/multiuse', (id) => ({ group_ids: [id] })],
  ['linkifier', 'PATCH /realm/filters/{}', () => ({ pattern: 'a', url_template: 'https://x.com' })],
  ['linkifier', 'DELETE /realm/filters/{}'],
  ['linkifier', 'PATCH /realm/linkifiers', (id) => ({ ordered_linkifier_ids: [id] })],
  ['playground', 'DELETE /realm/playgrounds/{}'],
  ['key', 'DELETE /users/me/api_keys/{}'],
  ['session', 'DELETE /users/me/sessions/{}'],
  ['passkey', 'PATCH /users/me/passkeys/{}', () => ({ name: 'mine' })],
  ['passkey', 'DELETE /users/me/passkeys/{}', () => ({ password: 'correct horse' })],
  ['connection', 'DELETE /users/me/connected_accounts/{}'],
  ['browser', 'DELETE /users/me/trusted_browsers/{}'],
  ['export', 'DELETE /export/realm/{}'],
  ['field', 'PATCH /realm/profile_fields/{}', () => ({ name: 'mine' })],
  ['field', 'DELETE /realm/profile_fields/{}'],
  ['field', 'PATCH /users/me/profile_data', (id) => ({ data: [{ id, value: 'mine' }] })],
  ['field', 'PATCH /users/{own}', (id) => ({ profile_data: [{ id, value: 'mine' }] })],
  ['field', 'DELETE /users/me/profile_data', (id) => ({ data: [id] })],
  ['draft', 'PATCH /drafts/{}', () => ({ draft: { type: '', to: [], topic: '', content: 'mine' } })],
  ['draft', 'DELETE /drafts/{}'],
  ['scheduled', 'PATCH /scheduled_messages/{}', () => ({ content: 'mine' })],
  ['scheduled', 'DELETE /scheduled_messages/{}'],
  ['reminder', 'PATCH /reminders/{}', () => ({ note: 'mine' })],
  ['reminder', 'DELETE /reminders/{}'],
  [
    'message',
    'POST /reminders',
    (id) => ({ message_id: id, scheduled_delivery_timestamp: later.scheduled_delivery_timestamp }),
  ],
  ['snippet', 'PATCH /saved_snippets/{}', () => ({ title: 'mine' })],
  ['snippet', 'DELETE /saved_snippets/{}'],
  ['attachment', 'DELETE /attachments/{}'],
]

/** Parameters whose names look like ids of these objects, but are not. */
export const otherIds = new Set(['queue_id', 'local_id', 'last_event_id', 'last_update_id'])
