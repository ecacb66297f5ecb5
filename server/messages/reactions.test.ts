import assert from 'node:assert/strict'
import test from 'node:test'
import { saveChannelFields } from '#channels/queries.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { fetchMessage, invalidMessage, sendDirect, sendToChannel } from '../../test/messages.ts'

const add = (person: Person, id: number, params: object) => person.call(`POST /messages/${id}/reactions`, { ...params })
const remove = (person: Person, id: number, params: object) =>
  person.call(`DELETE /messages/${id}/reactions`, { ...params })

async function customEmoji(chat: Chat, author: Person, name: string, deactivatedAt: number | null = null) {
  const emoji = { realmId: chat.realm.id, name, authorId: author.id, fileName: 'x.png', createdAt: 0, deactivatedAt }
  return chat.app.services.transaction(async (tx) => {
    const { id } = await tx.insertInto('realmEmoji').values(emoji).returning('id').executeTakeFirstOrThrow()
    return id
  })
}

test('reactions of all types are returned in the order in which they were added', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendDirect(ada, [ben])
  const custom = await customEmoji(chat, ada, 'party')

  await add(ben, id, { emoji_name: 'parley' })
  await add(ada, id, { emoji_name: 'party' })
  await add(ada, id, { emoji_name: 'hash', emoji_code: '0023-20e3', reaction_type: 'unicode_emoji' })

  assert.deepEqual((await fetchMessage(ben, id)).reactions, [
    { emoji_name: 'parley', emoji_code: 'parley', reaction_type: 'service_extra_emoji', user_id: ben.id },
    { emoji_name: 'party', emoji_code: String(custom), reaction_type: 'realm_emoji', user_id: ada.id },
    { emoji_name: 'hash', emoji_code: '0023-20e3', reaction_type: 'unicode_emoji', user_id: ada.id },
  ])
})

test('official clients send and receive the extra emoji with its old type', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada])
  const official = { 'user-agent': 'ZulipMobile/26 (Android)' }
  const types = async (headers?: Record<string, string>) =>
    (await ada.call(`GET /messages/${id}`, {}, headers))['message'].reactions.map(
      (reaction: { reaction_type: string }) => reaction.reaction_type,
    )

  await add(ada, id, { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' })
  await add(ada, id, { emoji_name: 'tada' })

  assert.deepEqual(await types(official), ['zulip_extra_emoji', 'unicode_emoji'])
  assert.deepEqual(await types(), ['service_extra_emoji', 'unicode_emoji'])
  assert.equal((await remove(ada, id, { emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' })).status, 200)
})

test('a reaction with the code of an existing reaction keeps the existing emoji name', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendDirect(ada, [ben])

  await add(ada, id, { emoji_name: '+1' })
  await add(ben, id, { emoji_name: 'thumbs_up' })

  const names = (await fetchMessage(ben, id)).reactions.map((reaction: { emoji_name: string }) => reaction.emoji_name)
  assert.deepEqual(names, ['+1', '+1'])
})

test('adding a reaction twice and removing a missing one are refused', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendDirect(ada, [ben])
  await add(ada, id, { emoji_name: 'tada' })

  assert.partialDeepStrictEqual(await add(ada, id, { emoji_name: 'tada' }), {
    code: 'REACTION_ALREADY_EXISTS',
    msg: 'Reaction already exists.',
  })
  assert.partialDeepStrictEqual(await remove(ben, id, { emoji_name: 'tada' }), {
    code: 'REACTION_DOES_NOT_EXIST',
    msg: "Reaction doesn't exist.",
  })
  assert.equal((await remove(ada, id, {})).msg.slice(0, 12), 'At least one')
})

test('a reaction is removed by its name, another name of its emoji or its code', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada])

  for (const way of [{ emoji_name: '+1' }, { emoji_name: 'thumbs_up' }, { emoji_code: '1f44d' }]) {
    assert.equal((await add(ada, id, { emoji_name: '+1' })).status, 200)
    assert.equal((await remove(ada, id, way)).status, 200)
  }
  assert.deepEqual((await fetchMessage(ada, id)).reactions, [])
})

