import assert from 'node:assert/strict'
import test from 'node:test'
import { saveChannelFields } from '#channels/queries.ts'
import { findUser } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { leaveChannel, sendDirect } from '../../test/messages.ts'
import { viewerOf } from './viewer.ts'

async function visibleTo(chat: Chat, person: Person): Promise<number[] | null> {
  const { db, clock } = chat.app.services
  const user = await findUser(db, person.id)
  const realm = await db
    .selectFrom('realms')
    .select('settings')
    .where('id', '=', chat.realm.id)
    .executeTakeFirstOrThrow()
  const settings = { ...chat.realm.settings, ...JSON.parse(realm.settings) }
  if (user === null) throw new Error('no such user')
  const ids = await viewerOf(db, { ...user, realm: { ...chat.realm, settings } }, clock.now()).visibleIds()
  return ids === null ? null : [...ids].sort((one, other) => one - other)
}

test('all users are visible by default, and a setting can limit guests', async () => {
  const chat = await startChat()
  const [ada, gus] = [await chat.user('ada'), await chat.user('gus', { role: Role.guest })]

  assert.equal(await visibleTo(chat, gus), null)
  await chat.change({ can_access_all_users_group: 'role:members' })
  assert.equal(await visibleTo(chat, ada), null)
  assert.deepEqual(await visibleTo(chat, gus), [gus.id])
})

test('a guest sees users with whom they share a channel, while both are subscribed and it is not archived', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  const [design, closing] = [await chat.channel('design', [ada, gus]), await chat.channel('closing', [ben, gus])]

  assert.deepEqual(await visibleTo(chat, gus), [ada.id, ben.id, gus.id])
  await chat.app.services.transaction((tx) => saveChannelFields(tx, closing.id, { archivedAt: tx.now }))
  assert.deepEqual(await visibleTo(chat, gus), [ada.id, gus.id])
  await leaveChannel(ada, design)
  assert.deepEqual(await visibleTo(chat, gus), [gus.id])
})

test('a guest sees the users in their direct conversations, including group conversations', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const cleo = await chat.user('cleo')
  const gus = await chat.user('gus', { role: Role.guest })
  await sendDirect(ada, [gus])
  await sendDirect(ben, [gus, cleo])
  await chat.change({ can_access_all_users_group: 'role:members' })

  assert.deepEqual(await visibleTo(chat, gus), [ada.id, ben.id, cleo.id, gus.id])
})
