import assert from 'node:assert/strict'
import test from 'node:test'
import { Role } from '#rules/role.ts'
import { type Body, type Person, startChat } from '../../../test/harness.ts'
import { sendDirect, sendToChannel } from '../../../test/messages.ts'

const ids = (page: Body): number[] => page['messages'].map((message: { id: number }) => message.id)

const fetch = (person: Person, params: Record<string, unknown>) => person.succeed('GET /messages', params)

/** Sends five messages to one topic. Returns the messages and a user who can read them. */
async function startFive() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const sent: number[] = []
  for (const content of ['one', 'two', 'three', 'four', 'five']) sent.push(await sendToChannel(ada, design, content))
  return { chat, ada, ben, design, sent }
}

test('a range contains the messages before the anchor, the anchor, and the messages after it', async () => {
  const { ben, sent } = await startFive()

  const page = await fetch(ben, { anchor: sent[2], num_before: 1, num_after: 1 })

  assert.deepEqual(ids(page), sent.slice(1, 4))
  assert.partialDeepStrictEqual(page, {
    anchor: sent[2],
    found_anchor: true,
    found_oldest: false,
    found_newest: false,
    history_limited: false,
  })
})

test('found_oldest and found_newest show when the ends of a narrow are reached', async () => {
  const { ben, sent } = await startFive()
  const [first, , third, , fifth] = sent

  const cases: [Record<string, unknown>, number[], Record<string, unknown>][] = [
    [{ anchor: 'newest', num_before: 2, num_after: 0 }, sent.slice(3), { found_newest: true, found_oldest: false }],
    [{ anchor: 'newest', num_before: 9, num_after: 9 }, sent, { found_newest: true, found_oldest: true }],
    [{ anchor: 'oldest', num_before: 0, num_after: 2 }, sent.slice(0, 2), { found_newest: false, found_oldest: true }],
    [{ anchor: 'oldest', num_before: 3, num_after: 9 }, sent, { found_newest: true, found_oldest: true, anchor: 0 }],
    [{ anchor: third, num_before: 3, num_after: 3 }, sent, { found_newest: true, found_oldest: true }],
    [{ anchor: third, num_before: 0, num_after: 0 }, [third as number], { found_anchor: true }],
    [{ anchor: first, num_before: 1, num_after: 0 }, [first as number], { found_oldest: true, found_newest: false }],
    [{ anchor: fifth, num_before: 0, num_after: 1 }, [fifth as number], { found_oldest: false, found_newest: true }],
    [{ anchor: 10_000_000_000, num_before: 1, num_after: 1 }, [fifth as number], { anchor: 10_000_000_000 }],
    [{ anchor: -5, num_before: 1, num_after: 1 }, [first as number], { anchor: 0, found_oldest: true }],
  ]

  for (const [params, expected, facts] of cases) {
    const page = await fetch(ben, params)
    assert.deepEqual(ids(page), expected, JSON.stringify(params))
    assert.partialDeepStrictEqual(page, facts)
  }
})

test('an anchor beyond all ids means the newest message, in any notation', async () => {
  const { ben, sent } = await startFive()

  for (const anchor of ['10000000000000000', '99999999999999999999999', 'newest']) {
    const page = await fetch(ben, { anchor, num_before: 1, num_after: 0 })
    assert.deepEqual(ids(page), sent.slice(4))
    assert.equal(page['anchor'], 10_000_000_000_000_000)
  }
})

test('an anchor outside the narrow returns its neighbors', async () => {
  const { chat, ada, ben, sent } = await startFive()
  const other = await chat.channel('other', [ada, ben])
  const apart = await sendToChannel(ada, other)
  const last = await sendToChannel(ada, { name: 'design' })

  const narrow = [['channel', 'design']]
  const page = await fetch(ben, { anchor: apart, num_before: 2, num_after: 2, narrow })

  assert.deepEqual(ids(page), [...sent.slice(3), last])
  assert.equal(page['found_anchor'], false)
})

