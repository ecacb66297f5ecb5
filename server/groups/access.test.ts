import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { GroupSetting } from '#realms/realm-settings.ts'
import { startChat } from '../../test/harness.ts'
import { requireGroupSetting } from './access.ts'
import { findRealmGroups, saveGroup } from './queries.ts'

const rule = { setting: 'can_try', excludes: ['role:internet'] } as const

test('equal values have one canonical form', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const { db, transaction } = chat.app.services
  const actor: Actor = { ...(await findUser(db, ben.id))!, realm: chat.realm }
  const group = { realmId: chat.realm.id, name: 'g', description: '', creatorId: ben.id, settings: {} }
  const id = await transaction((tx) => saveGroup(tx, { ...group, memberIds: [], subgroupIds: [] }))
  const { systemId } = await findRealmGroups(db, chat.realm.id)
  const moderators = systemId['role:moderators']
  const anonymous = (members: number[], subgroups: number[]) => ({
    direct_members: members,
    direct_subgroups: subgroups,
  })
  const forms: [number | ReturnType<typeof anonymous>, GroupSetting][] = [
    [id, id],
    [moderators, 'role:moderators'],
    [anonymous([], [id]), id],
    [anonymous([], [moderators, moderators]), 'role:moderators'],
    [anonymous([], []), 'role:nobody'],
    [anonymous([cleo.id, ben.id, cleo.id], []), anonymous([ben.id, cleo.id], [])],
    [
      anonymous([], [id, moderators]),
      anonymous(
        [],
        [moderators, id].sort((one, other) => one - other),
      ),
    ],
  ]

  for (const [value, setting] of forms) assert.deepEqual(await requireGroupSetting(db, actor, value, rule), setting)
})

test('deactivated groups and users, those of other organizations, and excluded groups are refused', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const other = await chat.organization('other')
  const eve = await chat.user('eve', { realm: other })
  const gone = await chat.user('gone')
  const { db, transaction } = chat.app.services
  const actor: Actor = { ...(await findUser(db, ben.id))!, realm: chat.realm }
  const group = { realmId: chat.realm.id, name: 'g', description: '', creatorId: ben.id, settings: {} }
  const id = await transaction((tx) => saveGroup(tx, { ...group, memberIds: [], subgroupIds: [] }))
  await transaction(async (tx) => {
    await tx.updateTable('userGroups').set({ deactivatedAt: tx.now }).where('id', '=', id).execute()
    await tx.updateTable('users').set({ deactivatedAt: tx.now }).where('id', '=', gone.id).execute()
  })
  const { systemId } = await findRealmGroups(db, chat.realm.id)
  const theirs = (await findRealmGroups(db, other.id)).systemId['role:members']
  const set = (direct_members: number[], direct_subgroups: number[] = []) =>
    requireGroupSetting(db, actor, { direct_members, direct_subgroups }, rule)

  await assert.rejects(requireGroupSetting(db, actor, theirs, rule), { message: 'Invalid user group' })
  await assert.rejects(set([ben.id], [theirs]), { message: 'Invalid user group' })
  await assert.rejects(requireGroupSetting(db, actor, id, rule), { message: 'User group is deactivated.' })
  await assert.rejects(set([eve.id]), { message: `Invalid user ID: ${eve.id}` })
  await assert.rejects(set([gone.id]), { message: `Invalid user ID: ${gone.id}` })
  await assert.rejects(set([ben.id], [systemId['role:internet']]), {
    message: "'can_try' setting cannot be set to 'role:internet' group.",
  })
})
