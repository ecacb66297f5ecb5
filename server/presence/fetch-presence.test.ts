import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUserEmail, saveUserFields, saveUserSettings } from '#people/user-queries.ts'
import { type Body, type Chat, type Person, START, startChat } from '../../test/harness.ts'

const REPORT = 'POST /users/me/presence'
const DAY = 86_400

const idsIn = ({ presences }: Body) => Object.keys(presences).map(Number)

/** Fetches presences as `viewer`, who must not share their own, so that no report of the viewer is in the response. */
const fetchBy = (viewer: Person) => (params: Record<string, unknown>) =>
  viewer.succeed(REPORT, { status: 'idle', ...params })

/** Stores a row for each user, as if they had reported their presence at that time. Call this before any request. */
async function storeReports(chat: Chat, ...reports: [Person, number | null][]): Promise<void> {
  await chat.app.services.transaction(async (tx) => {
    for (const [at, [{ id }, time]] of reports.entries()) {
      const row = { userId: id, realmId: chat.realm.id, lastActiveAt: time, lastConnectedAt: time, updateId: at + 1 }
      await tx.insertInto('presences').values(row).execute()
    }
  })
}

const hidden = { settings: { presence_enabled: false } }

test('presences by id have two integers each', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.clock.advance(0.75)
  await ben.succeed(REPORT, { status: 'active' })

  const response = await ada.succeed(REPORT, { status: 'idle', last_update_id: -1 })

  assert.deepEqual(response.presences[ben.id], { active_timestamp: START, idle_timestamp: START })
  assert.equal(response.server_timestamp, START + 0.75)
  assert.equal('zephyr_mirror_active' in response, false)
})

test('a client that polls once a minute gets the changes, including its own, and nothing within the minute', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ben.succeed(REPORT, { status: 'active' })
  const first = await ada.succeed(REPORT, { status: 'active', last_update_id: -1 })

  await chat.clock.advance(30)
  const second = await ada.succeed(REPORT, { status: 'active', last_update_id: first.presence_last_update_id })
  await chat.clock.advance(30)
  const third = await ada.succeed(REPORT, { status: 'active', last_update_id: second.presence_last_update_id })

  assert.deepEqual([idsIn(first), first.presence_last_update_id], [[ada.id, ben.id], 2])
  assert.deepEqual([idsIn(second), second.presence_last_update_id], [[], 2])
  assert.deepEqual([idsIn(third), third.presence_last_update_id], [[ada.id], 3])
})

test('an id below 1 requests everything, any other id requests the entries with a higher one', async () => {
  const chat = await startChat()
  const [ada, ben, viewer] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo', hidden)]
  for (const person of [ada, ben]) await person.succeed(REPORT, { status: 'active' })
  const fetched = async (last_update_id: unknown) => {
    const response = await fetchBy(viewer)({ last_update_id })
    return [idsIn(response), response.presence_last_update_id]
  }

  assert.deepEqual(await fetched(0), [[ada.id, ben.id], 2])
  assert.deepEqual(await fetched(-5), [[ada.id, ben.id], 2])
  assert.deepEqual(await fetched('-9223372036854775808'), [[ada.id, ben.id], 2])
  assert.deepEqual(await fetched(1), [[ben.id], 2])
  assert.deepEqual(await fetched(2), [[], 2])
  assert.deepEqual(await fetched(1000), [[], 1000])
})

test('a large id is returned unchanged, digit by digit, if nothing is new', async () => {
  const chat = await startChat()
  const viewer = await chat.user('cleo', hidden)
  const authorization = `Basic ${Buffer.from(`${viewer.email}:${viewer.apiKey}`).toString('base64')}`

  for (const id of ['9223372036854775807', '9007199254740993']) {
    const { body } = await chat.request({
      method: 'POST',
      path: '/api/v1/users/me/presence',
      headers: { authorization, host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: `status=idle&last_update_id=${id}`,
    })
    assert(body.includes(`"presence_last_update_id":${id},`), body)
  }
})

test('an empty response has the id of the request, or otherwise -1', async () => {
  const chat = await startChat()
  const fetch = fetchBy(await chat.user('cleo', hidden))

  assert.equal((await fetch({})).presence_last_update_id, -1)
  assert.equal((await fetch({ last_update_id: -1 })).presence_last_update_id, -1)
  assert.equal((await fetch({ last_update_id: -5 })).presence_last_update_id, -5)
  assert.equal((await fetch({ last_update_id: 0 })).presence_last_update_id, 0)
})

test('a full response covers 14 days, or as many as the client requests', async () => {
  const chat = await startChat()
  const [old, young] = [await chat.user('old'), await chat.user('young')]
  const viewer = await chat.user('cleo', hidden)
  const fetch = fetchBy(viewer)
  await storeReports(chat, [old, START - 14 * DAY], [young, START - 12 * DAY])

  const fetched = async (params: object) => {
    const response = await fetch({ last_update_id: -1, ...params })
    return [idsIn(response), response.presence_last_update_id]
  }
  assert.deepEqual(await fetched({}), [[old.id, young.id], 2])
  assert.deepEqual(await fetched({ history_limit_days: 13 }), [[young.id], 2])
  assert.deepEqual(await fetched({ history_limit_days: 12 }), [[young.id], 2])
  assert.deepEqual(await fetched({ history_limit_days: 11 }), [[], -1])
  assert.deepEqual(await fetched({ history_limit_days: '9223372036854775807' }), [[old.id, young.id], 2])
  for (const days of [0, -1, '-9223372036854775808']) {
    assert.deepEqual(await fetched({ history_limit_days: days }), [[], -1])
    assert.deepEqual(await fetched({ history_limit_days: days, last_update_id: undefined }), [[], -1])
  }
  await chat.clock.advance(1)
  assert.deepEqual(await fetched({}), [[young.id], 2])
  assert.deepEqual(await fetched({ last_update_id: 0 }), [[young.id], 2])
  assert.deepEqual(Object.keys((await viewer.succeed('GET /realm/presence')).presences), [young.email])
})

test('the limit does not apply to updates, not even a limit of 0', async () => {
  const chat = await startChat()
  const [one, other] = [await chat.user('one'), await chat.user('other')]
  const fetch = fetchBy(await chat.user('cleo', hidden))
  await storeReports(chat, [one, START - 21 * DAY], [other, START - 21 * DAY])

  for (const days of [undefined, 1, 0, -1]) {
    const response = await fetch({ last_update_id: 1, history_limit_days: days })
    assert.deepEqual([idsIn(response), response.presence_last_update_id], [[other.id], 2])
  }
  assert.deepEqual(idsIn(await fetch({ last_update_id: -1 })), [])
})

test('a row without a connection is infinitely old, and new to clients with a lower id', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben', { joinedAt: START - 100 })]
  await storeReports(chat, [ada, START], [ben, null])
  const fetch = fetchBy(await chat.user('cleo', hidden))

  assert.deepEqual(idsIn(await fetch({ last_update_id: -1, history_limit_days: 100_000 })), [ada.id])
  assert.deepEqual((await fetch({ last_update_id: 1 })).presences, {
    [ben.id]: { active_timestamp: START - 100, idle_timestamp: START - 100 },
  })
})

