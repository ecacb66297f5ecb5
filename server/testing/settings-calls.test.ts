import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../test/scenarios/server.ts'

const server = await startServer()

test('a reset brings back all settings that the server started with', async () => {
  const first = await server.testing('GET /testing/settings')
  await server.testing('PATCH /testing/settings', {
    RATE_LIMITING: true,
    RATE_LIMITING_RULES: [[10, 5]],
    INVITATION_LINK_VALIDITY_MINUTES: 5,
    OUTGOING_WEBHOOK_PRIVATE_HOSTS: [],
  })

  await server.testing('POST /testing/reset')

  assert.deepEqual(await server.testing('GET /testing/settings'), first)
  assert.deepEqual([first.RATE_LIMITING, first.OUTGOING_WEBHOOK_PRIVATE_HOSTS.length > 0], [false, true])
})
