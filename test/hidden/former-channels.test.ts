import assert from 'node:assert/strict'
import test from 'node:test'
import { Role } from '#rules/role.ts'
import { START, startChat } from '../harness.ts'
import { leaveChannel } from '../messages.ts'
import { narrow } from './id-probes.ts'

test('users who left a private channel do not learn its new name', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const bot = await chat.user('bot', { botType: 1, owner: ben })
  const plans = await chat.channel('plans', [ada, ben, bot], { isPrivate: true })
  await ben.succeed('POST /user_topics', { stream_id: plans.id, topic: 'tea', visibility_policy: 1 })
  await leaveChannel(ben, plans)
  await leaveChannel(bot, plans)
  await chat.clock.advance(60)
  await ada.succeed(`PATCH /streams/${plans.id}`, { new_name: 'layoffs' })

  const byId = (id: number): [string, Record<string, unknown>][] => [
    ['POST /messages', { type: 'channel', to: id, topic: 'tea', content: 'hi' }],
    [
      'POST /scheduled_messages',
      { type: 'channel', to: id, topic: 'tea', content: 'hi', scheduled_delivery_timestamp: START + 999 },
    ],
    ['POST /typing', { type: 'channel', op: 'start', stream_id: id, topic: 'tea' }],
  ]
  const byName = (name: string): [string, Record<string, unknown>][] => [
    ['POST /messages', { type: 'channel', to: name, topic: 'tea', content: 'hi' }],
    ['GET /messages', narrow('channel')(name as never)],
    ['DELETE /users/me/subscriptions', { subscriptions: [name] }],
    ['PATCH /users/me/subscriptions', { delete: [name] }],
    ['PATCH /users/me/subscriptions/muted_topics', { stream: name, topic: 'tea', op: 'remove' }],
  ]
  for (const person of [ben, bot]) {
    for (const [index, request] of byId(plans.id).entries()) {
      const answer = JSON.stringify(await person.call(...request))
      const unknown = JSON.stringify(await person.call(...(byId(9999)[index] as typeof request)))
      assert.equal(answer.replaceAll(`${plans.id}`, '9999'), unknown, request[0])
    }
    for (const [index, request] of byName('layoffs').entries()) {
      const answer = JSON.stringify(await person.call(...request))
      const unknown = JSON.stringify(await person.call(...(byName('nothing')[index] as typeof request)))
      assert.equal(answer.replaceAll('layoffs', 'nothing'), unknown, request[0])
    }
  }
})

test('users who were in a private channel when it was renamed can repeat the request to leave it', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const plans = await chat.channel('plans', [ada, ben], { isPrivate: true })
  await ada.succeed(`PATCH /streams/${plans.id}`, { new_name: 'layoffs' })
  await chat.clock.advance(60)
  await leaveChannel(ben, { name: 'layoffs' })

  const answer = await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['layoffs'] })

  assert.deepEqual(answer['not_removed'], ['layoffs'])
})
