import assert from 'node:assert/strict'
import test from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../../test/messages.ts'

async function startTalk() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const ids: number[] = []
  for (const topic of ['tea', 'tea', 'milk', 'tea']) ids.push(await sendToChannel(ada, design, 'hello', topic))
  return { chat, ada, ben, design, ids, direct: await sendDirect(ada, [ben]) }
}

const MARK = { op: 'add', flag: 'read', num_before: 0, num_after: 1000 }

test('messages of a narrow are marked as read around an anchor, and the response counts them', async () => {
  const { chat, ben, ids, direct } = await startTalk()
  const narrow = [
    { operator: 'channel', operand: 'design' },
    { operator: 'topic', operand: 'Tea' },
  ]

  const first = await ben.succeed('POST /messages/flags/narrow', { ...MARK, anchor: 'oldest', num_after: 2, narrow })
  const second = await ben.succeed('POST /messages/flags/narrow', {
    ...{ ...MARK, anchor: first['last_processed_id'], include_anchor: false, narrow },
  })
  const third = await ben.succeed('POST /messages/flags/narrow', { ...MARK, anchor: 'oldest', narrow })

  const [tea, , milk, last] = ids
  assert.partialDeepStrictEqual(first, {
    ...{ processed_count: 2, updated_count: 2, first_processed_id: tea, last_processed_id: ids[1] },
    ...{ found_oldest: true, found_newest: false, ignored_because_not_subscribed_channels: [] },
  })
  assert.partialDeepStrictEqual(second, {
    processed_count: 1,
    updated_count: 1,
    found_newest: true,
    found_oldest: false,
  })
  assert.partialDeepStrictEqual(third, { processed_count: 3, updated_count: 0, last_processed_id: last })
  assert.deepEqual((await fetchMessage(ben, milk as number)).flags, [])
  assert.deepEqual((await fetchMessage(ben, direct)).flags, [])
  const events = (await chat.eventsOf(ben)).filter((event) => event.type === 'update_message_flags')
  assert.deepEqual(
    events.map((event) => event['messages']),
    [ids.slice(0, 2), [last]],
  )
})

test('the anchor first_unread starts at the first unread message', async () => {
  const { ben, ids, direct } = await startTalk()
  await ben.succeed('POST /messages/flags', { messages: ids.slice(0, 2), op: 'add', flag: 'read' })
  const narrow = [{ operator: 'is', operand: 'unread', negated: false }]

  const response = await ben.succeed('POST /messages/flags/narrow', { ...MARK, anchor: 'first_unread', narrow })
  const nothing = await ben.succeed('POST /messages/flags/narrow', { ...MARK, anchor: 'first_unread', narrow })

  assert.partialDeepStrictEqual(response, { processed_count: 3, updated_count: 3, first_processed_id: ids[2] })
  assert.equal(response['last_processed_id'], direct)
  assert.partialDeepStrictEqual(nothing, { processed_count: 0, first_processed_id: null, last_processed_id: null })
})

test('messages that the user never received can be starred but not marked as unread', async () => {
  const { chat, ada, ben } = await startTalk()
  const other = await chat.channel('other', [ada])
  const ids = [await sendToChannel(ada, other), await sendToChannel(ada, other)]
  const star = {
    op: 'add',
    flag: 'starred',
    num_before: 10,
    num_after: 0,
    anchor: 'newest',
    narrow: [['stream', 'other']],
  }

  const starred = await ben.succeed('POST /messages/flags/narrow', star)
  const unread = await ben.succeed('POST /messages/flags/narrow', { ...star, op: 'remove', flag: 'read' })

  assert.partialDeepStrictEqual(starred, { processed_count: 2, updated_count: 2 })
  assert.deepEqual((await fetchMessage(ben, ids[1] as number)).flags, ['read', 'starred', 'historical'])
  assert.partialDeepStrictEqual(unread, { updated_count: 0, ignored_because_not_subscribed_channels: [other.id] })
})

test('unknown flags, invalid narrows and ranges that are too long are refused', async () => {
  const { ben } = await startTalk()
  const mark = { ...MARK, anchor: 'newest', narrow: [] }
  const msg = async (params: object) => (await ben.call('POST /messages/flags/narrow', { ...mark, ...params })).msg

  assert.equal(await msg({ flag: 'mentioned' }), "Flag not editable: 'mentioned'")
  assert.equal(await msg({ flag: 'shiny' }), "Invalid flag: 'shiny'")
  assert.equal(await msg({ narrow: [['x', 'y']] }), 'Invalid narrow operator: unknown operator x')
  assert.equal(await msg({ num_before: 4001 }), 'Too many messages requested (maximum 5000).')
  assert.equal(await msg({ anchor: undefined }), "Missing 'anchor' argument")
})

test('a search without words matches nothing, also beside another search', async () => {
  const { ada, design, ben } = await startTalk()
  const id = await sendToChannel(ada, design, 'deploy')
  const narrow = ['deploy', '!!!'].map((operand) => ({ operator: 'search', operand }))

  const response = await ben.succeed('POST /messages/flags/narrow', { ...MARK, anchor: 'oldest', narrow })
  const found = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 10, num_after: 0, narrow })

  assert.partialDeepStrictEqual(response, { processed_count: 0, updated_count: 0 })
  assert.deepEqual(found['messages'], [])
  assert.deepEqual((await fetchMessage(ben, id)).flags, [])
})
