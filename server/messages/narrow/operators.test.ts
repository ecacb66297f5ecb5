import assert from 'node:assert/strict'
import test from 'node:test'
import { sendToChannel } from '../../../test/messages.ts'
import { asObjects, find, idsOf, type Pair, RANGE, startNarrowChat } from '../../../test/narrow/narrowing.ts'

test('pairs and objects, and old and new operator names, find the same messages', async () => {
  const { ada, ben, cleo, design, other, ids } = await startNarrowChat()
  const inDesign = [ids.tea, ids.Tea, ids.resolved, ids.empty]
  const cases: [Pair[], number[]][] = [
    [[], [...inDesign, ids.direct, ids.group, ids.self]],
    [[['channel', 'design']], inDesign],
    [[['channel', ' DESIGN ']], inDesign],
    [[['stream', 'design']], inDesign],
    [[['channel', design.id]], inDesign],
    [[['channel', other.id]], [ids.elsewhere]],
    [
      [
        ['channel', 'design'],
        ['topic', 'tea'],
      ],
      [ids.tea, ids.Tea],
    ],
    [
      [
        ['stream', 'design'],
        ['topic', 'general chat'],
      ],
      [ids.empty],
    ],
    [
      [
        ['stream', 'design'],
        ['topic', '(no topic)'],
      ],
      [ids.empty],
    ],
    [
      [
        ['stream', 'design'],
        ['topic', ''],
      ],
      [ids.empty],
    ],
    [[['topic', '✔ milk']], [ids.resolved]],
    [[['dm', [ada.id]]], [ids.direct]],
    [[['dm', ada.id]], [ids.direct]],
    [[['dm', [ada.id, ben.id]]], [ids.direct]],
    [[['pm-with', 'ada@example.com']], [ids.direct]],
    [[['pm-with', 'ada@example.com, cleo@example.com']], [ids.group]],
    [[['pm_with', 'ADA@example.com,cleo@example.com,ben@example.com']], [ids.group]],
    [[['dm', [ben.id]]], [ids.self]],
    [[['pm-with', 'cleo@example.com']], []],
    [[['dm-including', ada.id]], [ids.direct, ids.group]],
    [[['dm-including', 'cleo@example.com']], [ids.group]],
    [[['group-pm-with', 'ada@example.com']], [ids.group]],
    [[['sender', 'ada@example.com']], [ids.tea, ids.resolved, ids.empty, ids.direct, ids.group]],
    [[['sender', ben.id]], [ids.Tea, ids.self]],
    [[['sender', 'me']], [ids.Tea, ids.self]],
    [[['from', cleo.id]], []],
    [[['is', 'dm']], [ids.direct, ids.group, ids.self]],
    [[['is', 'private']], [ids.direct, ids.group, ids.self]],
    [[['is', 'mentioned']], [ids.resolved]],
    [[['is', 'resolved']], [ids.resolved]],
    [[['is', 'alerted']], []],
    [[['is', 'followed']], []],
    [
      [
        ['is', 'unread'],
        ['is', 'dm'],
      ],
      [ids.direct, ids.group, ids.self],
    ],
    [
      [
        ['is', 'unread'],
        ['topic', 'tea'],
      ],
      [ids.tea, ids.Tea],
    ],
    [
      [
        ['is', 'unread'],
        ['channel', 'design'],
      ],
      inDesign,
    ],
    [
      [
        ['is', 'unread'],
        ['dm', [ada.id]],
      ],
      [ids.direct],
    ],
    [[['has', 'link']], [ids.Tea]],
    [[['has', 'image']], [ids.Tea]],
    [[['has', 'attachment']], []],
    [[['has', 'reaction']], []],
    [[['id', String(ids.elsewhere)]], [ids.elsewhere]],
    [[['id', ids.tea]], [ids.tea]],
    [
      [
        ['near', String(ids.tea)],
        ['channel', 'design'],
      ],
      inDesign,
    ],
    [[['channels', 'public']], [...inDesign, ids.elsewhere]],
    [[['streams', 'public']], [...inDesign, ids.elsewhere]],
    [[['channels', 'web-public']], []],
    [
      [
        ['in', 'all'],
        ['sender', 'me'],
      ],
      [ids.Tea, ids.self],
    ],
    [
      [
        ['in', 'home'],
        ['topic', 'tea'],
      ],
      [ids.tea, ids.Tea],
    ],
    [[['with', String(ids.tea)]], [ids.tea, ids.Tea]],
    [[['with', ids.group]], [ids.group]],
    [
      [
        ['channel', 'other'],
        ['topic', 'x'],
        ['with', ids.Tea],
      ],
      [ids.tea, ids.Tea],
    ],
    [
      [
        ['channel', 'design'],
        ['topic', 'tea'],
        ['with', 4711],
      ],
      [ids.tea, ids.Tea],
    ],
  ]

  for (const [pairs, expected] of cases) {
    assert.deepEqual(await find(ben, pairs), expected, JSON.stringify(pairs))
    assert.deepEqual(await find(ben, asObjects(pairs)), expected, JSON.stringify(asObjects(pairs)))
  }
})

