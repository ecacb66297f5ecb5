import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Person, startChat } from '../../test/harness.ts'

const only = (...people: Person[]) => ({ direct_members: people.map(({ id }) => id), direct_subgroups: [] })

async function createGroup(person: Person, name: string, params: Record<string, unknown> = {}): Promise<number> {
  const created = await person.succeed('POST /user_groups/create', { name, description: '', members: [], ...params })
  return created['group_id']
}

async function membersOf(person: Person, groupId: number, params: Record<string, unknown> = {}): Promise<number[]> {
  return (await person.succeed(`GET /user_groups/${groupId}/members`, params))['members']
}

async function subgroupsOf(person: Person, groupId: number, params: Record<string, unknown> = {}): Promise<number[]> {
  return (await person.succeed(`GET /user_groups/${groupId}/subgroups`, params))['subgroups']
}

async function systemGroup(person: Person, name: string): Promise<number> {
  const { user_groups: groups } = await person.succeed('GET /user_groups')
  return groups.find((group: { name: string }) => group.name === name).id
}

test('adding and removing members takes effect at once and is emitted to everyone', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const dora = await chat.user('dora')
  const erin = await chat.user('erin')
  const group = await createGroup(ben, 'design', { members: [cleo.id] })
  const inner = await createGroup(ben, 'inner')
  const before = (await chat.eventsOf(erin)).length

  await ben.succeed(`POST /user_groups/${group}/members`, {
    add: [dora.id, ben.id],
    delete: [cleo.id],
    add_subgroups: [inner],
  })
  await ben.succeed(`POST /user_groups/${group}/subgroups`, { delete: [inner] })

  assert.deepEqual(await membersOf(ben, group), [ben.id, dora.id])
  assert.deepEqual((await chat.eventsOf(erin)).slice(before), [
    { type: 'user_group', op: 'add_members', group_id: group, user_ids: [dora.id, ben.id] },
    { type: 'user_group', op: 'remove_members', group_id: group, user_ids: [cleo.id] },
    { type: 'user_group', op: 'add_subgroups', group_id: group, direct_subgroup_ids: [inner] },
    { type: 'user_group', op: 'remove_subgroups', group_id: group, direct_subgroup_ids: [inner] },
  ])
})

test('a request that is refused in part changes nothing', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const group = await createGroup(ben, 'design', { members: [ben.id] })
  const change = (params: Record<string, unknown>) => ben.call(`POST /user_groups/${group}/members`, params)

  const nothing = await change({})
  const existing = await change({ add: [cleo.id, ben.id] })
  const absent = await change({ add: [cleo.id], delete: [1] })
  const unknown = await change({ add: [cleo.id, 999] })
  const noSubgroup = await change({ add: [cleo.id], delete_subgroups: [group] })

  assert.equal(
    nothing.msg,
    'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
  )
  assert.equal(existing.msg, `User ${ben.id} is already a member of this group`)
  assert.equal(absent.msg, "There is no member '1' in this user group")
  assert.equal(unknown.msg, 'Invalid user ID: 999')
  assert.equal(noSubgroup.msg, `User group ${group} is not a subgroup of this group.`)
  assert.deepEqual(await membersOf(ben, group), [ben.id])
})

test('members and subgroups that a request adds can be removed by the same request', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const group = await createGroup(ben, 'design', { members: [ben.id] })
  const inner = await createGroup(ben, 'inner')
  const before = (await chat.eventsOf(cleo)).length

  await ben.succeed(`POST /user_groups/${group}/members`, {
    add: [cleo.id],
    delete: [cleo.id, ben.id],
    add_subgroups: [inner],
    delete_subgroups: [inner],
  })

  assert.deepEqual(await membersOf(ben, group), [])
  assert.deepEqual(await subgroupsOf(ben, group), [])
  const events = (await chat.eventsOf(cleo)).slice(before).filter(({ type }) => type === 'user_group')
  assert.deepEqual(events, [
    { type: 'user_group', op: 'add_members', group_id: group, user_ids: [cleo.id] },
    { type: 'user_group', op: 'remove_members', group_id: group, user_ids: [cleo.id, ben.id] },
    { type: 'user_group', op: 'add_subgroups', group_id: group, direct_subgroup_ids: [inner] },
    { type: 'user_group', op: 'remove_subgroups', group_id: group, direct_subgroup_ids: [inner] },
  ])
})

test('each group setting grants only its own permission', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const [adder, remover, joiner, other] = [
    await chat.user('adder'),
    await chat.user('remover'),
    await chat.user('joiner'),
    await chat.user('other'),
  ]
  const group = await createGroup(ben, 'design', {
    members: [other.id],
    can_add_members_group: only(adder),
    can_remove_members_group: only(remover),
    can_join_group: only(joiner),
    can_leave_group: only(joiner),
  })
  const add = (person: Person, member: Person) =>
    person.call(`POST /user_groups/${group}/members`, { add: [member.id] }).then(({ msg }) => msg)
  const remove = (person: Person, member: Person) =>
    person.call(`POST /user_groups/${group}/members`, { delete: [member.id] }).then(({ msg }) => msg)
  const refused = 'Insufficient permission'

  assert.equal(await add(joiner, ben), refused)
  assert.equal(await add(remover, remover), refused)
  assert.equal(await remove(other, other), refused)
  assert.equal(await remove(adder, other), refused)
  assert.equal(await add(joiner, joiner), '')
  assert.equal(await remove(joiner, joiner), '')
  assert.equal(await add(adder, adder), '')
  assert.equal(await remove(remover, adder), '')
  assert.equal(await add(adder, ben), '')
  assert.equal(await remove(ben, ben), '')
})

