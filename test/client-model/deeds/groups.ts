import { findRealmGroups } from '../../../server/groups/queries.ts'
import type { Deed, Pick, World } from '../world.ts'
import { groupValue } from './channels.ts'

async function groupId({ chat }: World, pick: Pick): Promise<number> {
  const { byId } = await findRealmGroups(chat.app.services.db, chat.realm.id)
  return pick([...byId.values()].filter((group) => group.systemName === null)).id
}

/** Groups, and who is in them. */
export const groupDeeds: Record<string, Deed> = {
  makeGroup: async (world, who, pick) =>
    who.call('POST /user_groups/create', {
      name: pick(['few', 'many']),
      description: 'of us',
      members: [pick(world.people).id],
      subgroups: pick.flip() ? [await groupId(world, pick)] : [],
    }),
  members: async (world, who, pick) =>
    who.call(`POST /user_groups/${await groupId(world, pick)}/members`, {
      [pick(['add', 'delete'])]: [pick(world.people).id],
    }),
  subgroups: async (world, who, pick) =>
    who.call(`POST /user_groups/${await groupId(world, pick)}/subgroups`, {
      [pick(['add', 'delete'])]: [await groupId(world, pick)],
    }),
  changeGroup: async (world, who, pick) =>
    who.call(`PATCH /user_groups/${await groupId(world, pick)}`, {
      ...(pick.flip() && { name: pick(['few', 'makers', 'crafters']) }),
      ...(pick.flip() && { can_mention_group: await groupValue(world, pick) }),
      ...(pick.flip() && { deactivated: pick.flip() }),
    }),
  endGroup: async (world, who, pick) => who.call(`POST /user_groups/${await groupId(world, pick)}/deactivate`),
}
