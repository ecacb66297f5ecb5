import assert from 'node:assert/strict'
import test from 'node:test'
import { Role } from '#rules/role.ts'
import { type Person, startChat } from '../../test/harness.ts'
import { invalidMessage, sendDirect, sendToChannel } from '../../test/messages.ts'

const readers = async (person: Person, id: number): Promise<number[]> =>
  (await person.succeed(`GET /messages/${id}/read_receipts`))['user_ids']

const markRead = (person: Person, id: number) =>
  person.succeed('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' })

test('read receipts leave out the sender and users who do not send read receipts', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const dan = await chat.user('dan', { settings: { send_read_receipts: false } })
  const eve = await chat.user('eve')
  const id = await sendToChannel(ada, await chat.channel('design', [ada, ben, cleo, dan, eve]))

  assert.deepEqual(await readers(ben, id), [])
  for (const person of [dan, cleo, ben, ada]) await markRead(person, id)

  assert.deepEqual(await readers(eve, id), [ben.id, cleo.id])
  assert.deepEqual(await readers(ada, id), [ben.id, cleo.id])
})

test('read receipts leave out users whom the reader mutes and users who mute the reader', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const id = await sendDirect(ada, [ben, cleo])
  for (const person of [ben, cleo]) await markRead(person, id)

  await chat.app.services.transaction(async (tx) => {
    for (const [userId, mutedUserId] of [
      [ada.id, ben.id],
      [cleo.id, ben.id],
    ] as const)
      await tx.insertInto('mutedUsers').values({ userId, mutedUserId, mutedAt: tx.now }).execute()
  })

  assert.deepEqual(await readers(ada, id), [cleo.id])
  assert.deepEqual(await readers(ben, id), [ben.id])
  assert.deepEqual(await readers(cleo, id), [cleo.id])
})

test('read receipts leave out deactivated users and, for limited guests, users whom they cannot see', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const ada = await chat.user('ada', { role: Role.owner })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const gus = await chat.user('gus', { role: Role.guest })
  const design = await chat.channel('design', [ada, ben, cleo, gus])
  const id = await sendToChannel(ada, design)
  for (const person of [ben, cleo, gus]) await markRead(person, id)

  await cleo.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] })
  assert.deepEqual(await readers(gus, id), [ben.id, gus.id])
  assert.deepEqual(await readers(ada, id), [ben.id, cleo.id, gus.id])
  await ada.succeed(`DELETE /users/${ben.id}`)
  assert.deepEqual(await readers(ada, id), [cleo.id, gus.id])
})

test('read receipts are refused for inaccessible messages and in organizations that disable them', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const id = await sendDirect(ada, [ben])

  assert.deepEqual(await cleo.call(`GET /messages/${id}/read_receipts`), invalidMessage)
  await chat.change({ enable_read_receipts: false })
  const refused = await ben.call(`GET /messages/${id}/read_receipts`)

  assert.equal(refused.msg, 'Read receipts are disabled in this organization.')
  assert.deepEqual(await cleo.call(`GET /messages/${id}/read_receipts`), invalidMessage)
})
