import assert from 'node:assert/strict'
import test from 'node:test'
import { type Body, type Person, startChat } from '../../../test/harness.ts'
import { followsNothing, say, tell } from '../../../test/talk.ts'
import { Role } from '../../users/role.ts'

type Pair = [string, unknown]

const RANGE = { anchor: 'newest', num_before: 100, num_after: 0 }

const idsOf = (page: Body): number[] => page['messages'].map((message: { id: number }) => message.id)

const find = async (person: Person, narrow: readonly unknown[]): Promise<number[]> =>
  idsOf(await person.succeed('GET /messages', { ...RANGE, narrow }))

/** The same terms as objects. */
const asObjects = (pairs: readonly Pair[], negated = false) =>
  pairs.map(([operator, operand]) => ({ operator, operand, negated }))

async function startTalk() {
  const chat = await startChat()
  const settings = followsNothing
  const [ada, ben, cleo] = [
    await chat.user('ada', { settings }),
    await chat.user('ben', { settings }),
    await chat.user('cleo', { settings }),
  ]
  const [design, other] = [await chat.channel('design', [ada, ben]), await chat.channel('other', [ada, cleo])]
  const ids = {
    tea: await say(ada, design, 'one'),
    Tea: await say(ben, design, 'see https://example.com/a.png', 'TEA'),
    resolved: await say(ada, design, '@**Ben** done', '✔ milk'),
    empty: await say(ada, design, 'nothing', ''),
    elsewhere: await say(cleo, other, 'apart'),
    direct: await tell(ada, [ben]),
    group: await tell(ada, [ben, cleo]),
    self: await tell(ben, [ben]),
  }
  return { chat, ada, ben, cleo, design, other, ids }
}