test('a guest can leave a group, but cannot add members', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })
  const group = await createGroup(ben, 'design', {
    members: [gus.id],
    can_add_members_group: only(gus),
    can_manage_group: only(gus),
  })

  const added = await gus.call(`POST /user_groups/${group}/members`, { add: [ben.id] })
  const left = await gus.call(`POST /user_groups/${group}/members`, { delete: [gus.id] })

  assert.equal(added.msg, 'Insufficient permission')
  assert.equal(left.result, 'success')
})

test('members of nested subgroups are members', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const inner = await createGroup(ada, 'inner', { members: [cleo.id] })
  const middle = await createGroup(ada, 'middle', { subgroups: [inner] })
  const outer = await createGroup(ada, 'outer', { members: [ben.id] })
  const owners = await systemGroup(ada, 'role:owners')

  await ada.succeed(`POST /user_groups/${outer}/subgroups`, { add: [middle, owners] })

  assert.deepEqual(await membersOf(ben, outer), [ada.id, ben.id, cleo.id])
  assert.deepEqual(await membersOf(ben, outer, { direct_member_only: true }), [ben.id])
  assert.deepEqual((await subgroupsOf(ben, outer)).toSorted(), [owners, inner, middle].toSorted())
  assert.deepEqual(
    (await subgroupsOf(ben, outer, { direct_subgroup_only: true })).toSorted(),
    [owners, middle].toSorted(),
  )
  const isMember = async (params = {}) =>
    (await ben.succeed(`GET /user_groups/${outer}/members/${cleo.id}`, params))['is_user_group_member']
  assert.equal(await isMember(), true)
  assert.equal(await isMember({ direct_member_only: true }), false)
})

test('a group cannot contain itself', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const inner = await createGroup(ben, 'inner')
  const middle = await createGroup(ben, 'middle', { subgroups: [inner] })
  const outer = await createGroup(ben, 'outer', { subgroups: [middle] })
  const change = (group: number, params: Record<string, unknown>) =>
    ben.call(`POST /user_groups/${group}/subgroups`, params)

  const circular = await change(inner, { add: [outer] })
  const itself = await change(inner, { add: [inner] })
  const twice = await change(outer, { add: [middle] })
  const nothing = await change(outer, {})
  const removed = await change(outer, { delete: [middle] })
  const notCircular = await change(inner, { add: [outer] })

  assert.equal(circular.msg, `User group ${inner} is already a subgroup of one of the passed subgroups.`)
  assert.equal(itself.msg, `User group ${inner} is already a subgroup of one of the passed subgroups.`)
  assert.equal(twice.msg, `User group ${middle} is already a subgroup of this group.`)
  assert.equal(nothing.msg, 'Nothing to do. Specify at least one of "add" or "delete".')
  assert.equal(removed.result, 'success')
  assert.equal(notCircular.result, 'success')
})

test('a deactivated user is not a member and can be removed', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const group = await createGroup(ben, 'design', { members: [ben.id, cleo.id], can_remove_members_group: only(ben) })
  await chat.app.services.transaction((tx) =>
    tx.updateTable('users').set({ deactivatedAt: tx.now }).where('id', '=', cleo.id).execute(),
  )

  const visible = await membersOf(ben, group)
  const membership = await ben.succeed(`GET /user_groups/${group}/members/${cleo.id}`)
  const added = await ben.call(`POST /user_groups/${group}/members`, { add: [cleo.id] })
  const removed = await ben.call(`POST /user_groups/${group}/members`, { delete: [cleo.id] })

  assert.deepEqual(visible, [ben.id])
  assert.equal(membership['is_user_group_member'], false)
  assert.equal(added.msg, `Invalid user ID: ${cleo.id}`)
  assert.equal(removed.result, 'success')
})

test('groups of other organizations are not found', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  const foreign = await createGroup(eve, 'theirs', { members: [eve.id] })
  const own = await createGroup(ben, 'ours')
  const calls: [string, Record<string, unknown>][] = [
    [`GET /user_groups/${foreign}/members`, {}],
    [`GET /user_groups/${foreign}/subgroups`, {}],
    [`GET /user_groups/${foreign}/members/${ben.id}`, {}],
    [`POST /user_groups/${foreign}/members`, { add: [ben.id] }],
    [`POST /user_groups/${own}/subgroups`, { add: [foreign] }],
  ]

  for (const [route, params] of calls) assert.equal((await ben.call(route, params)).msg, 'Invalid user group', route)
  const outsider = await ben.call(`GET /user_groups/${own}/members/${eve.id}`)
  assert.equal(outsider.msg, 'No such user')
})
