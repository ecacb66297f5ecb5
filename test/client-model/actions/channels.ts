import { channelSettingNames } from '#channels/channel.ts'
import { findRealmGroups } from '#groups/queries.ts'
import type { SystemGroupName } from '#realms/realm-settings.ts'
import { type Action, type Pick, someChannel, type World } from '../world.ts'

const SYSTEM_GROUPS: readonly SystemGroupName[] = [
  ...(['role:administrators', 'role:members', 'role:nobody', 'role:everyone'] as const),
  ...(['role:owners', 'role:moderators', 'role:fullmembers'] as const),
]

/** Returns a value for a permission: a group, or users and groups. */
export async function groupValue({ chat, people }: World, pick: Pick): Promise<unknown> {
  const groups = await findRealmGroups(chat.app.services.db, chat.realm.id)
  if (pick.flip()) return groups.systemId[pick(SYSTEM_GROUPS)]
  const own = [...groups.byId.values()].filter((group) => group.systemName === null).map((group) => group.id)
  return { direct_members: [pick(people).id], direct_subgroups: pick.flip() ? [pick(own)] : [] }
}

export const channelActions: Record<string, Action> = {
  create: async (world, who, pick) =>
    who.call('POST /users/me/subscriptions', {
      subscriptions: [{ name: pick(['new', 'newer', 'newest']), description: 'of *late*' }],
      invite_only: pick.flip(),
      is_default_stream: pick.flip(),
      ...(pick.flip() && { history_public_to_subscribers: pick.flip() }),
      ...(pick([true, false, false]) && { is_web_public: true }),
      ...(pick.flip() && { [pick(channelSettingNames)]: await groupValue(world, pick) }),
      principals: [who.id, pick(world.people).id],
    }),
  rename: async (world, who, pick) => {
    const { id, name } = await someChannel(world, pick)
    return who.call(`PATCH /streams/${id}`, {
      new_name: pick([name, name.toUpperCase(), `${name.slice(0, 8)}${pick([1, 2, 3])}`]),
      ...(pick.flip() && { description: pick(['', 'for *all*']) }),
    })
  },
  privacy: async (world, who, pick) =>
    who.call(`PATCH /streams/${(await someChannel(world, pick)).id}`, {
      ...pick<object>([
        { is_private: true, history_public_to_subscribers: pick.flip() },
        { is_private: false },
        { is_private: false, is_web_public: true },
        { is_private: false, is_web_public: false },
        { history_public_to_subscribers: pick.flip() },
      ]),
      ...(pick([true, false, false]) && { is_default_stream: pick.flip() }),
    }),
  permission: async (world, who, pick) =>
    who.call(`PATCH /streams/${(await someChannel(world, pick)).id}`, {
      [pick(channelSettingNames)]: { new: await groupValue(world, pick) },
    }),
  retention: async (world, who, pick) =>
    who.call(`PATCH /streams/${(await someChannel(world, pick)).id}`, {
      message_retention_days: pick<unknown>(['"unlimited"', 30, '"realm_default"']),
    }),
  default: async (world, who, pick) =>
    who.call(`${pick(['POST', 'DELETE'])} /default_streams`, { stream_id: (await someChannel(world, pick)).id }),
  /** Archives a channel, but spares most of the initial ones. */
  archive: async (world, who, pick) => {
    const { id, name } = await someChannel(world, pick)
    if (pick.flip() && !name.startsWith('new')) return
    return who.call(`DELETE /streams/${id}`)
  },
  unarchive: async (world, who, pick) =>
    who.call(`PATCH /streams/${(await someChannel(world, pick)).id}`, { is_archived: false }),
}
