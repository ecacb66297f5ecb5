import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Body, type Person, START, startChat } from '../../../test/harness.ts'

const state = (person: Person, params: Record<string, unknown> = {}): Promise<Body> =>
  person.succeed('POST /register', { fetch_event_types: ['presence'], ...params })

test('presences are keyed by email address in the older form, and by id in the slim one', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ada.succeed('POST /users/me/presence', { status: 'active' })

  const [older, slim] = [await state(ben), await state(ben, { slim_presence: true })]

  const website = { client: 'website', status: 'active', timestamp: START }
  assert.deepEqual(older.presences, {
    'ada@example.com': { aggregated: website, website: { ...website, pushable: false } },
  })
  assert.deepEqual(slim.presences, { [ada.id]: { active_timestamp: START, idle_timestamp: START } })
  assert.equal(slim.server_timestamp, START)
})

test('a client that continues from an update id receives newer presences only', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ada.succeed('POST /users/me/presence', { status: 'active', ping_only: true })

  const nobodyYet = await state(await chat.user('early', { realm: await chat.organization('tea') }))
  const { presence_last_update_id: lastUpdateId } = await state(ben, { slim_presence: true })
  const { presences } = await ben.succeed('POST /users/me/presence', { status: 'active', last_update_id: lastUpdateId })

  assert.equal(nobodyYet.presence_last_update_id, -1)
  assert.deepEqual(Object.keys(presences), [String(ben.id)])
})

test('presences go back as far as the client asks, two weeks by default', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ada.succeed('POST /users/me/presence', { status: 'active' })
  await chat.clock.advance(20 * 86_400)

  const whoIsTold = async (params: Record<string, unknown>) => Object.keys((await state(ben, params)).presences)

  assert.deepEqual(await whoIsTold({}), [])
  assert.deepEqual(await whoIsTold({ presence_history_limit_days: 30 }), ['ada@example.com'])
})

test('the state has no presences where the organization disables them', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  await ada.succeed('POST /users/me/presence', { status: 'active' })
  await chat.change({ presence_disabled: true })

  assert.partialDeepStrictEqual(await state(ada), { presences: {}, presence_last_update_id: -1 })
})

test('limited guests receive the presences of users they share a channel with', async () => {
  const chat = await startChat({ settings: { CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: true } })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.channel('design', [ada, gus])
  await chat.change({ can_access_all_users_group: 'role:members' })
  for (const person of [ada, ben]) await person.succeed('POST /users/me/presence', { status: 'active' })

  const { presences } = await state(gus, { slim_presence: true })

  assert.deepEqual(Object.keys(presences), [String(ada.id)])
})
