import assert from 'node:assert/strict'
import test from 'node:test'
import { type Body, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'

const idsOf = (page: Body): number[] => page['messages'].map((message: { id: number }) => message.id)

async function startConversation() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const ids = [
    await sendToChannel(ada, design, 'one'),
    await sendToChannel(ada, design, 'two'),
    await sendDirect(ada, [ben], 'three'),
  ] as const
  return { ada, ben, design, ids }
}

test('the terminal client fetches from the first unread message, with deprecated parameter names', async () => {
  const { ben, design, ids } = await startConversation()
  const [one, two, three] = ids
  const start = { num_before: 30, num_after: 10, apply_markdown: true, client_gravatar: true }
  await ben.succeed('POST /messages/flags', { messages: [one], op: 'add', flag: 'read' })

  const home = await ben.succeed('GET /messages', { ...start, anchor: 0, use_first_unread_anchor: true, narrow: [] })
  const older = await ben.succeed('GET /messages', { ...start, num_after: 0, anchor: 10_000_000_000, narrow: [] })
  const huge = await ben.succeed('GET /messages', {
    ...start,
    anchor: '10000000000000000',
    narrow: [['is', 'private']],
  })
  const topic = [
    ['stream', design.name],
    ['topic', 'tea'],
  ]
  const inTopic = await ben.succeed('GET /messages', {
    ...start,
    anchor: 0,
    use_first_unread_anchor: true,
    narrow: topic,
  })
  const people = [['pm-with', 'ada@example.com, ben@example.com']]
  const direct = await ben.succeed('GET /messages', {
    ...start,
    anchor: 0,
    use_first_unread_anchor: true,
    narrow: people,
  })
  const starred = [['is', 'starred']]
  const none = await ben.succeed('GET /messages', {
    ...start,
    anchor: 0,
    use_first_unread_anchor: true,
    narrow: starred,
  })

  assert.deepEqual([home['anchor'], idsOf(home)], [two, [...ids]])
  assert.deepEqual(idsOf(older), [...ids])
  assert.deepEqual([huge['anchor'], idsOf(huge)], [10_000_000_000_000_000, [three]])
  assert.deepEqual([inTopic['anchor'], idsOf(inTopic)], [two, [one, two]])
  assert.deepEqual([direct['anchor'], idsOf(direct)], [three, [three]])
  assert.deepEqual([none['anchor'], idsOf(none)], [10_000_000_000_000_000, []])
  const needed = ['avatar_url', 'client', 'content', 'display_recipient', 'flags', 'id', 'is_me_message', 'reactions']
  for (const name of [...needed, 'sender_email', 'sender_full_name', 'sender_id', 'stream_id', 'subject', 'timestamp'])
    assert.ok(name in home['messages'][0], name)
})

test('the mobile client sends narrows as objects and relies on the found_* fields', async () => {
  const { ada, ben, design, ids } = await startConversation()
  const [one, two, three] = ids
  const format = { num_before: 100, num_after: 100, allow_empty_topic_name: true, client_gravatar: false }
  const bare = await sendToChannel(ada, design, 'four', '')
  const fetch = (anchor: unknown, narrow: unknown) => ben.succeed('GET /messages', { ...format, anchor, narrow })

  const combined = await fetch('first_unread', [])
  const topic = await fetch('newest', [
    { operator: 'stream', operand: design.id },
    { operator: 'topic', operand: 'tea' },
    { operator: 'with', operand: one },
  ])
  const direct = await fetch(two, [{ operator: 'pm-with', operand: [ada.id] }])
  const mentioned = await fetch('oldest', [{ operator: 'is', operand: 'mentioned', negated: false }])

  assert.deepEqual(idsOf(combined), [...ids, bare])
  assert.equal(combined['messages'][3].subject, '')
  assert.match(combined['messages'][0].avatar_url, /^https:/)
  assert.partialDeepStrictEqual(combined, {
    ...{ anchor: one, found_anchor: true, found_oldest: true, found_newest: true, history_limited: false },
  })
  assert.deepEqual(idsOf(topic), [one, two])
  assert.deepEqual(idsOf(direct), [three])
  assert.partialDeepStrictEqual(direct, { anchor: two, found_anchor: false, found_oldest: true, found_newest: true })
  assert.partialDeepStrictEqual(mentioned, { anchor: 0, messages: [], found_newest: true })
})

test('unknown keys in a narrow term are accepted', async () => {
  const { ben, ids } = await startConversation()
  const narrow = [{ operator: 'is', operand: 'dm', negated: false, colour: 'red' }]

  const page = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow })

  assert.deepEqual(idsOf(page), [ids[2]])
})
