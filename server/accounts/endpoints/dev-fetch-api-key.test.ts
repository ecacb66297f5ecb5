import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChat } from '../../../test/harness.ts'

test('a production server does not return API keys without a password', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  const response = await ada.call('POST /dev_fetch_api_key', { username: ada.email })

  assert.deepEqual(response, {
    status: 400,
    result: 'error',
    msg: 'Endpoint not available in production.',
    code: 'BAD_REQUEST',
  })
})