test('the anchor can be excluded only at an end of the range', async () => {
  const { ben, sent } = await startFive()
  const params = { anchor: sent[2], include_anchor: false }

  assert.deepEqual(ids(await fetch(ben, { ...params, num_before: 2, num_after: 0 })), sent.slice(0, 2))
  assert.deepEqual(ids(await fetch(ben, { ...params, num_before: 0, num_after: 1 })), sent.slice(3, 4))
  const refused = await ben.call('GET /messages', { ...params, num_before: 1, num_after: 1 })

  assert.equal(refused.msg, 'The anchor can only be excluded at an end of the range')
})

test('the first unread message can be the anchor, except in muted channels', async () => {
  const { chat, ada, ben, design, sent } = await startFive()
  const loud = await chat.channel('loud', [ada, ben])
  await ben.succeed('POST /messages/flags', { messages: sent.slice(0, 4), op: 'add', flag: 'read' })
  const shout = await sendToChannel(ada, loud)
  const range = { anchor: 'first_unread', num_before: 1, num_after: 0 }

  assert.equal((await fetch(ben, range))['anchor'], sent[4])
  await ben.succeed('POST /messages/flags', { messages: [sent[4]], op: 'add', flag: 'read' })
  assert.equal((await fetch(ben, range))['anchor'], shout)
  assert.equal((await fetch(ben, { ...range, narrow: [['channel', design.name]] }))['anchor'], 10_000_000_000_000_000)
  const muting = [{ stream_id: loud.id, property: 'is_muted', value: true }]
  await ben.succeed('POST /users/me/subscriptions/properties', { subscription_data: muting })
  assert.equal((await fetch(ben, range))['anchor'], 10_000_000_000_000_000)
  assert.equal((await fetch(ben, { ...range, narrow: [['channel', 'loud']] }))['anchor'], shout)
  await ben.succeed('POST /messages/flags', { messages: [sent[1]], op: 'remove', flag: 'read' })
  assert.equal((await fetch(ben, range))['anchor'], sent[1])
})

test('if all messages are read, the first unread anchor is after the newest message', async () => {
  const { ada, ben, sent } = await startFive()
  await sendDirect(ada, [ben])
  await ben.succeed('POST /mark_all_as_read')

  const page = await fetch(ben, { anchor: 0, num_before: 2, num_after: 2, use_first_unread_anchor: true })

  assert.equal(page['anchor'], 10_000_000_000_000_000)
  assert.deepEqual(ids(page)[0], sent[4])
  assert.partialDeepStrictEqual(page, { found_newest: true, found_anchor: false })
})

test('invalid ranges are refused', async () => {
  const { ben } = await startFive()
  const cases: [Record<string, unknown>, string][] = [
    [{ num_before: 1, num_after: 1 }, "Missing 'anchor' argument."],
    [{ anchor: 'soon', num_before: 1, num_after: 1 }, 'Invalid anchor'],
    [{ anchor: 1, num_before: -1, num_after: 1 }, 'num_before is too small'],
    [{ anchor: 1, num_before: 3000, num_after: 2001 }, 'Too many messages requested (maximum 5000).'],
    [
      { anchor: 1, message_ids: [1] },
      'Unsupported parameter combination: num_before, num_after, anchor, message_ids, include_anchor, use_first_unread_anchor',
    ],
  ]

  for (const [params, msg] of cases) assert.equal((await ben.call('GET /messages', params)).msg, msg)
})

test('a side of the range that the client omits has no messages', async () => {
  const { ben, sent } = await startFive()

  const before = await fetch(ben, { anchor: sent[2], num_before: 1 })
  const after = await fetch(ben, { anchor: sent[2], num_after: 1 })
  const alone = await fetch(ben, { anchor: sent[2] })

  assert.deepEqual([ids(before), ids(after), ids(alone)], [[sent[1], sent[2]], [sent[2], sent[3]], [sent[2]]])
})

