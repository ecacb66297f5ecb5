import assert from 'node:assert/strict'
import { test } from 'node:test'
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