test('a term finds the same as a pair and as an object, by old names and new ones', async () => {
  const { ada, ben, cleo, design, other, ids } = await startTalk()
  const inDesign = [ids.tea, ids.Tea, ids.resolved, ids.empty]
  const cases: [Pair[], number[]][] = [
    [[], [...inDesign, ids.direct, ids.group, ids.self]],
    [[['channel', 'design']], inDesign],
    [[['channel', ' DESIGN ']], inDesign],
    [[['stream', 'design']], inDesign],
    [[['channel', design.id]], inDesign],
    [[['stream', String(design.id)]], inDesign],
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

test('a negated term finds what the term does not, direct messages included', async () => {
  const { chat, ada, ben, design, ids } = await startTalk()
  const rest = [ids.direct, ids.group, ids.self]
  await ben.succeed('POST /messages/flags', { messages: [ids.tea], op: 'add', flag: 'starred' })
  await chat.app.services.transaction((tx) =>
    tx.updateTable('subscriptions').set({ isMuted: 1 }).where('userId', '=', ben.id).execute(),
  )

  const without = (operator: string, operand: unknown) => find(ben, [{ operator, operand, negated: true }])

  assert.deepEqual(await without('channel', 'design'), rest)
  assert.deepEqual(await without('topic', 'tea'), [ids.resolved, ids.empty, ...rest])
  assert.deepEqual(await without('is', 'dm'), [ids.tea, ids.Tea, ids.resolved, ids.empty])
  assert.deepEqual(await without('is', 'starred'), [ids.Tea, ids.resolved, ids.empty, ...rest])
  assert.deepEqual(await without('dm', [ada.id]), [ids.tea, ids.Tea, ids.resolved, ids.empty, ids.group, ids.self])
  assert.deepEqual(await without('is', 'muted'), rest)
  assert.deepEqual(await find(ben, [['in', 'home']]), rest)
  assert.deepEqual(await without('channels', 'public'), rest)
  assert.deepEqual(await without('search', 'nothing'), [ids.tea, ids.Tea, ids.resolved, ...rest])
  assert.deepEqual(await find(ben, [['channel', design.id], { operator: 'sender', operand: 'me', negated: true }]), [
    ids.tea,
    ids.resolved,
    ids.empty,
  ])
})

test('an operator that is not known, and an operand that means nothing, are refused', async () => {
  const { chat, ben, ids } = await startTalk()
  const secret = await chat.channel('secret', [], { isPrivate: true })
  const cases: [Pair, string][] = [
    [['colour', 'red'], 'unknown operator colour'],
    [['constructor', 'x'], 'unknown operator constructor'],
    [['channel', 'nowhere'], 'unknown channel nowhere'],
    [['channel', 'secret'], 'unknown channel secret'],
    [['channel', secret.id], `unknown channel ${secret.id}`],
    [['channel', 4711], 'unknown channel 4711'],
    [['is', 'toString'], "unknown 'is' operand toString"],
    [['has', 'legs'], "unknown 'has' operand legs"],
    [['in', 'vain'], "unknown 'in' operand vain"],
    [['channels', 'all'], 'unknown channels operand all'],
    [['sender', 'nobody@example.com'], 'unknown user nobody@example.com'],
    [['sender', 4711], 'unknown user 4711'],
    [['dm', [ben.id, 4711]], `unknown user in ${ben.id},4711`],
    [['pm-with', 'nobody@example.com'], 'unknown user in nobody@example.com'],
    [['dm', ''], 'unknown user in '],
    [['id', 'first'], 'Invalid message ID'],
    [['with', 'x'], "Invalid 'with' operand"],
    [['with', String(ids.elsewhere + 1000)], "Invalid 'with' operand"],
  ]

  for (const [pair, desc] of cases) {
    const answer = await ben.call('GET /messages', { ...RANGE, narrow: [pair] })
    const msg = `Invalid narrow operator: ${desc}`
    assert.deepEqual(answer, { status: 400, result: 'error', msg, code: 'BAD_NARROW', desc })
  }
  for (const narrow of ['{}', '[["channel"]]', '[{"operator":"is"}]', '[[1,2]]', '[7]', 'x'])
    assert.equal((await ben.call('GET /messages', { ...RANGE, narrow })).code, 'BAD_REQUEST', narrow)
})

test('a narrow to channels and to direct messages at once is refused', async () => {
  const { ada, ben, ids } = await startTalk()
  const [notDirect] = asObjects([['is', 'dm']], true)
  const [notDesign] = asObjects([['channel', 'design']], true)

  const contradictions = [
    [
      ['channel', 'design'],
      ['is', 'dm'],
    ],
    [
      ['topic', 'tea'],
      ['dm-including', ada.id],
    ],
    [
      ['channels', 'public'],
      ['dm', []],
    ],
    [notDirect, ['dm', [ada.id]]],
  ]

  for (const narrow of contradictions) {
    const answer = await ben.call('GET /messages', { ...RANGE, narrow })
    assert.equal(answer['desc'], 'No message can be both a channel message and direct message')
  }
  assert.deepEqual(await find(ben, [notDesign, ['dm', [ada.id]]]), [ids.direct])
})

test('direct messages with nobody are none; null is a narrow to nothing in particular', async () => {
  const { ben } = await startTalk()
  const all = await find(ben, [])
  const [withSomebody] = asObjects([['dm', []]], true)

  assert.deepEqual(await find(ben, [['dm', []]]), [])
  assert.deepEqual(await find(ben, [withSomebody]), all)
  assert.deepEqual(idsOf(await ben.succeed('GET /messages', { ...RANGE, narrow: 'null', message_ids: 'null' })), all)
})

test('who was in a private channel once narrows to it, and finds nothing', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const secret = await chat.channel('secret', [ada, ben], { isPrivate: true })
  await say(ada, secret)
  await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['secret'] })

  assert.deepEqual(await find(ben, [['channel', 'secret']]), [])
})

test('a limited guest narrows to nobody whom they may not know of', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  const design = await chat.channel('design', [ada, gus])
  const id = await say(ada, design)

  assert.deepEqual(await find(gus, [['sender', ada.id]]), [id])
  for (const operand of [ben.id, 'ben@example.com']) {
    const answer = await gus.call('GET /messages', { ...RANGE, narrow: [['sender', operand]] })
    assert.equal(answer['desc'], `unknown user ${operand}`)
  }
})

test('topics that are followed or muted are found as such, be their channel muted or not', async () => {
  const { chat, ben, design, ids } = await startTalk()
  const decide = (topic: string, visibilityPolicy: number) =>
    chat.app.services.transaction((tx) =>
      tx
        .insertInto('userTopics')
        .values({ userId: ben.id, channelId: design.id, topic, topicKey: topic, visibilityPolicy, setAt: 0 })
        .execute(),
    )
  await decide('tea', 3)
  await decide('✔ milk', 1)

  assert.deepEqual(await find(ben, [['is', 'followed']]), [ids.tea, ids.Tea])
  assert.deepEqual(await find(ben, [['is', 'muted']]), [ids.resolved])
  await chat.app.services.transaction((tx) =>
    tx.updateTable('subscriptions').set({ isMuted: 1 }).where('userId', '=', ben.id).execute(),
  )
  assert.deepEqual(await find(ben, [['is', 'muted']]), [ids.resolved, ids.empty])
})
