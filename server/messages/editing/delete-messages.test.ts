import assert from 'node:assert/strict'
import test from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { fetchMessage, invalidMessage, sendDirect, sendToChannel } from '../../../test/messages.ts'

const remove = (person: Person, id: number) => person.call(`DELETE /messages/${id}`)

test('a deleted message is removed for all users with everything that belongs to it, and its recipients get an event', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const id = await sendToChannel(ada, design)
  await ben.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })

  await ada.succeed(`DELETE /messages/${id}`)

  for (const person of [ada, ben]) assert.deepEqual(await person.call(`GET /messages/${id}`), invalidMessage)
  assert.deepEqual((await chat.eventsOf(ben)).at(-1), {
    type: 'delete_message',
    message_ids: [id],
    message_type: 'stream',
    stream_id: design.id,
    topic: 'tea',
  })
  const { db } = chat.app.services
  for (const table of ['userMessages', 'reactions'] as const)
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [])
})

test('the id of a deleted message is not reused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada])
  await ada.succeed(`DELETE /messages/${id}`)

  assert((await sendDirect(ada, [ada])) > id)
  assert.partialDeepStrictEqual(await chat.eventsOf(ada), [
    { type: 'message' },
    { type: 'delete_message', message_ids: [id], message_type: 'private' },
  ])
})

test('users can delete their own and their bots’ messages within the time limit, and administrators any message', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const boss = await chat.user('boss', { role: Role.administrator })
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ada })
  const design = await chat.channel('design', [ada, ben, boss])
  const [own, bots, late] = [
    await sendToChannel(ada, design),
    await sendToChannel(bot, design),
    await sendToChannel(ada, design),
  ]

  assert.equal((await remove(ben, own)).msg, "You don't have permission to delete this message")
  assert.equal((await remove(ada, own)).status, 200)
  assert.equal((await remove(ada, bots)).status, 200)
  await chat.clock.advance(601)
  assert.equal((await remove(ada, late)).msg, 'The time limit for deleting this message has passed')
  await chat.change({ can_delete_own_message_group: 'role:nobody', message_content_delete_limit_seconds: null })
  assert.equal((await remove(ada, late)).msg, "You don't have permission to delete this message")
  assert.equal((await remove(boss, late)).status, 200)
  const { entries } = await boss.succeed('GET /audit_log', { kinds: ['message_deleted'] })
  assert.deepEqual(
    entries.map(({ actor_id, target_id, details }: Record<string, unknown>) => [actor_id, target_id, details]),
    [[boss.id, ada.id, { channel_id: design.id }]],
  )
})

test('administrators cannot delete messages that they may not read', async () => {
  const chat = await startChat()
  const [ada, boss] = [await chat.user('ada'), await chat.user('boss', { role: Role.owner })]
  const id = await sendDirect(ada, [ada])

  assert.deepEqual(await remove(boss, id), invalidMessage)
  assert.equal((await fetchMessage(ada, id)).id, id)
})

test('an administrator who deletes a message of a channel without a subscription gets the event, too', async () => {
  const chat = await startChat()
  const [ada, boss] = [await chat.user('ada'), await chat.user('boss', { role: Role.owner })]
  const design = await chat.channel('design', [ada])
  const ids = [await sendToChannel(ada, design), await sendToChannel(ada, design, 'hello', 'milk')]

  await boss.succeed(`DELETE /messages/${ids[0]}`)
  await boss.succeed(`POST /streams/${design.id}/delete_topic`, { topic_name: 'milk' })

  const events = (await chat.eventsOf(boss)).filter(({ type }) => type === 'delete_message')
  assert.deepEqual(
    events.map(({ message_ids }) => message_ids),
    ids.map((id) => [id]),
  )
})
