import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { credentials } from '../../test/files.ts'
import { type Chat, type Person, START, startChat } from '../../test/harness.ts'

/** Few units, so that a test needs few messages to use them up. */
const LIMITED = { RATE_LIMITING: true, RATE_LIMITING_WORK: 180 }

async function ask(chat: Chat, { email, apiKey }: Person, path: string) {
  const { status, headers, body } = await chat.request({
    method: 'GET',
    path: `/api/v1${path}`,
    headers: { host: 'parley.test', authorization: `Basic ${btoa(`${email}:${apiKey}`)}` },
  })
  return { status, headers, body: JSON.parse(body) }
}

const bots = (chat: Chat, owner: Person) =>
  Promise.all([1, 2].map((count) => chat.user(`bot${count}`, { botType: BotType.generic, owner })))

test('the bots of a user share one work budget with the user', async () => {
  const chat = await startChat({ settings: LIMITED })
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')
  const [bot, other] = (await bots(chat, ada)) as [Person, Person]

  for (let count = 0; count < 30; count += 1) await ask(chat, bot, '/users/me')
  for (let count = 0; count < 30; count += 1) await ask(chat, other, '/users/me')
  const refused = [await ask(chat, ada, '/users/me'), await ask(chat, bot, '/users/me')]
  const byBen = await ask(chat, ben, '/users/me')
  await chat.clock.advance(1)
  const later = await ask(chat, ada, '/users/me')

  for (const { status, headers, body } of refused) {
    assert.equal(status, 429)
    assert.deepEqual([body.code, body.msg], ['RATE_LIMIT_HIT', 'API usage exceeded rate limit'])
    assert.ok(body['retry-after'] > 0 && body['retry-after'] <= 0.5, String(body['retry-after']))
    assert.equal(headers['retry-after'], String(body['retry-after']))
    assert.equal(headers['x-ratelimit-limit'], '200')
    assert.equal(headers['x-ratelimit-remaining'], '0')
    assert.ok(Number(headers['x-ratelimit-reset']) > START)
  }
  assert.equal(byBen.status, 200)
  assert.equal(later.status, 200)
})

test('each account has its own rate limit, independent of its owner', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  const [bot] = (await bots(chat, ada)) as [Person, Person]
  for (let count = 0; count < 5; count += 1) await ask(chat, ada, '/users/me')

  const first = await ask(chat, bot, '/users/me')

  assert.equal(first.headers['x-ratelimit-remaining'], '199')
})

test('reading many messages, searching, sending to many recipients and inviting cost more than one unit', async () => {
  const chat = await startChat({ settings: LIMITED })
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')
  await chat.channel('general', [ada, ben])
  const spent = async (userId: Person, act: () => Promise<unknown>) => {
    chat.app.services.workBudget.clear()
    await act()
    const { workBudget } = chat.app.services
    // With a budget of one unit a minute, the time to wait shows how much work was charged.
    return workBudget.secondsToWait(userId.id, 1, chat.clock.now()) / 60 - 2 / 3
  }
  for (let count = 0; count < 20; count += 1)
    await ben.call('POST /messages', { type: 'channel', to: 'general', topic: 'a', content: `word ${count}` })
  const range = { anchor: 'newest', num_before: 5000, num_after: 0 }

  const simple = await spent(ada, () => ada.call('GET /users/me'))
  const reading = await spent(ada, () => ada.call('GET /messages', range))
  const searching = await spent(ada, () => ada.call('GET /messages', { ...range, narrow: [['search', 'word']] }))
  const marking = await spent(ada, () =>
    ada.call('POST /messages/flags/narrow', { ...range, narrow: [], op: 'add', flag: 'read' }),
  )
  const sending = await spent(ben, () =>
    ben.call('POST /messages', { type: 'channel', to: 'general', topic: 'a', content: 'more' }),
  )

  const inviting = await spent(ben, () =>
    ben.call('POST /invites', { invitee_emails: 'one@x.com,two@x.com,three@x.com', stream_ids: [] }),
  )

  const near = (units: number, expected: number) =>
    assert.ok(Math.abs(units - expected) < 0.6, `${units}, not ${expected}`)
  near(simple, 1)
  near(reading, 3.4)
  near(searching, 30.4)
  near(marking, 3)
  near(sending, 1)
  near(inviting, 4)
  assert.ok(sending > 1)
})

test('a registration costs work by the number of people in its response, besides the length', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  for (let count = 1; count < 60; count += 1) await chat.user(`person${count}`)
  const { workBudget, settings } = chat.app.services

  const { body } = await chat.request({
    method: 'POST',
    path: '/api/v1/register',
    headers: { ...credentials(ada), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ fetch_event_types: '["realm_user"]' }).toString(),
  })
  const people = JSON.parse(body).realm_users.length

  // With a budget of one unit a minute, the time to wait shows how much work was charged.
  const units = workBudget.secondsToWait(ada.id, 1, chat.clock.now()) / 60 - 2 / 3
  assert.ok(settings.RATE_LIMITING && people >= 60)
  assert.ok(Math.abs(units - (1 + people / 100 + body.length / 32_768)) < 0.05, String(units))
})

test('a user has four requests in progress at a time, and further ones wait without delaying others', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')
  const { inFlight } = chat.app.services
  for (let count = 0; count < 4; count += 1) inFlight.enter(ada.id, false)

  let isAnswered = false
  const waiting = ask(chat, ada, '/users/me').then((response) => {
    isAnswered = true
    return response
  })
  const byBen = await ask(chat, ben, '/users/me')
  const wasAnswered = isAnswered
  inFlight.leave(ada.id)

  assert.equal(byBen.status, 200)
  assert.equal(wasAnswered, false)
  assert.equal((await waiting).status, 200)
})

test('a request that waited is refused if earlier ones have used up the budget', async () => {
  const chat = await startChat({ settings: LIMITED })
  const ada = await chat.user('ada')
  for (let count = 0; count < 58; count += 1) await ask(chat, ada, '/users/me')

  const responses = await Promise.all(Array.from({ length: 10 }, () => ask(chat, ada, '/users/me')))

  const count = (wanted: number) => responses.filter(({ status }) => status === wanted).length
  assert.ok(count(200) >= 1 && count(200) <= 2, String(count(200)))
  assert.equal(count(429), 10 - count(200))
})

test('a request beyond the number that may wait is refused, and not counted', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 1000]] } })
  const ada = await chat.user('ada')
  const { inFlight } = chat.app.services
  for (let count = 0; count < 204; count += 1) void inFlight.enter(ada.id, false)

  const { status, headers, body } = await ask(chat, ada, '/users/me')
  for (let count = 0; count < 204; count += 1) inFlight.leave(ada.id)

  assert.deepEqual([status, body.code, headers['retry-after']], [429, 'RATE_LIMIT_HIT', '1'])
  assert.equal((await ask(chat, ada, '/users/me')).status, 200)
})

test('refused requests count as work, and nothing counts if limits are off', async () => {
  const chat = await startChat({ settings: LIMITED })
  const ada = await chat.user('ada')
  for (let count = 0; count < 60; count += 1) await ask(chat, ada, '/messages/99')

  assert.equal((await ask(chat, ada, '/users/me')).status, 429)
  chat.settings.RATE_LIMITING = false
  assert.equal((await ask(chat, ada, '/users/me')).status, 200)
})
