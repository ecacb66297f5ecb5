import { findRealmGroups } from '../../../server/groups/queries.ts'
import type { SystemGroupName } from '../../../server/realms/group-setting.ts'
import type { Deed, Pick, World } from '../world.ts'

/** A value for a setting that names who may do a thing. */
export async function groupValue({ chat, people }: World, pick: Pick): Promise<unknown> {
  const groups = await findRealmGroups(chat.app.services.db, chat.realm.id)
  const names: SystemGroupName[] = ['role:administrators', 'role:members', 'role:nobody', 'role:everyone']
  if (pick.flip()) return { new: groups.systemId[pick(names)] }
  const own = [...groups.byId.values()].filter((group) => group.systemName === null).map((group) => group.id)
  return { new: { direct_members: [pick(people).id], direct_subgroups: pick.flip() ? own.slice(0, 1) : [] } }
}

const SETTINGS = [
  ...['can_add_subscribers_group', 'can_administer_channel_group', 'can_remove_subscribers_group'],
  ...['can_send_message_group', 'can_subscribe_group'],
]

/** Channels, who is in them, and what people set for them. */
export const channelDeeds: Record<string, Deed> = {
  join: ({ channels }, who, pick) =>
    who.call('POST /users/me/subscriptions', { subscriptions: [{ name: pick(channels).name }] }),
  swap: ({ channels }, who, pick) =>
    who.call('PATCH /users/me/subscriptions', {
      add: [{ name: pick(channels).name, color: '#123456' }],
      delete: [pick(channels).name],
    }),
  bring: ({ channels, people }, who, pick) =>
    who.call('POST /users/me/subscriptions', {
      subscriptions: [{ name: pick(channels).name }, { name: pick(channels).name }],
      principals: [pick(people).id, pick(people).id],
    }),
  leave: ({ channels }, who, pick) =>
    who.call('DELETE /users/me/subscriptions', { subscriptions: [pick(channels).name] }),
  putOut: ({ channels, people }, who, pick) =>
    who.call('DELETE /users/me/subscriptions', {
      subscriptions: [pick(channels).name],
      principals: [pick(people).id],
    }),
  found: ({ people }, who, pick) =>
    who.call('POST /users/me/subscriptions', {
      subscriptions: [{ name: pick(['new', 'newer', 'newest']), description: 'of *late*' }],
      invite_only: pick.flip(),
      is_default_stream: pick.flip(),
      principals: [who.id, pick(people).id],
    }),
  rename: ({ channels }, who, pick) => {
    const { id, name } = pick(channels)
    const names = { open: 'Open', web: 'Web', shared: 'Shared', guarded: 'Guarded', other: 'Other' }
    const other = names[name as keyof typeof names]
    return who.call(`PATCH /streams/${id}`, {
      new_name: pick([name, other, name.toUpperCase()]),
      ...(pick.flip() && { description: pick(['', 'for *all*']) }),
    })
  },
  privacy: ({ channels }, who, pick) =>
    who.call(`PATCH /streams/${pick(channels).id}`, {
      is_private: pick.flip(),
      is_web_public: pick.flip(),
      history_public_to_subscribers: pick.flip(),
    }),
  permission: async (world, who, pick) =>
    who.call(`PATCH /streams/${pick(world.channels).id}`, { [pick(SETTINGS)]: await groupValue(world, pick) }),
  retention: ({ channels }, who, pick) =>
    who.call(`PATCH /streams/${pick(channels).id}`, { message_retention_days: pick(['unlimited', '30']) }),
  default: ({ channels }, who, pick) =>
    who.call(`${pick(['POST', 'DELETE'])} /default_streams`, { stream_id: pick(channels).id }),
  archive: ({ channels }, who) => who.call(`DELETE /streams/${channels[4]?.id}`),
  property: ({ channels }, who, pick) => {
    const [property, value] = pick([
      ...([
        ['is_muted', true],
        ['is_muted', false],
        ['pin_to_top', true],
      ] as const),
      ...([
        ['color', '#123456'],
        ['push_notifications', true],
        ['wildcard_mentions_notify', false],
      ] as const),
    ])
    return who.call('POST /users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: pick(channels).id, property, value }],
    })
  },
  policy: ({ channels }, who, pick) =>
    who.call('POST /user_topics', {
      stream_id: pick(channels).id,
      topic: pick(['tea', 'TEA', '']),
      visibility_policy: pick([0, 1, 2, 3]),
    }),
}
