import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, START, startChat } from '../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../test/messages.ts'

async function received(chat: Chat, person: Person, type: string): Promise<ReceivedEvent[]> {
  return (await chat.eventsOf(person)).filter((event) => event.type === type)
}

test('users can mute and unmute others, and only they get the events', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const dan = await chat.user('dan')

  await ben.succeed(`POST /users/me/muted_users/${cleo.id}`)
  await chat.clock.advance(1)
  await ben.succeed(`POST /users/me/muted_users/${dan.id}`)
  await ben.succeed(`DELETE /users/me/muted_users/${cleo.id}`)

  const mute = (person: Person, timestamp: number) => ({ id: person.id, timestamp })
  assert.deepEqual(
    (await received(chat, ben, 'muted_users')).map((event) => event['muted_users']),
    [[mute(cleo, START)], [mute(cleo, START), mute(dan, START + 1)], [mute(dan, START + 1)]],
  )
  assert.deepEqual(await received(chat, cleo, 'muted_users'), [])
})

test('messages from a muted user arrive as read for those who have muted them', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const dan = await chat.user('dan')
  const design = await chat.channel('design', [ben, cleo, dan])
  await ben.succeed(`POST /users/me/muted_users/${cleo.id}`)

  const ids = [
    await sendToChannel(cleo, design),
    await sendToChannel(cleo, design, '@**Ben** look'),
    await sendDirect(cleo, [ben]),
  ]
  const flags = await Promise.all(ids.map(async (id) => (await fetchMessage(ben, id)).flags))
  const foreign = await fetchMessage(ben, await sendToChannel(dan, design))

  assert.deepEqual(flags, [['read'], ['read', 'mentioned'], ['read']])
  assert.deepEqual(foreign.flags, [])
  assert.deepEqual((await fetchMessage(dan, ids[0] ?? 0)).flags, [])
  assert.deepEqual(
    (await received(chat, ben, 'message')).map((event) => event['flags']),
    [['read'], ['read', 'mentioned'], ['read'], []],
  )
})

test('muting a user marks their earlier messages as read', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const dan = await chat.user('dan')
  const design = await chat.channel('design', [ben, cleo, dan])
  const ids = [await sendToChannel(cleo, design), await sendDirect(cleo, [ben])]
  const foreign = await sendToChannel(dan, design)

  await ben.succeed(`POST /users/me/muted_users/${cleo.id}`)

  const flags = await Promise.all([...ids, foreign].map(async (id) => (await fetchMessage(ben, id)).flags))
  assert.deepEqual(flags, [['read'], ['read'], []])
  const events = await received(chat, ben, 'update_message_flags')
  assert.partialDeepStrictEqual(events, [{ op: 'add', flag: 'read', messages: ids, all: false }])
})

test('users cannot mute themselves, unknown users, or a user twice', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const gus = await chat.user('gus', { role: Role.guest })
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  await chat.change({ can_access_all_users_group: 'role:members' })
  await ben.succeed(`POST /users/me/muted_users/${cleo.id}`)
  const mute = (actor: Person, id: number) => actor.call(`POST /users/me/muted_users/${id}`)

  assert.deepEqual(await mute(ben, ben.id), refusalResponse('Cannot mute self'))
  assert.deepEqual(await mute(ben, cleo.id), refusalResponse('User already muted'))
  for (const [actor, id] of [
    [ben, 9999],
    [ben, eve.id],
    [gus, cleo.id],
  ] as const)
    assert.deepEqual(await mute(actor, id), refusalResponse('No such user'))
  assert.deepEqual(await ben.call(`DELETE /users/me/muted_users/${gus.id}`), refusalResponse('User is not muted'))
})
