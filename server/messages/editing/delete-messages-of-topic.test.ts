import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { saveChannelFields } from '#channels/queries.ts'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../../test/channels.ts'
import { type Chat, startChat } from '../../../test/harness.ts'
import { addToChannel, sendToChannel } from '../../../test/messages.ts'
import { A_WHILE } from '../../../test/open-transaction.ts'
import { lockAgainstDeletion } from './edit-rows.ts'

async function startDesign() {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design, route: `POST /streams/${design.id}/delete_topic` }
}

const deletions = async (chat: Chat, person: Parameters<Chat['eventsOf']>[0]) =>
  (await chat.eventsOf(person)).filter(({ type }) => type === 'delete_message')

async function contents({ app }: Chat): Promise<string[]> {
  const rows = await app.services.db.selectFrom('messages').select('content').orderBy('id').execute()
  return rows.map((row) => row.content)
}

/** Inserts copies of a message into its topic directly, without sending them. */
async function repeat({ app }: Chat, id: number, count: number): Promise<void> {
  await app.services.transaction(async (tx) => {
    const row = await tx.db.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const copies = Array.from({ length: count }, (_, number) => ({ ...row, id: id + 1 + number }))
    for (let start = 0; start < count; start += 500)
      await tx
        .insertInto('messages')
        .values(copies.slice(start, start + 500))
        .execute()
  })
}

test('a topic is deleted with all its messages, whatever its case, and each user who had them gets one event', async () => {
  const { chat, ada, ben, design, route } = await startDesign()
  const ids = [await sendToChannel(ada, design, 'one', 'Tea'), await sendToChannel(ben, design, 'two', 'tea')]
  await sendToChannel(ben, design, 'three', 'milk')

  const answer = await ada.succeed(route, { topic_name: ' TEA ' })
  const again = await ada.succeed(route, { topic_name: 'tea' })

  assert.equal(answer['complete'], true)
  assert.equal(again['complete'], true)
  assert.deepEqual(await contents(chat), ['three'])
  const event = {
    type: 'delete_message',
    message_ids: ids,
    message_type: 'stream',
    stream_id: design.id,
    topic: 'tea',
  }
  assert.deepEqual(await deletions(chat, ben), [event])
  const { entries } = await ada.succeed('GET /audit_log', { kinds: ['topic_deleted'] })
  assert.deepEqual(
    entries.map(({ target_id, details }: Record<string, unknown>) => [target_id, details]),
    [[design.id, { messages: 2 }]],
  )
})

test('topics of an archived channel cannot be deleted', async () => {
  const { chat, ada, design, route } = await startDesign()
  await sendToChannel(ada, design)
  await chat.app.services.transaction((tx) => saveChannelFields(tx, design.id, { archivedAt: tx.now }))

  assert.deepEqual(await ada.call(route, { topic_name: 'tea' }), refusalResponse('Invalid channel ID'))
  assert.deepEqual(await contents(chat), ['hello'])
})

test('the empty topic can be deleted by either of its names', async () => {
  const { chat, ada, design, route } = await startDesign()
  await sendToChannel(ada, design, 'one', '')

  await ada.succeed(route, { topic_name: 'general chat' })

  assert.deepEqual(await contents(chat), [])
})

test('a long topic is deleted by several requests, its newest messages first', async () => {
  const { chat, ada, design, route } = await startDesign()
  const first = await sendToChannel(ada, design)
  await repeat(chat, first, 5300)

  const answer = await ada.succeed(route, { topic_name: 'tea' })
  const remaining = await chat.app.services.db.selectFrom('messages').select('id').orderBy('id').execute()
  const rest = await ada.succeed(route, { topic_name: 'tea' })

  assert.equal(answer['complete'], false)
  assert.deepEqual([remaining[0]?.id, remaining.length], [first, 301])
  assert.equal(rest['complete'], true)
  assert.deepEqual(await contents(chat), [])
  const deletedIds = (await deletions(chat, ada)).flatMap((event) => event['message_ids'] as number[])
  assert.equal(new Set(deletedIds).size, 5301)
})

test('a topic deletion does not deadlock with transactions that lock its messages one by one', async () => {
  const { chat, ada, design, route } = await startDesign()
  const ids = [await sendToChannel(ada, design), await sendToChannel(ada, design)]
  // In a deadlock, one of the transactions would be started again or refused.
  let begun = 0

  let deleting: Promise<unknown> | undefined
  await chat.app.services.transaction(async (tx) => {
    begun += 1
    for (const id of ids) {
      await lockAgainstDeletion(tx, [id])
      deleting ??= ada.succeed(route, { topic_name: 'tea' })
      await sleep(A_WHILE)
    }
  })
  await deleting

  assert.equal(begun, 1)
  assert.deepEqual(await contents(chat), [])
})

test('only administrators can delete topics, and only messages that they may read', async () => {
  const { chat, ada, ben, design, route } = await startDesign()
  await sendToChannel(ben, design, 'public')
  const secret = await chat.channel('secret', [ben], { isPrivate: true, isHistoryShared: false })
  await sendToChannel(ben, secret, 'before')

  const byMember = await ben.call(route, { topic_name: 'tea' })
  const hidden = await ada.call(`POST /streams/${secret.id}/delete_topic`, { topic_name: 'tea' })
  await addToChannel(ben, secret, [ada])
  await sendToChannel(ben, secret, 'after')
  await ada.succeed(`POST /streams/${secret.id}/delete_topic`, { topic_name: 'tea' })

  assert.deepEqual(byMember, refusalResponse('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL'))
  assert.deepEqual(hidden, refusalResponse('Invalid channel ID'))
  const remaining = (await contents(chat)).filter((content) => !content.includes('subscribed you'))
  assert.deepEqual(remaining, ['public', 'before'])
})

test('subscribers of a channel with protected history get no events about earlier messages', async () => {
  const { chat, ada, ben } = await startDesign()
  const cleo = await chat.user('cleo')
  const secret = await chat.channel('secret', [ada, ben], { isPrivate: true, isHistoryShared: false })
  const before = await sendToChannel(ben, secret)
  await addToChannel(ben, secret, [cleo])
  const after = await sendToChannel(ben, secret)

  await ada.succeed(`POST /streams/${secret.id}/delete_topic`, { topic_name: 'tea' })

  const deletedIds = async (person: Parameters<Chat['eventsOf']>[0]) =>
    (await deletions(chat, person)).map(({ message_ids }) => message_ids)
  assert.deepEqual(await deletedIds(ben), [[before], [after]])
  assert.deepEqual(await deletedIds(cleo), [[after]])
})
