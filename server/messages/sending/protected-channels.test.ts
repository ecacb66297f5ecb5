import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { START, startChat } from '../../../test/harness.ts'

test('in a private channel with protected history, only subscribers can send, even if others may join', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo')
  const bots = [
    await chat.user('a', { botType: BotType.generic, owner: ben }),
    await chat.user('b', { botType: BotType.generic, owner: cleo }),
  ] as const
  const grants = { can_subscribe_group: 'role:members', can_add_subscribers_group: 'role:members' } as const
  const guarded = await chat.channel('guarded', [ben], { isPrivate: true, isHistoryShared: false, settings: grants })
  const shared = await chat.channel('shared', [ben], { isPrivate: true, settings: grants })
  const message = (to: number) => ({ type: 'channel', to, topic: 'tea', content: 'hi' })
  const later = { scheduled_delivery_timestamp: START + 600 }

  const answers = [
    await ben.call('POST /messages', message(guarded.id)),
    await bots[0].call('POST /messages', message(guarded.id)),
    await cleo.call('POST /messages', message(shared.id)),
    await cleo.call('POST /messages', message(guarded.id)),
    await cleo.call('POST /scheduled_messages', { ...message(guarded.id), ...later }),
    await bots[1].call('POST /messages', message(guarded.id)),
  ]
  await cleo.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'guarded' }] })
  const asSubscriber = await cleo.call('POST /messages', message(guarded.id))

  const refused = "Not authorized to send to channel 'guarded'"
  assert.deepEqual(
    [...answers, asSubscriber].map(({ msg }) => msg),
    ['', '', '', refused, refused, refused, ''],
  )
})
