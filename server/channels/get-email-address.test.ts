import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { refusalResponse } from '../../test/channels.ts'
import { startChat } from '../../test/harness.ts'

test('the email address of a channel is empty, and that of a hidden channel is refused', async () => {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const secret = await chat.channel('secret', [ben], { isPrivate: true })

  const inside = await ben.succeed(`GET /streams/${secret.id}/email_address`)
  const outside = await cleo.call(`GET /streams/${secret.id}/email_address`)

  assert.equal(inside['email'], '')
  assert.deepEqual(outside, refusalResponse('Invalid channel ID'))
})

test('the sender of emails to the address is you or one of your bots', async () => {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ben])
  const own = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const foreign = await chat.user('other', { botType: BotType.generic, owner: cleo })
  const ask = async (sender_id: number) =>
    (await ben.call(`GET /streams/${design.id}/email_address`, { sender_id }))['msg']

  assert.deepEqual(await Promise.all([ben.id, own.id, foreign.id, cleo.id].map(ask)), [
    '',
    '',
    'Insufficient permission',
    'No such bot',
  ])
})