test('the older format has email addresses as keys and contains everything twice', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('Bén', { email: 'Ben@Example.com' })]
  await ben.succeed(REPORT, { status: 'active' })
  await chat.clock.advance(60)
  await ben.succeed(REPORT, { status: 'idle' })

  const response = await ada.succeed(REPORT, { status: 'idle', slim_presence: false })

  const presence = { client: 'website', status: 'active', timestamp: START }
  assert.deepEqual(response.presences['Ben@Example.com'], {
    aggregated: presence,
    website: { ...presence, pushable: false },
  })
  assert.equal(response.presences['ada@example.com'].aggregated.status, 'idle')
  assert.equal(response.presence_last_update_id, 3)
})

test('the format depends on whether an id was sent, and otherwise on slim_presence', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const keys = async (params: object) =>
    Object.keys((await ben.succeed(REPORT, { status: 'active', ...params })).presences)

  assert.deepEqual(await keys({}), [ben.email])
  assert.deepEqual(await keys({ slim_presence: true }), [String(ben.id)])
  assert.deepEqual(await keys({ slim_presence: false, last_update_id: -1 }), [String(ben.id)])
})

test('the older format has a placeholder for users who hide their address', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben', { settings: { email_address_visibility: 3 } })
  const cleo = await chat.user('cleo')

  await ben.succeed(REPORT, { status: 'active' })
  const before = await cleo.succeed('GET /realm/presence')
  await chat.app.services.transaction((tx) => saveUserSettings(tx, ben.id, { email_address_visibility: 1 }))
  const between = await cleo.succeed('GET /realm/presence')
  await chat.app.services.transaction((tx) => saveUserEmail(tx, ben.id, 'benjamin@example.com'))
  const after = await cleo.succeed('GET /realm/presence')

  assert.deepEqual(Object.keys(before.presences), [`user${ben.id}@parley.test`])
  assert.deepEqual(Object.keys(between.presences), ['ben@example.com'])
  assert.deepEqual(Object.keys(after.presences), ['benjamin@example.com'])
})

test('presences from before a start follow the settings of their users', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben', { settings: { email_address_visibility: 3 } })]
  await storeReports(chat, [ada, START], [ben, START], [await chat.user('cleo', hidden), START])

  const { presences } = await ada.succeed('GET /realm/presence')

  assert.deepEqual(Object.keys(presences), [ada.email, `user${ben.id}@parley.test`])
})

test('users appear and disappear with their accounts immediately', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const fetch = fetchBy(await chat.user('cleo', hidden))
  await ben.succeed(REPORT, { status: 'idle' })
  const change = (fields: Parameters<typeof saveUserFields>[2]) =>
    chat.app.services.transaction((tx) => saveUserFields(tx, ben.id, fields))

  await change({ deactivatedAt: START })
  assert.deepEqual(idsIn(await fetch({ last_update_id: -1 })), [])
  await change({ deactivatedAt: null, joinedAt: START - 5000 })
  assert.deepEqual((await fetch({ last_update_id: -1 })).presences, {
    [ben.id]: { active_timestamp: START - 5000, idle_timestamp: START },
  })
})

test('where presence is disabled, reports are stored but not shown to anyone', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.change({ presence_disabled: true })

  const plain = await ben.succeed(REPORT, { status: 'active' })
  const incremental = await ben.succeed(REPORT, { status: 'active', last_update_id: 3 })
  const realm = await ada.succeed('GET /realm/presence')
  const ofOne = await Promise.all([ada, ben].map((person) => person.call(`GET /users/${ben.id}/presence`)))

  assert.deepEqual([plain.presences, plain.presence_last_update_id], [{}, -1])
  assert.deepEqual([incremental.presences, incremental.presence_last_update_id], [{}, 3])
  assert.deepEqual(realm.presences, {})
  for (const { msg } of ofOne) assert.equal(msg, `No presence data for ${ben.id}`)
  assert.deepEqual(await chat.eventsOf(ada), [])
  await chat.change({ presence_disabled: false })
  assert.deepEqual(idsIn(await ada.succeed(REPORT, { status: 'idle', last_update_id: -1 })), [ada.id, ben.id])
})