test('mismatched emoji names, codes and types are refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada])
  const deactivated = await customEmoji(chat, ada, 'gone', 1)
  const custom = await customEmoji(chat, ada, 'party')
  const message = async (emoji_name: string, emoji_code?: string, reaction_type?: string) =>
    (await add(ada, id, { emoji_name, emoji_code, reaction_type })).msg

  assert.equal(await message('nonsense'), "Emoji 'nonsense' does not exist")
  assert.equal(await message('gone'), "Emoji 'gone' does not exist")
  assert.equal(await message('tada', 'xyz', 'unicode_emoji'), 'Invalid emoji code.')
  assert.equal(await message('tada', '1f44d', 'unicode_emoji'), 'Invalid emoji name.')
  assert.equal(await message('parley', 'parlez', 'service_extra_emoji'), 'Invalid emoji code.')
  assert.equal(await message('zulip', 'parley', 'service_extra_emoji'), 'Invalid emoji name.')
  assert.equal(await message('party', '404', 'realm_emoji'), 'Invalid custom emoji')
  assert.equal(await message('paarty', String(custom), 'realm_emoji'), 'Invalid emoji name.')
  assert.equal(await message('gone', String(deactivated), 'realm_emoji'), 'This custom emoji has been deactivated')
  assert.equal(await message('tada', '1f389', 'sticker'), 'Invalid emoji type.')
})

test('reacting to a message that was never received creates a historical record', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada]))

  await add(ben, id, { emoji_name: 'tada' })

  assert.deepEqual((await fetchMessage(ben, id)).flags, ['read', 'historical'])
  const received = (await chat.eventsOf(ben)).map((event) => event.type)
  assert.deepEqual(received, ['reaction'])
})

test('reaction events go to all users who may read the message, including new subscribers', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada]))
  await ben.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }] })

  await add(ada, id, { emoji_name: 'tada' })
  await remove(ada, id, { emoji_name: 'tada' })

  const emoji = { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' }
  const received = (await chat.eventsOf(ben)).filter((event) => event.type === 'reaction')
  const user = { user_id: ada.id, email: 'ada@example.com', full_name: 'Ada', is_mirror_dummy: false }
  assert.deepEqual(received, [
    { type: 'reaction', op: 'add', user_id: ada.id, user, message_id: id, ...emoji },
    { type: 'reaction', op: 'remove', user_id: ada.id, user, message_id: id, ...emoji },
  ])
  assert(!(await chat.eventsOf(cleo)).some((event) => event.type === 'reaction'))
})

test('reactions to inaccessible messages and in archived channels are refused', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada])
  const [direct, archived] = [await sendDirect(ada, [ada]), await sendToChannel(ada, design)]
  await chat.app.services.transaction((tx) => saveChannelFields(tx, design.id, { archivedAt: tx.now }))

  assert.deepEqual(await add(ben, direct, { emoji_name: 'tada' }), invalidMessage)
  assert.deepEqual(await remove(ben, direct, { emoji_name: 'tada' }), invalidMessage)
  assert.deepEqual(await add(ada, archived, { emoji_name: 'tada' }), invalidMessage)
})

test('a guest who cannot see the user who reacted receives a placeholder user', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  const id = await sendToChannel(ada, await chat.channel('design', [ada, gus]))
  await chat.change({ can_access_all_users_group: 'role:members' })

  await add(ben, id, { emoji_name: 'tada' })

  const [event] = (await chat.eventsOf(gus)).filter(({ type }) => type === 'reaction')
  const email = `user${ben.id}@parley.test`
  assert.deepEqual(event?.['user'], { user_id: ben.id, email, full_name: 'Unknown user', is_mirror_dummy: false })
})
