import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, type Person, START, startChat } from '../../test/harness.ts'

async function ask(chat: Chat, userId: Person, path = '/users/me', method = 'GET') {
  const response = await chat.request({
    method,
    path: `/api/v1${path}`,
    headers: {
      host: 'parley.test',
      authorization: `Basic ${Buffer.from(`${userId.email}:${userId.apiKey}`).toString('base64')}`,
    },
  })
  return { status: response.status, headers: response.headers, body: response.body }
}

const limitsOf = ({ headers }: { headers: Record<string, unknown> }) =>
  ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`])

test('each response says how many requests are left, including refusals after authentication', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')

  const first = await ask(chat, ada)
  const refused = await ask(chat, ada, '/messages/99')
  const unknownPath = await ask(chat, ada, '/nowhere')
  const wrongMethod = await ask(chat, ada, '/users/me', 'PATCH')
  const next = await ask(chat, ada)

  assert.deepEqual(limitsOf(first), ['200', '199', String(START + 60)])
  assert.equal(refused.status, 400)
  assert.deepEqual(limitsOf(refused), ['200', '198', String(START + 60)])
  assert.deepEqual([unknownPath.status, wrongMethod.status], [404, 405])
  for (const response of [unknownPath, wrongMethod])
    assert.deepEqual(limitsOf(response), [undefined, undefined, undefined])
  assert.deepEqual(limitsOf(next), ['200', '197', String(START + 60)])
})

test('the 201st request in a minute is refused until the first is a minute old', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')
  await ask(chat, ada)
  await chat.clock.advance(10.5)
  for (let count = 1; count < 200; count += 1) await ask(chat, ada)

  const refused = await ask(chat, ada)
  const again = await ask(chat, ada, '/messages/99?apply_markdown=maybe')
  const byOther = await ask(chat, ben)
  await chat.clock.advance(49.5)
  const later = await ask(chat, ada)
  const tooMuch = await ask(chat, ada)

  for (const response of [refused, again]) {
    assert.equal(response.status, 429)
    assert.deepEqual(JSON.parse(response.body), {
      result: 'error',
      msg: 'API usage exceeded rate limit',
      'retry-after': 49.5,
      code: 'RATE_LIMIT_HIT',
    })
    assert.equal(response.headers['retry-after'], '49.5')
    assert.equal(response.headers['x-ratelimit-remaining'], '0')
  }
  assert.equal(byOther.status, 200)
  assert.deepEqual([later.status, tooMuch.status], [200, 429])
})

test('refused requests do not extend the wait', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 2]] } })
  const ada = await chat.user('ada')
  await ask(chat, ada)
  await ask(chat, ada)
  for (let count = 0; count < 50; count += 1) {
    await chat.clock.advance(1)
    await ask(chat, ada)
  }
  await chat.clock.advance(10)

  const responses = [await ask(chat, ada), await ask(chat, ada), await ask(chat, ada)]

  assert.deepEqual(
    responses.map((response) => response.status),
    [200, 200, 429],
  )
})

test('without limits no request is refused, and responses have no headers about limits', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: false, RATE_LIMITING_RULES: [[60, 1]] } })
  const ada = await chat.user('ada')
  await ask(chat, ada)

  const response = await ask(chat, ada)

  assert.equal(response.status, 200)
  assert.deepEqual(limitsOf(response), [undefined, undefined, undefined])
})
