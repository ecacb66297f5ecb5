import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUserSettings } from '#people/user-queries.ts'
import { refusalResponse } from '../../test/channels.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { whileTransactionIsOpen } from '../../test/open-transaction.ts'
import { saveHiddenPresence } from './change-presence.ts'

const ownSettings = async (person: Person) =>
  (
    await person.succeed('POST /register', {
      fetch_event_types: ['user_settings'],
      client_capabilities: { parley_extensions: true, user_settings_object: true },
    })
  )['user_settings'] as Record<string, unknown>

async function pass(chat: Chat, seconds: number): Promise<void> {
  await chat.app.jobs.hiddenPresences.settled()
  await chat.clock.advance(seconds)
  await chat.app.jobs.hiddenPresences.settled()
}

test('presence that is hidden until a time is shown again at that time, without showing the user as active', async () => {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  await ben.succeed('POST /users/me/presence', { status: 'active' })
  const end = Math.floor(chat.clock.now()) + 3600

  await ben.succeed('PATCH /settings', { presence_hidden_until: end })
  const hidden = await ownSettings(ben)
  await ben.succeed('POST /users/me/presence', { status: 'active' })
  const whileHidden = await cleo.call(`GET /users/${ben.id}/presence`)
  await pass(chat, 3601)
  const after = await cleo.succeed(`GET /users/${ben.id}/presence`)
  await ben.succeed('POST /users/me/presence', { status: 'active' })
  const active = await cleo.succeed(`GET /users/${ben.id}/presence`)

  assert.partialDeepStrictEqual(hidden, { presence_enabled: false, presence_hidden_until: end })
  assert.partialDeepStrictEqual(await ownSettings(ben), { presence_enabled: true, presence_hidden_until: 0 })
  assert.equal(whileHidden.result, 'error')
  assert.partialDeepStrictEqual(after, { presence: { aggregated: { status: 'offline' } } })
  assert.partialDeepStrictEqual(active, { presence: { aggregated: { status: 'active' } } })
})

test('showing or hiding presence without a time removes the time', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const end = () => Math.floor(chat.clock.now()) + 3600

  await ben.succeed('PATCH /settings', { presence_hidden_until: end() })
  await ben.succeed('PATCH /settings', { presence_enabled: false })
  await pass(chat, 3601)
  const hidden = await ownSettings(ben)
  await ben.succeed('PATCH /settings', { presence_hidden_until: end() })
  await ben.succeed('PATCH /settings', { presence_enabled: true })
  const shown = await ownSettings(ben)

  assert.partialDeepStrictEqual(hidden, { presence_enabled: false, presence_hidden_until: 0 })
  assert.partialDeepStrictEqual(shown, { presence_enabled: true, presence_hidden_until: 0 })
})

test('each user is shown again at their own time, whatever others choose', async () => {
  const chat = await startChat()
  const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
  const eve = await chat.user('eve')
  const start = Math.floor(chat.clock.now())
  const isShown = async () =>
    Promise.all([ben, cleo, dan].map(async (person) => (await ownSettings(person))['presence_enabled']))

  await ben.succeed('PATCH /settings', { presence_hidden_until: start + 120 })
  for (const person of [cleo, dan, eve]) await person.succeed('PATCH /settings', { presence_hidden_until: start + 60 })
  await eve.succeed('PATCH /settings', { presence_enabled: true })

  await pass(chat, 61)
  assert.deepEqual(await isShown(), [false, true, true])
  await pass(chat, 60)
  assert.deepEqual(await isShown(), [true, true, true])
})

test('the presence of a user who was deactivated meanwhile is shown after they return', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: 200 }), await chat.user('ben')]
  await ben.succeed('PATCH /settings', { presence_hidden_until: Math.floor(chat.clock.now()) + 60 })
  await ada.succeed(`DELETE /users/${ben.id}`)

  await pass(chat, 61)
  await ada.succeed(`POST /users/${ben.id}/reactivate`)

  const row = await chat.app.services.db
    .selectFrom('users')
    .select('settings')
    .where('id', '=', ben.id)
    .executeTakeFirst()
  assert.partialDeepStrictEqual(JSON.parse(String(row?.settings)), { presence_enabled: true, presence_hidden_until: 0 })
})

test('times in the past are refused, and organizations have no defaults for them', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: 200 })

  for (const name of ['presence_hidden_until', 'do_not_disturb_until']) {
    const response = await ada.call('PATCH /settings', { [name]: Math.floor(chat.clock.now()) })
    const asDefault = await ada.call('PATCH /realm/user_settings_defaults', { [name]: 5 })

    assert.deepEqual(response, refusalResponse(`Invalid ${name}: the time is not in the future`))
    assert.deepEqual(asDefault['ignored_parameters_unsupported'], [name])
  }
})

test('a time that is chosen while the previous one ends is kept', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const end = Math.floor(chat.clock.now()) + 60
  await ben.succeed('PATCH /settings', { presence_hidden_until: end })
  await chat.app.jobs.hiddenPresences.settled()

  await whileTransactionIsOpen(
    chat,
    async (tx) => {
      await saveUserSettings(tx, ben.id, { presence_enabled: false, presence_hidden_until: end + 3600 })
      await saveHiddenPresence(tx, ben.id, end + 3600)
    },
    () => chat.clock.advance(61),
  )
  await chat.app.jobs.hiddenPresences.settled()
  const kept = await ownSettings(ben)
  await pass(chat, 3601)

  assert.partialDeepStrictEqual(kept, { presence_enabled: false, presence_hidden_until: end + 3600 })
  assert.partialDeepStrictEqual(await ownSettings(ben), { presence_enabled: true, presence_hidden_until: 0 })
})

test('removing the time shows the presence again', async () => {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]

  await ben.succeed('PATCH /settings', { presence_hidden_until: Math.floor(chat.clock.now()) + 3600 })
  await ben.succeed('PATCH /settings', { presence_hidden_until: 0 })
  await cleo.succeed('PATCH /settings', { presence_enabled: false })
  await cleo.succeed('PATCH /settings', { presence_hidden_until: 0 })

  assert.partialDeepStrictEqual(await ownSettings(ben), { presence_enabled: true, presence_hidden_until: 0 })
  assert.partialDeepStrictEqual(await ownSettings(cleo), { presence_enabled: false })
})
