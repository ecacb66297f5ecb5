import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { startChat } from '../../../test/harness.ts'
import { migratorOver } from '../schema.ts'
import { lowerBots } from './0028-lower-bots.ts'

test('bots with higher roles than their owners get the roles of their owners', async () => {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const ben = await chat.user('ben')
  const gus = await chat.user('gus', { role: Role.guest })
  const { db, transaction } = chat.app.services
  const robot = async (name: string, role: Role, owner?: typeof ben) =>
    (await chat.user(name, { role, botType: BotType.generic, ...(owner && { owner }) })).id
  const bots = [
    await robot('a', Role.administrator, olga),
    await robot('b', Role.administrator, ben),
    await robot('c', Role.guest, ben),
    await robot('d', Role.member, gus),
    await robot('e', Role.owner),
  ]

  await transaction((tx) => lowerBots(migratorOver(db.dialect, (query) => tx.db.executeQuery(query))))

  const rows = await db.selectFrom('users').select(['id', 'role']).where('id', 'in', bots).orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ role }) => role),
    [Role.administrator, Role.member, Role.guest, Role.guest, Role.member],
  )
})
