import { z } from 'zod'
import { trackAccessChanges } from '#accounts/access-events.ts'
import { invalidSettingMember, invalidUserGroup, requireListedGroup, userGroupDeactivated } from '#groups/access.ts'
import type { Group } from '#groups/group.ts'
import {
  allMemberIds,
  allSubgroupIds,
  changeMembers,
  directMemberIds,
  findActiveAccounts,
  type MemberChanges,
  memberRefusals,
  visibleAccounts,
} from '#groups/members.ts'
import { findMembershipScope, findNonViewerIds, viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { silentGroupMention, silentMention } from '#messages/notice-markdown.ts'
import { prepareNotices } from '#messages/prepare-message.ts'
import { sendMessages } from '#messages/send-message.ts'
import { insufficientPermission, noSuchUser, requireUser } from '#people/access.ts'
import { findUsersById } from '#people/user-queries.ts'
import { type Actor, isBot, UNKNOWN_USER_NAME } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'

// Changing the members of groups, with everything that follows: what the members can see, and messages to those whom
// another user added or removed.

/**
 * Sends a direct message to each active user whom the actor added or removed. The actor and bots get no message. The
 * message does not name the actor to users who may not see the actor.
 */
export async function notifyMembers(
  tx: Transaction,
  actor: Actor,
  group: Group,
  { add, remove }: Pick<MemberChanges, 'add' | 'remove'>,
): Promise<void> {
  const what = silentGroupMention(group.name)
  await notifyUsers(tx, actor, add, `added you to the group ${what}.`)
  await notifyUsers(tx, actor, remove, `removed you from the group ${what}.`)
}

async function notifyUsers(tx: Transaction, actor: Actor, userIds: readonly number[], done: string): Promise<void> {
  const users = await findUsersById(tx.db, userIds)
  const readers = users.filter((user) => user.id !== actor.id && !isBot(user) && user.deactivatedAt === null)
  const nonViewers = await findNonViewerIds(tx.db, actor.realm, actor, readers, tx.now)
  for (const [isNonViewer, readerGroup] of Map.groupBy(readers, ({ id }) => nonViewers.has(id))) {
    const content = `${isNonViewer ? UNKNOWN_USER_NAME : silentMention(actor)} ${done}`
    const recipientIds = readerGroup.map((user) => user.id)
    await sendMessages(tx, await prepareNotices(tx.db, { recipientIds, content }))
  }
}

const noMembersToChange = refusal(
  'BAD_REQUEST',
  400,
  'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
)
const noSubgroupsToChange = refusal('BAD_REQUEST', 400, 'Nothing to do. Specify at least one of "add" or "delete".')

const changeRefusals = [
  invalidUserGroup,
  userGroupDeactivated,
  insufficientPermission,
  invalidSettingMember,
  ...memberRefusals,
]

const ids = z.array(z.int()).default([])
const directMembersOnly = z.boolean().default(false).describe('Whether to ignore members of subgroups.')

export const changeMembersEndpoint = endpoint({
  route: 'POST /user_groups/{user_group_id}/members',
  summary: 'Add and remove members of a user group',
  description: 'Users who are added or removed by someone else get a direct message.',
  who: 'human',
  params: {
    delete: ids.describe('Ids of users.'),
    add: ids.describe('Ids of users.'),
    delete_subgroups: ids.describe('Ids of user groups.'),
    add_subgroups: ids.describe('Ids of user groups.'),
  },
  refuses: [noMembersToChange, ...changeRefusals],
  async handle({ transaction, actor }, { user_group_id, add, add_subgroups, delete_subgroups, ...params }) {
    const changes = { add, remove: params.delete, addSubgroups: add_subgroups, removeSubgroups: delete_subgroups }
    if (Object.values(changes).every((list) => list.length === 0)) throw noMembersToChange()
    await transaction(async (tx) => {
      const emitAccessChanges = await trackAccessChanges(tx, actor.realm)
      const group = await changeMembers(tx, actor, user_group_id, changes)
      await emitAccessChanges()
      await notifyMembers(tx, actor, group, changes)
    })
    return {}
  },
})

export const changeSubgroupsEndpoint = endpoint({
  route: 'POST /user_groups/{user_group_id}/subgroups',
  summary: 'Add and remove subgroups of a user group',
  who: 'human',
  params: { delete: ids.describe('Ids of user groups.'), add: ids.describe('Ids of user groups.') },
  refuses: [noSubgroupsToChange, ...changeRefusals],
  async handle({ transaction, actor }, { user_group_id, add, ...params }) {
    const changes = { add: [], remove: [], addSubgroups: add, removeSubgroups: params.delete }
    if (add.length + params.delete.length === 0) throw noSubgroupsToChange()
    await transaction(async (tx) => {
      const emitAccessChanges = await trackAccessChanges(tx, actor.realm)
      await changeMembers(tx, actor, user_group_id, changes)
      await emitAccessChanges()
    })
    return {}
  },
})

export const listMembers = endpoint({
  route: 'GET /user_groups/{user_group_id}/members',
  summary: 'List the members of a user group',
  description: 'Guests with limited access to users get only the members that they may see.',
  who: 'user',
  params: { direct_member_only: directMembersOnly },
  returns: { members: z.array(z.int()) },
  refuses: [invalidUserGroup, userGroupDeactivated],
  async handle({ db, actor, clock }, { user_group_id, direct_member_only }) {
    const group = await requireListedGroup(db, actor, user_group_id)
    const viewer = viewerOf(db, actor, clock.now())
    const [scope, visibleIds] = [await viewer.scope(), await viewer.visibleIds()]
    const people = visibleAccounts(await findActiveAccounts(db, actor.realmId), visibleIds)
    return { members: (direct_member_only ? directMemberIds : allMemberIds)(scope, people, group) }
  },
})

export const getMembership = endpoint({
  route: 'GET /user_groups/{user_group_id}/members/{user_id}',
  summary: 'Check whether a user is a member of a user group',
  who: 'user',
  params: { direct_member_only: directMembersOnly },
  returns: { is_user_group_member: z.boolean() },
  refuses: [invalidUserGroup, userGroupDeactivated, noSuchUser],
  async handle({ db, actor, clock }, { user_group_id, user_id, direct_member_only }) {
    const group = await requireListedGroup(db, actor, user_group_id)
    const user = await requireUser(db, actor, user_id)
    const viewer = viewerOf(db, actor, clock.now())
    const [scope, visibleIds] = [await viewer.scope(), await viewer.visibleIds()]
    const people = visibleAccounts(new Map(user.deactivatedAt === null ? [[user.id, user]] : []), visibleIds)
    const members = (direct_member_only ? directMemberIds : allMemberIds)(scope, people, group)
    return { is_user_group_member: members.includes(user.id) }
  },
})

export const listSubgroups = endpoint({
  route: 'GET /user_groups/{user_group_id}/subgroups',
  summary: 'List the subgroups of a user group',
  who: 'user',
  params: { direct_subgroup_only: z.boolean().default(false).describe('Whether to ignore nested subgroups.') },
  returns: { subgroups: z.array(z.int()) },
  refuses: [invalidUserGroup, userGroupDeactivated],
  async handle({ db, actor, clock }, { user_group_id, direct_subgroup_only }) {
    const group = await requireListedGroup(db, actor, user_group_id)
    if (direct_subgroup_only) return { subgroups: [...group.subgroupIds] }
    return { subgroups: allSubgroupIds(await findMembershipScope(db, actor, clock.now()), group) }
  },
})
