import type { Command } from 'commander'
import { trackAccessChanges } from '#accounts/access-events.ts'
import { createGroup } from '#groups/create-group.ts'
import { allMemberIds, changeMembers, directMemberIds, findActiveAccounts } from '#groups/members.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { updateGroup } from '#groups/update-group.ts'
import { findMembershipScope } from '#groups/viewer.ts'
import { findUsersById } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import { openCliContext, requireAccount, requireActor, requireGroup, requireOrganization } from './cli-context.ts'
import { addExplained, collect, print } from './output.ts'

type Place = { org: string; json: boolean }
type Acting = Place & { as?: string }
type CreateOptions = Acting & { description: string; member: string[] }

/** Adds the commands for user groups, which are named by name or by id. The rules are those of the page. */
export function addGroupCommands(program: Command): void {
  const groups = program.command('group').description('manage user groups')
  const add = (command: string, description: string, example: string) =>
    addExplained(groups, command, description, example).option(
      '--as <address>',
      'account in whose name the group is changed; an owner if omitted',
    )

  addExplained(
    groups,
    'list',
    'list all groups, system groups and deactivated ones included',
    'parley group list',
  ).action(listGroups)
  addExplained(
    groups,
    'members <group>',
    'list the active members of a group, with those of its subgroups',
    'parley group members support',
  ).action(listMembers)
  add(
    'create <name>',
    'create a group',
    'parley group create support --member ada@example.com --member ben@example.com',
  )
    .option('--description <text>', 'description of the group', '')
    .option('--member <address>', 'address of a member; repeat the option for several', collect, [])
    .action(create)
  add('rename <group> <name>', 'change the name of a group', 'parley group rename support helpdesk').action(
    (group: string, name: string, options: Acting) =>
      change(group, options, (tx, actor, id) => updateGroup(tx, actor, id, { name, settings: {} })),
  )
  add('add <group> <address...>', 'add members to a group', 'parley group add support cleo@example.com').action(
    (group: string, emails: string[], options: Acting) => changeMembership(group, emails, options, 'add'),
  )
  add(
    'remove <group> <address...>',
    'remove members from a group',
    'parley group remove support ben@example.com',
  ).action((group: string, emails: string[], options: Acting) => changeMembership(group, emails, options, 'remove'))
  add('deactivate <group>', 'deactivate a group that nothing uses', 'parley group deactivate support').action(
    (group: string, options: Acting) =>
      change(group, options, (tx, actor, id) => updateGroup(tx, actor, id, { deactivated: true, settings: {} })),
  )
  add('reactivate <group>', 'reactivate a group, with its members', 'parley group reactivate support').action(
    (group: string, options: Acting) =>
      change(group, options, (tx, actor, id) => updateGroup(tx, actor, id, { deactivated: false, settings: {} })),
  )
}

async function listGroups({ org, json }: Place): Promise<void> {
  await using context = await openCliContext({ org })
  const { db } = context.storage
  const realm = await requireOrganization(context, org)
  const scope = await findMembershipScope(db, { realmId: realm.id, realm }, context.clock.now())
  const people = await findActiveAccounts(db, realm.id)
  print(
    [...scope.groups.byId.values()].map((group) => ({
      ...{ id: group.id, name: group.name, description: group.description },
      direct_members: directMemberIds(scope, people, group).length,
      ...{ system: group.systemName !== null, active: group.deactivatedAt === null },
    })),
    json,
  )
}

async function listMembers(given: string, { org, json }: Place): Promise<void> {
  await using context = await openCliContext({ org })
  const { db } = context.storage
  const realm = await requireOrganization(context, org)
  const group = await requireGroup(context, realm, given)
  const scope = await findMembershipScope(db, { realmId: realm.id, realm }, context.clock.now())
  const people = await findActiveAccounts(db, realm.id)
  const directIds = new Set(directMemberIds(scope, people, group))
  const users = await findUsersById(db, allMemberIds(scope, people, group))
  print(
    users.map(({ id, deliveryEmail, fullName }) => ({
      ...{ user_id: id, email: deliveryEmail, name: fullName, direct: directIds.has(id) },
    })),
    json,
  )
}

async function create(name: string, { org, json, as, description, member }: CreateOptions): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const actor = await requireActor(context, realm, as)
  const memberIds: number[] = []
  for (const email of member) memberIds.push((await requireAccount(context, realm, email)).id)
  const id = await context.storage.transaction((tx) =>
    createGroup(tx, actor, { name, description, memberIds, subgroupIds: [], settings: {} }),
  )
  print({ id, name: name.trim(), members: memberIds.length }, json)
}

async function changeMembership(
  given: string,
  emails: readonly string[],
  options: Acting,
  verb: 'add' | 'remove',
): Promise<void> {
  await change(given, options, async (tx, actor, id) => {
    const userIds: number[] = []
    for (const email of emails) userIds.push((await requireAccount({ storage: tx }, actor.realm, email)).id)
    const changes = { add: [], remove: [], addSubgroups: [], removeSubgroups: [], [verb]: userIds }
    await changeMembers(tx, actor, id, changes)
  })
}

/** Changes the group in a transaction, and prints what it is like then. */
async function change(
  given: string,
  { org, json, as }: Acting,
  write: (tx: Transaction, actor: Actor, groupId: number) => Promise<void>,
): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const actor = await requireActor(context, realm, as)
  const { id } = await requireGroup(context, realm, given)
  await context.storage.transaction(async (tx) => {
    const emitAccessChanges = await trackAccessChanges(tx, realm)
    await write(tx, actor, id)
    await emitAccessChanges()
  })
  const group = (await findRealmGroups(context.storage.db, realm.id)).byId.get(id)
  if (group === undefined) throw new Error('The group has gone')
  print({ id, name: group.name, direct_members: group.memberIds.size, active: group.deactivatedAt === null }, json)
}
