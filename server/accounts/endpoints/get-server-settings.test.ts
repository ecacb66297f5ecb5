import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, startChat } from '../../../test/harness.ts'

const ask = async (chat: Chat, host: string, method = 'GET', headers: Record<string, string> = {}) => {
  const response = await chat.request({ method, path: '/api/v1/server_settings', headers: { host, ...headers } })
  return { ...response, json: response.body === '' ? null : JSON.parse(response.body) }
}

test('clients can get the organization at an address without credentials', async () => {
  const chat = await startChat()
  await chat.organization('team')
  await chat.change({ description: 'We *draw*.' })

  const root = await ask(chat, 'parley.test')
  const team = await ask(chat, 'team.parley.test')

  assert.partialDeepStrictEqual(root.json, {
    result: 'success',
    zulip_version: '10.2',
    zulip_feature_level: 372,
    zulip_merge_base: '10.2',
    realm_name: 'Example',
    realm_uri: 'http://parley.test',
    realm_url: 'http://parley.test',
    realm_description: '<p>We <em>draw</em>.</p>',
    email_auth_enabled: true,
    authentication_methods: { password: true, ldap: false },
    external_authentication_methods: [],
  })
  assert.partialDeepStrictEqual(team.json, { realm_name: 'team', realm_url: 'http://team.parley.test' })
})

test('credentials are ignored, whether they are valid or not', async () => {
  const chat = await startChat()

  const response = await ask(chat, 'parley.test', 'GET', { authorization: 'Basic nonsense' })

  assert.equal(response.status, 200)
})

test('an address without an organization is refused', async () => {
  const chat = await startChat()

  const response = await ask(chat, 'nowhere.parley.test')

  assert.equal(response.status, 404)
  assert.partialDeepStrictEqual(response.json, { result: 'error', code: 'NONEXISTENT_SUBDOMAIN' })
  assert.match(response.json.msg, /^There is no organization at this address\./)
})

test('HEAD returns the same as GET, without the body', async () => {
  const chat = await startChat()

  const response = await ask(chat, 'parley.test', 'HEAD')

  assert.deepEqual([response.status, response.body], [200, ''])
})

test('the built-in images are small', async () => {
  const chat = await startChat()
  const { json } = await ask(chat, 'parley.test')

  for (const path of [json.realm_icon, '/static/unknown-user-avatar.png', '/static/system-bot-avatar.png']) {
    const image = await chat.request({ method: 'GET', path })
    assert.equal(image.status, 200)
    assert.equal(image.headers['content-type'], 'image/png')
    assert.equal(image.headers['x-content-type-options'], 'nosniff')
    assert.match(image.body, /^.PNG/)
    assert(Number(image.headers['content-length']) < 2000)
  }
})
