import assert from 'node:assert/strict'
import test from 'node:test'
import { Role } from '#rules/role.ts'
import { startChat } from '../../test/harness.ts'
import { sendToChannel } from '../../test/messages.ts'
import { asObjects, find, type Pair, RANGE, startNarrowChat } from '../../test/narrow/narrowing.ts'

test('unknown operators and invalid operands are refused', async () => {
  const { chat, ben, ids } = await startNarrowChat()
  const secret = await chat.channel('secret', [], { isPrivate: true })
  const cases: [Pair, string][] = [
    [['colour', 'red'], 'unknown operator colour'],
    [['constructor', 'x'], 'unknown operator constructor'],
    [['channel', 'nowhere'], 'unknown channel nowhere'],
    [['channel', 'secret'], 'unknown channel secret'],
    [['channel', '4711'], 'unknown channel 4711'],
    [['channel', String(secret.id)], `unknown channel ${secret.id}`],
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
    [['before', 'yesterday'], "unknown 'before' operand yesterday"],
    [['after', '2030-02-30'], "unknown 'after' operand 2030-02-30"],
    [['after', '2030-1-1'], "unknown 'after' operand 2030-1-1"],
    [['with', 'x'], "Invalid 'with' operator"],
    [['with', String(ids.elsewhere + 1000)], "Invalid 'with' operator"],
  ]

  for (const [pair, desc] of cases) {
    const response = await ben.call('GET /messages', { ...RANGE, narrow: [pair] })
    const msg = `Invalid narrow operator: ${desc}`
    assert.deepEqual(response, { status: 400, result: 'error', msg, code: 'BAD_NARROW', desc })
  }
  for (const narrow of ['{}', '[["channel"]]', '[{"operator":"is"}]', '[[1,2]]', '[7]', 'x'])
    assert.equal((await ben.call('GET /messages', { ...RANGE, narrow })).code, 'BAD_REQUEST', narrow)
})

test('a narrow that requires both a channel message and a direct message is refused', async () => {
  const { ada, ben, ids } = await startNarrowChat()
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
    const response = await ben.call('GET /messages', { ...RANGE, narrow })
    assert.equal(response['desc'], 'No message can be both a channel message and direct message')
  }
  assert.deepEqual(await find(ben, [notDesign, ['dm', [ada.id]]]), [ids.direct])
})

test('a former subscriber of a private channel can narrow to it and finds nothing', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const secret = await chat.channel('secret', [ada, ben], { isPrivate: true })
  await sendToChannel(ada, secret)
  await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['secret'] })

  assert.deepEqual(await find(ben, [['channel', 'secret']]), [])
})

test('a narrow to the id of a hidden channel, or of none, finds nothing, and its opposite finds everything', async () => {
  const { chat, ada, ben } = await startNarrowChat()
  const secret = await chat.channel('secret', [ada], { isPrivate: true })
  await sendToChannel(ada, secret)
  const all = await find(ben, [])

  for (const id of [secret.id, 4711]) {
    assert.deepEqual(await find(ben, [['channel', id]]), [])
    assert.deepEqual(await find(ben, asObjects([['channel', id]], true)), all)
  }
})

test('a limited guest cannot narrow to a user whom they cannot see', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  const design = await chat.channel('design', [ada, gus])
  const id = await sendToChannel(ada, design)

  assert.deepEqual(await find(gus, [['sender', ada.id]]), [id])
  for (const operand of [ben.id, 'ben@example.com']) {
    const response = await gus.call('GET /messages', { ...RANGE, narrow: [['sender', operand]] })
    assert.equal(response['desc'], `unknown user ${operand}`)
  }
})

test('a narrow has at most 50 terms in every endpoint', async () => {
  const { ben } = await startNarrowChat()
  const narrow = (count: number) => Array(count).fill({ operator: 'topic', operand: 'x' })
  const pairs = (count: number) => Array(count).fill(['topic', 'x'])
  const flags = { ...RANGE, op: 'add', flag: 'read' }
  const requests = [
    (count: number) => ben.call('GET /messages', { ...RANGE, narrow: narrow(count) }),
    (count: number) => ben.call('POST /messages/flags/narrow', { ...flags, narrow: narrow(count) }),
    (count: number) => ben.call('GET /messages/matches_narrow', { msg_ids: [1], narrow: narrow(count) }),
    (count: number) => ben.call('POST /register', { event_types: ['message'], narrow: pairs(count) }),
  ]

  for (const request of requests) {
    const [allowed, tooMany] = [await request(50), await request(51)]
    assert.equal(allowed.status, 200)
    assert.deepEqual([tooMany.status, tooMany.msg], [400, 'narrow has too many items (limit: 50)'])
  }
})
