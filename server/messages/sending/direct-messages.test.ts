import assert from 'node:assert/strict'
import test from 'node:test'
import { saveUserFields } from '#people/user-queries.ts'
import { AddressVisibility } from '#people/user-settings.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { fetchMessage, sendDirect } from '../../../test/messages.ts'

const send = (person: Person, to: unknown, type = 'direct') =>
  person.call('POST /messages', { type, to, content: 'hi' })

test('users can be named by id or by API address, in every format that clients use', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const hidden = await chat.user('hidden', { settings: { email_address_visibility: AddressVisibility.nobody } })
  const forms: [unknown, number[]][] = [
    [[ben.id], [ada.id, ben.id]],
    [['BEN@example.com'], [ada.id, ben.id]],
    ['ben@example.com', [ada.id, ben.id]],
    [
      ['ben@example.com', 'BEN@example.com'],
      [ada.id, ben.id],
    ],
    [`ben@example.com, user${hidden.id}@parley.test`, [ada.id, ben.id, hidden.id]],
    [[ada.id], [ada.id]],
    [
      [ada.id, ben.id, ben.id],
      [ada.id, ben.id],
    ],
  ]

  for (const [to, ids] of forms) {
    const answer = await send(ada, to, 'private')
    const { display_recipient } = await fetchMessage(ada, answer['id'])
    assert.deepEqual(new Set(display_recipient.map((person: { id: number }) => person.id)), new Set(ids))
  }
})

test('empty recipients, users of other organizations, hidden addresses and invalid values are refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const hidden = await chat.user('hidden', { settings: { email_address_visibility: AddressVisibility.nobody } })
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  const message = async (to: unknown) => (await send(ada, to)).msg

  assert.equal(await message([]), 'Message must have recipients')
  assert.equal(await message([eve.id]), `Invalid user ID ${eve.id}`)
  assert.equal(await message('[1e300]'), 'Invalid user ID 1e+300')
  assert.equal(await message([hidden.email]), `Invalid email '${hidden.email}'`)
  assert.equal(await message('nobody'), "Invalid email 'nobody'")
  assert.equal(
    await message([ada.id, 'x@example.com']),
    'Recipient lists may contain emails or user IDs, but not both.',
  )
})

test('direct messages to deactivated users are refused', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.app.services.transaction((tx) => saveUserFields(tx, ben.id, { deactivatedAt: tx.now }))

  assert.equal((await send(ada, [ben.id])).msg, "'ben@example.com' is no longer using Parley.")
})

test('the error names a deactivated recipient by API address, but not to guests who may not see the user', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const ada = await chat.user('ada')
  const gus = await chat.user('gus', { role: Role.guest })
  const hidden = await chat.user('hidden', { settings: { email_address_visibility: AddressVisibility.nobody } })
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ada })
  await chat.app.services.transaction((tx) => saveUserFields(tx, hidden.id, { deactivatedAt: tx.now }))

  assert.equal((await send(ada, [hidden.id])).msg, `'user${hidden.id}@parley.test' is no longer using Parley.`)
  const unseen = 'You do not have permission to access some of the recipients.'
  assert.deepEqual([(await send(gus, [hidden.id])).msg, (await send(gus, [ada.id])).msg], [unseen, unseen])
  await sendDirect(gus, [bot])
})

test('both users get a direct message, each with the recipient id of the other', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const id = await sendDirect(ada, [ben])

  for (const person of [ada, ben]) {
    const [event] = await chat.eventsOf(person)
    const { recipient_id } = await fetchMessage(person, id)
    assert.partialDeepStrictEqual(event, { type: 'message', message: { id, recipient_id } })
  }
})

test('the same users share one conversation, however they are named', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]

  await sendDirect(ada, [ben, cleo])
  await sendDirect(cleo, [ada, ben, cleo])
  await sendDirect(ben, [cleo, ada])

  const rows = await chat.app.services.db.selectFrom('conversations').select('participantsKey').execute()
  assert.deepEqual(rows, [{ participantsKey: `${ada.id},${ben.id},${cleo.id}` }])
})

test('an organization can limit direct messages to bots and notes to self', async () => {
  const chat = await startChat()
  await chat.change({ direct_message_permission_group: 'role:nobody' })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ada })

  assert.equal((await send(ada, [ben.id])).msg, 'Direct messages are disabled in this organization.')
  await sendDirect(ada, [bot])
  await sendDirect(bot, [ada, ben])
  await sendDirect(ada, [ada])
})

test('a direct conversation needs a participant who can authorize it', async () => {
  const chat = await startChat()
  await chat.change({ direct_message_permission_group: 'role:administrators' })
  const boss = await chat.user('boss', { role: Role.administrator })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const { msg } = await send(ada, [ben.id])

  assert.equal(msg, 'This conversation does not include any users who can authorize it.')
  await sendDirect(ada, [ben, boss])
  await sendDirect(boss, [ada])
})

test('users who may not start conversations can reply in existing ones', async () => {
  const chat = await startChat()
  await chat.change({ direct_message_initiator_group: 'role:administrators' })
  const boss = await chat.user('boss', { role: Role.administrator })
  const ada = await chat.user('ada')

  const { msg } = await send(ada, [boss.id])

  assert.equal(msg, 'You do not have permission to initiate direct message conversations.')
  await sendDirect(boss, [ada])
  await sendDirect(ada, [boss])
})

test('a guest can only message users whom the guest may see', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.channel('design', [ben, gus])

  const { msg } = await send(gus, [ada.id])

  assert.equal(msg, 'You do not have permission to access some of the recipients.')
  await sendDirect(gus, [ben])
  await sendDirect(ada, [gus])
  await sendDirect(gus, [ada])
})