test('a negated term finds all messages that the term does not match, including direct messages', async () => {
  const { chat, ada, ben, design, ids } = await startNarrowChat()
  const direct = [ids.direct, ids.group, ids.self]
  await ben.succeed('POST /messages/flags', { messages: [ids.tea], op: 'add', flag: 'starred' })
  await chat.app.services.transaction((tx) =>
    tx.updateTable('subscriptions').set({ isMuted: 1 }).where('userId', '=', ben.id).execute(),
  )

  const without = (operator: string, operand: unknown) => find(ben, [{ operator, operand, negated: true }])

  assert.deepEqual(await without('channel', 'design'), direct)
  assert.deepEqual(await without('topic', 'tea'), [ids.resolved, ids.empty, ...direct])
  assert.deepEqual(await without('is', 'dm'), [ids.tea, ids.Tea, ids.resolved, ids.empty])
  assert.deepEqual(await without('is', 'starred'), [ids.Tea, ids.resolved, ids.empty, ...direct])
  assert.deepEqual(await without('dm', [ada.id]), [ids.tea, ids.Tea, ids.resolved, ids.empty, ids.group, ids.self])
  assert.deepEqual(await without('is', 'muted'), direct)
  assert.deepEqual(await find(ben, [['in', 'home']]), direct)
  assert.deepEqual(await without('channels', 'public'), direct)
  assert.deepEqual(await without('search', 'nothing'), [ids.tea, ids.Tea, ids.resolved, ...direct])
  assert.deepEqual(await find(ben, [['channel', design.id], { operator: 'sender', operand: 'me', negated: true }]), [
    ids.tea,
    ids.resolved,
    ids.empty,
  ])
})

test('dm without users finds nothing, and a null narrow finds everything', async () => {
  const { ben } = await startNarrowChat()
  const all = await find(ben, [])
  const [negatedDm] = asObjects([['dm', []]], true)

  assert.deepEqual(await find(ben, [['dm', []]]), [])
  assert.deepEqual(await find(ben, [negatedDm]), all)
  assert.deepEqual(idsOf(await ben.succeed('GET /messages', { ...RANGE, narrow: 'null', message_ids: 'null' })), all)
})

test('followed and muted topics are found whether or not their channel is muted', async () => {
  const { chat, ben, design, ids } = await startNarrowChat()
  const setPolicy = (topic: string, visibilityPolicy: number) =>
    chat.app.services.transaction((tx) =>
      tx
        .insertInto('userTopics')
        .values({ userId: ben.id, channelId: design.id, topic, topicKey: topic, visibilityPolicy, setAt: 0 })
        .execute(),
    )
  await setPolicy('tea', 3)
  await setPolicy('✔ milk', 1)

  assert.deepEqual(await find(ben, [['is', 'followed']]), [ids.tea, ids.Tea])
  assert.deepEqual(await find(ben, [['is', 'muted']]), [ids.resolved])
  await chat.app.services.transaction((tx) =>
    tx.updateTable('subscriptions').set({ isMuted: 1 }).where('userId', '=', ben.id).execute(),
  )
  assert.deepEqual(await find(ben, [['is', 'muted']]), [ids.resolved, ids.empty])
})

test('messages are found by the time at which they were sent', async () => {
  const { chat, ada, ben, design } = await startNarrowChat()
  const day = 86_400
  await chat.clock.advance(day)
  const midnight = Math.ceil(chat.clock.now() / day) * day
  await chat.clock.advance(midnight - 1 - chat.clock.now())
  const evening = await sendToChannel(ada, design, 'evening')
  await chat.clock.advance(1)
  const morning = await sendToChannel(ada, design, 'morning')
  const date = new Date(midnight * 1000).toISOString().slice(0, 10)

  for (const time of [midnight, String(midnight), date]) {
    assert.deepEqual(await find(ben, [['after', time]]), [morning])
    assert.deepEqual((await find(ben, [['before', time]])).at(-1), evening)
    assert.deepEqual(await find(ben, [{ operator: 'before', operand: time, negated: true }]), [morning])
    const both = [
      ['search', 'evening'],
      ['after', midnight - 1],
      ['before', time],
    ]
    assert.deepEqual(await find(ben, both), [evening])
  }
})

test('has:link finds links to channels and topics, too, but no mentions', async () => {
  const { ada, ben, design, ids } = await startNarrowChat()
  const linking = [
    await sendToChannel(ada, design, '#**design**'),
    await sendToChannel(ada, design, '#**design>tea**'),
    await sendToChannel(ada, design, '> [plan](https://example.com)'),
  ]
  await sendToChannel(ada, design, '@**Ben** `#**design**` $$x$$')

  assert.deepEqual(await find(ben, [['has', 'link']]), [ids.Tea, ...linking])
})
