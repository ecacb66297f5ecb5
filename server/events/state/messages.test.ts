import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'

const state = (person: Person, type: string) => person.succeed('POST /register', { fetch_event_types: [type] })

test('max_message_id is the newest message that the user received, in a channel or directly', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben])
  const newestFor = async (person: Person) => (await state(person, 'message'))['max_message_id']

  assert.equal(await newestFor(ada), -1)
  const said = await sendToChannel(ben, design)
  assert.equal(await newestFor(ada), said)
  assert.equal(await newestFor(cleo), -1)
  const events = await sendDirect(ben, [ada])
  assert.deepEqual([await newestFor(ada), await newestFor(ben), await newestFor(cleo)], [events, events, -1])
})

test('messages in archived channels count for max_message_id only with archived_channels', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const events = await sendDirect(ada, [ben])
  const said = await sendToChannel(ada, design)
  const newestFor = async (knows: boolean) => {
    const client_capabilities = { archived_channels: knows }
    return (await ben.succeed('POST /register', { fetch_event_types: ['message'], client_capabilities }))[
      'max_message_id'
    ] as number
  }
  assert.deepEqual([await newestFor(false), await newestFor(true)], [said, said])

  await ada.succeed(`DELETE /streams/${design.id}`)

  assert.equal(await newestFor(false), events)
  assert.ok((await newestFor(true)) >= said)
})

test('starred messages are listed, oldest first', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const [first, second, third] = [
    await sendToChannel(ben, design),
    await sendDirect(ben, [ada]),
    await sendToChannel(ben, design),
  ]
  await ada.succeed('POST /messages/flags', { messages: [third, first, second], op: 'add', flag: 'starred' })
  await ada.succeed('POST /messages/flags', { messages: [second], op: 'remove', flag: 'starred' })

  assert.deepEqual((await state(ada, 'starred_messages'))['starred_messages'], [first, third])
  assert.deepEqual((await state(ben, 'starred_messages'))['starred_messages'], [])
})

test('direct conversations are listed by their other participants, the most recent first', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const note = await sendDirect(ada, [ada])
  await sendDirect(ben, [ada])
  const group = await sendDirect(cleo, [ada, ben])
  const direct = await sendDirect(ada, [ben])
  await sendDirect(ben, [cleo])

  assert.deepEqual((await state(ada, 'recent_private_conversations'))['recent_private_conversations'], [
    { max_message_id: direct, user_ids: [ben.id] },
    { max_message_id: group, user_ids: [ben.id, cleo.id] },
    { max_message_id: note, user_ids: [] },
  ])
})
