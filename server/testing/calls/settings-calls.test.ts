import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../../test/scenarios/server.ts'

const server = await startServer()

test('a reset restores the initial settings of the server', async () => {
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

test('short and common passwords are accepted until a test forbids them', async () => {
  const { owner } = await server.world()
  const create = (email: string, password: string) => owner.call('POST /users', { email, password, full_name: 'Iago' })

  const weak = await create('iago@x.com', 'secret')
  const { password_min_length: shortest } = await owner.succeed('POST /register', { fetch_event_types: ['realm'] })
  await server.testing('PATCH /testing/settings', { ALLOW_WEAK_PASSWORDS: false })

  assert.deepEqual([weak.status, shortest], [200, 1])
  assert.equal((await create('jago@x.com', 'secret')).body.msg, 'The password must have at least 8 characters.')
})

test('pages of other sites cannot control the server, or get API keys from it', async () => {
  const { owner } = await server.world()
  const send = (path: string, site: string) =>
    server.request({
      method: 'POST',
      path,
      form: `username=${encodeURIComponent(owner.email)}`,
      headers: { 'sec-fetch-site': site },
    })

  const reset = await send('/testing/reset', 'cross-site')
  const keys = [
    await send('/api/v1/dev_fetch_api_key', 'cross-site'),
    await send('/json/dev_fetch_api_key', 'cross-site'),
  ]
  const others = await server.request({
    method: 'GET',
    path: '/testing/settings',
    headers: { 'sec-fetch-site': 'none' },
  })

  assert.deepEqual(
    [reset, ...keys].map(({ status, body }) => [status, body.code]),
    Array(3).fill([403, 'CSRF_FAILED']),
  )
  assert.equal((await owner.call('GET /users/me')).status, 200)
  assert.equal(others.status, 200)
})
