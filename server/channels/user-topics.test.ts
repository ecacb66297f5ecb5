import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, type ReceivedEvent, START, startChat } from '../../test/harness.ts'
import { addToChannel, leaveChannel } from '../../test/messages.ts'

async function received(chat: Chat, person: Person): Promise<ReceivedEvent[]> {
  return (await chat.eventsOf(person)).filter(({ type }) => type === 'user_topic' || type === 'muted_topics')
}

test('users follow, mute and unmute topics, ignoring case, and only they receive the events', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const design = await chat.channel('design', [ben, cleo])
  const set = (topic: string, visibility_policy: number) =>
    ben.succeed('POST /user_topics', { stream_id: design.id, topic, visibility_policy })

  await set('tea', 3)
  await set(' Tea ', 1)
  await set('TEA', 1)
  await set('tea', 0)
  await set('tea', 0)

  const topic = (topic_name: string, visibility_policy: number) => ({
    type: 'user_topic',
    stream_id: design.id,
    topic_name,
    last_updated: START,
    visibility_policy,
  })
  const muted = (...muted_topics: unknown[]) => ({ type: 'muted_topics', muted_topics })
  assert.deepEqual(await received(chat, ben), [
    topic('tea', 3),
    muted(['design', 'Tea', START]),
    topic('Tea', 1),
    muted(),
    topic('tea', 0),
  ])
  assert.deepEqual(await received(chat, cleo), [])
})

test('older clients mute topics by the name or the id of the channel', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const design = await chat.channel('design', [ben])
  const change = (params: Record<string, unknown>) => ben.call('PATCH /users/me/subscriptions/muted_topics', params)

  const added = await change({ stream: 'Design', topic: 'tea', op: 'add' })
  const removed = await change({ stream_id: design.id, topic: 'tea', op: 'remove' })
  const again = await change({ stream_id: design.id, topic: 'tea', op: 'remove' })
  const nowhere = await change({ topic: 'tea', op: 'add' })
  const unknown = await change({ stream: 'none', topic: 'tea', op: 'add' })

  assert.equal(added.result, 'success')
  assert.equal(removed.result, 'success')
  assert.deepEqual(again, refusalResponse('Topic is not muted'))
  assert.partialDeepStrictEqual(nowhere, { code: 'REQUEST_VARIABLE_MISSING', var_name: 'stream_id' })
  assert.deepEqual(unknown, refusalResponse('Invalid channel ID'))
  const events = (await received(chat, ben)).filter((event) => event.type === 'user_topic')
  assert.deepEqual(
    events.map((event) => event['visibility_policy']),
    [1, 0],
  )
})

test('users can set policies for topics that they can read, and remove them later in any case', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const secret = await chat.channel('secret', [ben], { isPrivate: true })
  const params = { stream_id: secret.id, topic: 'tea' }
  const set = (visibility_policy: number) => cleo.call('POST /user_topics', { ...params, visibility_policy })

  const before = [await set(1), await set(0)]
  await addToChannel(ben, secret, [cleo])
  const inside = await set(2)
  await leaveChannel(cleo, secret)
  const after = [await set(3), await set(0), await set(0)]

  const hidden = refusalResponse('Invalid channel ID')
  assert.deepEqual(before, [hidden, hidden])
  assert.equal(inside.result, 'success')
  assert.deepEqual(after, [hidden, { status: 200, result: 'success', msg: '' }, hidden])
  const invalid = await ben.call('POST /user_topics', { ...params, visibility_policy: 4 })
  assert.equal(invalid.status, 400)
})

test('muted topics of archived channels are not listed', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [plans, design] = [await chat.channel('plans', [ada]), await chat.channel('design', [ada])]
  const mute = (stream_id: number) =>
    ada.succeed('POST /user_topics', { stream_id, topic: 'tea', visibility_policy: 1 })
  await mute(plans.id)
  await ada.succeed(`DELETE /streams/${plans.id}`)

  await mute(design.id)

  const last = (await received(chat, ada)).findLast(({ type }) => type === 'muted_topics')
  assert.deepEqual(last?.['muted_topics'], [['design', 'tea', START]])
})

test('a muted topic in a channel that the user can no longer see does not reveal the new name of the channel', async () => {
  for (const [role, isPrivate] of [
    [Role.member, true],
    [Role.guest, false],
  ] as const) {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })
    const ben = await chat.user('ben', { role })
    const plans = await chat.channel('plans', [ada, ben], { isPrivate })
    const design = await chat.channel('design', [ben])
    await ben.succeed('POST /user_topics', { stream_id: plans.id, topic: 'tea', visibility_policy: 1 })
    await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['plans'] })
    await ada.succeed(`PATCH /streams/${plans.id}`, { new_name: 'takeover of acme' })

    await ben.succeed('POST /user_topics', { stream_id: design.id, topic: 'cake', visibility_policy: 1 })

    const last = (await received(chat, ben)).findLast(({ type }) => type === 'muted_topics')
    assert.deepEqual(last?.['muted_topics'], [['design', 'cake', START]])
  }
})