test('messages can be requested by id, received or not', async () => {
  const { chat, ada, ben, sent } = await startFive()
  const elsewhere = await sendToChannel(ada, await chat.channel('elsewhere', [ada]))
  const secret = await sendToChannel(ada, await chat.channel('secret', [ada], { isPrivate: true }))

  const message_ids = [elsewhere, secret, sent[0], 4711]
  const all = await fetch(ben, { message_ids })
  const narrowed = await fetch(ben, { message_ids, narrow: [['channel', 'design']] })

  assert.deepEqual(ids(all), [sent[0], elsewhere])
  const nothingFound = { found_anchor: false, found_oldest: false, found_newest: false, history_limited: false }
  assert.partialDeepStrictEqual(all, nothingFound)
  assert(!('anchor' in all))
  assert.deepEqual(ids(narrowed), [sent[0]])
})

test('a listed message equals the same message fetched on its own', async () => {
  const { chat, ada, ben, sent } = await startFive()
  const cleo = await chat.user('cleo')
  const [direct, group] = [await sendDirect(ada, [ben]), await sendDirect(ada, [ben, cleo])]
  const bare = await sendToChannel(ada, { name: 'design' }, '/me waves', '')
  await ben.succeed(`POST /messages/${bare}/reactions`, { emoji_name: 'tada' })
  await ada.succeed(`POST /messages/${bare}/reactions`, { emoji_name: 'smile' })
  await ada.succeed('POST /submessage', { message_id: bare, msg_type: 'widget', content: '{}' })
  await ada.succeed(`PATCH /messages/${sent[0]}`, { content: 'One!' })

  for (const params of [{}, { apply_markdown: false, allow_empty_topic_name: true }]) {
    const { messages } = await fetch(ben, { ...params, anchor: 'newest', num_before: 100, num_after: 0 })

    assert.equal(messages.length, 8)
    for (const listed of messages) {
      const { message } = await ben.succeed(`GET /messages/${listed.id}`, params)
      assert.deepEqual(listed, message)
    }
    assert.deepEqual(
      messages.slice(-3).map((each: { id: number }) => each.id),
      [direct, group, bare],
    )
  }
})

test('Gravatar URLs are left to clients, unless they request them', async () => {
  const { ben } = await startFive()
  const range = { anchor: 'newest', num_before: 1, num_after: 0 }

  const [left] = (await fetch(ben, range))['messages']
  const [given] = (await fetch(ben, { ...range, client_gravatar: false }))['messages']

  assert.equal(left.avatar_url, null)
  assert.match(given.avatar_url, /^https:\/\/secure\.gravatar\.com\//)
})

test('a guest can list the messages and topics of a web-public channel and send to it without a subscription', async () => {
  const chat = await startChat()
  const [ada, gus] = [await chat.user('ada'), await chat.user('gus', { role: Role.guest })]
  const web = await chat.channel('web', [ada], { isWebPublic: true })
  const open = await chat.channel('open', [ada])
  const first = await sendToChannel(ada, web)
  await sendToChannel(ada, open)
  const list = async (operator: string, operand: unknown) => {
    const range = { anchor: 'newest', num_before: 10, num_after: 0 }
    const { messages } = await gus.succeed('GET /messages', { ...range, narrow: [{ operator, operand }] })
    return messages.map(({ id }: { id: number }) => id)
  }

  const second = await sendToChannel(gus, web)

  const { topics } = await gus.succeed(`GET /users/me/${web.id}/topics`)
  assert.deepEqual(topics, [{ name: 'tea', max_id: second }])
  for (const [operator, operand] of [
    ['channel', web.id],
    ['channel', 'web'],
    ['channels', 'web-public'],
    ['channels', 'public'],
  ])
    assert.deepEqual(await list(String(operator), operand), [first, second])
})
