import { sendDirect, sendToChannel } from '../messages.ts'
import type { Stage } from './stage.ts'

/** Creates, changes and archives channels. */
export async function callChannels({ ada, ben, gus, cleo, design, chat }: Stage): Promise<void> {
  await chat.change({ enable_spectator_access: true })
  await sendToChannel(ada, design)
  await ben.succeed('GET /streams', { include_all: true, include_default: true })
  await gus.succeed('GET /streams', { include_can_access_content: true })
  await ben.succeed('GET /get_stream_id', { stream: 'design' })
  await ben.call('GET /get_stream_id', { stream: 'nowhere' })
  await gus.succeed(`GET /streams/${design.id}`)
  await gus.succeed(`GET /streams/${design.id}/members`)
  await gus.succeed(`GET /users/me/${design.id}/topics`, { allow_empty_topic_name: true })
  await gus.succeed(`GET /streams/${design.id}/email_address`)
  await gus.succeed(`DELETE /streams/${design.id}/email_address`)
  await ben.call(`POST /streams/${design.id}/delete_topic`, { topic_name: 'tea' })
  await ada.succeed(`POST /streams/${design.id}/delete_topic`, { topic_name: 'tea' })

  await ada.succeed('POST /default_streams', { stream_id: design.id })
  await ada.succeed('GET /streams', { include_default: true, include_subscriber_counts: true })
  await ada.succeed('DELETE /default_streams', { stream_id: design.id })

  const group = { new: { direct_members: [ben.id], direct_subgroups: [] } }
  for (const change of [
    { new_name: 'drawing', description: 'What we **draw**' },
    { message_retention_days: 30 },
    { can_send_message_group: group, can_administer_channel_group: group },
    { can_add_subscribers_group: group, can_remove_subscribers_group: group, can_subscribe_group: group },
    { is_private: true, history_public_to_subscribers: false },
    { is_private: false, is_web_public: true },
    { is_private: true, history_public_to_subscribers: true },
  ])
    await ada.succeed(`PATCH /streams/${design.id}`, change)
  await ada.call('POST /default_streams', { stream_id: design.id })
  await ada.call(`PATCH /streams/${design.id}`, { is_private: true, is_web_public: true })
  await ada.succeed('GET /streams', { include_web_public: true })
  await cleo.succeed(`GET /streams/${design.id}`)
  await chat.change({ moderation_request_channel_id: design.id })
  await ada.call(`PATCH /streams/${design.id}`, { is_private: false })
  await ada.succeed(`DELETE /streams/${design.id}`)

  for (const route of [
    ...['GET /streams/4711', 'GET /streams/4711/members', 'GET /users/me/4711/topics'],
    ...[
      'DELETE /streams/4711',
      'PATCH /streams/4711',
      'GET /streams/4711/email_address',
      'DELETE /streams/4711/email_address',
    ],
  ])
    await ada.call(route)
  await ada.call('POST /default_streams', { stream_id: 4711 })
  await ada.call('DELETE /default_streams', { stream_id: 4711 })
}

/** Joins and leaves channels. */
export async function callSubscriptions({ ada, ben, cleo, gus, design, chat }: Stage): Promise<void> {
  await chat.change({ enable_spectator_access: true })
  const everybody = [ben.id, cleo.id, gus.id]
  const fresh = [{ name: 'fresh', description: 'New', color: '#ff0000' }]
  await ada.succeed('POST /users/me/subscriptions', {
    subscriptions: fresh,
    principals: everybody,
    is_web_public: true,
  })
  const closed = { subscriptions: [{ name: 'closed' }], invite_only: true, history_public_to_subscribers: false }
  await ada.succeed('POST /users/me/subscriptions', { ...closed, principals: [ada.id, ben.id] })
  await cleo.call('POST /users/me/subscriptions', { subscriptions: [{ name: 'closed' }] })
  await cleo.call('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'closed' }],
    authorization_errors_fatal: false,
  })
  await sendToChannel(ben, { name: 'closed' })
  for (const include_subscribers of [true, false])
    await ben.succeed('GET /users/me/subscriptions', { include_subscribers })
  await ben.succeed(`GET /users/${gus.id}/subscriptions/${design.id}`)

  const change = (property: string, value: unknown) => ({
    subscription_data: [{ stream_id: design.id, property, value }],
  })
  await ben.succeed('POST /users/me/subscriptions/properties', change('color', '#00ff00'))
  await ben.succeed(`PATCH /users/me/subscriptions/${design.id}`, { property: 'color', value: '#00ff00' })
  for (const property of ['is_muted', 'in_home_view', 'pin_to_top', 'desktop_notifications', 'push_notifications'])
    await ben.succeed('POST /users/me/subscriptions/properties', change(property, true))
  for (const property of ['audible_notifications', 'email_notifications', 'wildcard_mentions_notify'])
    await ben.succeed('POST /users/me/subscriptions/properties', change(property, false))

  await ben.succeed('PATCH /users/me/subscriptions', { add: [{ name: 'more' }], delete: ['fresh'] })
  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: ['closed'], principals: [ben.id] })
  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: ['closed'], principals: [ben.id] })
  await gus.succeed('DELETE /users/me/subscriptions', { subscriptions: ['fresh', 'design'] })
  await ben.call('DELETE /users/me/subscriptions', { subscriptions: ['nowhere'] })
  await sendDirect(ada, [ben])
  for (const person of [ben, gus]) await person.succeed('POST /register', { include_subscribers: true })
  await hideUsers({ ada, gus, chat })
  await chat.change({ can_add_subscribers_group: 'role:nobody' })
  await ben.call('POST /users/me/subscriptions', { subscriptions: [{ name: 'fresh' }], principals: [cleo.id] })
}

/** Creates a limited guest, and a user whom the guest can no longer see after one of them leaves a channel. */
async function hideUsers({ ada, gus, chat }: Pick<Stage, 'ada' | 'gus' | 'chat'>): Promise<void> {
  await chat.change({ can_access_all_users_group: 'role:members' })
  const dan = await chat.user('dan')
  const small = await chat.channel('small', [ada, gus, dan])
  await dan.succeed('DELETE /users/me/subscriptions', { subscriptions: [small.name] })
}

/** Sets policies of users for topics. */
export async function callTopics({ ben, design }: Stage): Promise<void> {
  for (const visibility_policy of [1, 2, 3, 0])
    await ben.succeed('POST /user_topics', { stream_id: design.id, topic: 'tea', visibility_policy })
  await ben.succeed('PATCH /users/me/subscriptions/muted_topics', { stream_id: design.id, topic: 'noise', op: 'add' })
  await ben.succeed('PATCH /users/me/subscriptions/muted_topics', { stream: 'design', topic: 'noise', op: 'remove' })
}
