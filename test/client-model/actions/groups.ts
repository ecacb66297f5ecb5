import { groupSettingDeclarations } from '#groups/group.ts'
import { findRealmGroups } from '#groups/queries.ts'
import type { Action, Pick, World } from '../world.ts'
import { groupValue } from './channels.ts'

const SETTINGS = Object.keys(groupSettingDeclarations)

async function groupId({ chat }: World, pick: Pick): Promise<number> {
  const { byId } = await findRealmGroups(chat.app.services.db, chat.realm.id)
  return pick([...byId.values()].filter((group) => group.systemName === null)).id
}

export const groupActions: Record<string, Action> = {
  create: async (world, who, pick) =>
    who.call('POST /user_groups/create', {
      name: pick(['few', 'many']),
      description: 'of us',
      members: [pick(world.people).id],
      subgroups: pick.flip() ? [await groupId(world, pick)] : [],
      ...(pick.flip() && { [pick(SETTINGS)]: await groupValue(world, pick) }),
    }),
  members: async (world, who, pick) =>
    who.call(`POST /user_groups/${await groupId(world, pick)}/members`, {
      [pick(['add', 'delete'])]: [pick(world.people).id],
      ...(pick.flip() && { [pick(['add_subgroups', 'delete_subgroups'])]: [await groupId(world, pick)] }),
    }),
  subgroups: async (world, who, pick) =>
    who.call(`POST /user_groups/${await groupId(world, pick)}/subgroups`, {
      [pick(['add', 'delete'])]: [await groupId(world, pick)],
    }),
  change: async (world, who, pick) =>
    who.call(`PATCH /user_groups/${await groupId(world, pick)}`, {
      ...(pick.flip() && { name: pick(['few', 'makers', 'crafters']) }),
      ...(pick.flip() && { description: pick(['', 'of *others*']) }),
      ...(pick.flip() && { deactivated: pick.flip() }),
    }),
  permission: async (world, who, pick) =>
    who.call(`PATCH /user_groups/${await groupId(world, pick)}`, {
      [pick(SETTINGS)]: { new: await groupValue(world, pick) },
    }),
  deactivate: async (world, who, pick) => who.call(`POST /user_groups/${await groupId(world, pick)}/deactivate`),
}
