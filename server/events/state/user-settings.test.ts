import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, type Person, startChat } from '../../../test/harness.ts'

const state = (person: Person, types: readonly string[], capabilities: Record<string, boolean> = {}): Promise<Body> =>
  person.succeed('POST /register', { fetch_event_types: types, client_capabilities: capabilities })

const older = ['update_display_settings', 'update_global_notifications']

test("the user's own settings are in the state, with the choices of some of them", async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: { twenty_four_hour_time: true } })
  await ada.succeed('PATCH /settings', { timezone: 'Europe/Paris' })

  const { user_settings: settings } = await state(ada, ['user_settings'])

  assert.partialDeepStrictEqual(settings, {
    twenty_four_hour_time: true,
    emojiset: 'google',
    presence_enabled: true,
    timezone: 'Europe/Paris',
  })
  assert.deepEqual(
    settings.emojiset_choices.map(({ key }: { key: string }) => key),
    ['google', 'google-blob', 'twitter', 'text'],
  )
  for (const notification_sound of settings.available_notification_sounds)
    await ada.succeed('PATCH /settings', { notification_sound })
})

test('older clients find some settings at the top level; newer clients do not', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: { twenty_four_hour_time: true, enable_sounds: false } })

  const [toOlder, toNewer] = [await state(ada, older), await state(ada, older, { user_settings_object: true })]

  assert.partialDeepStrictEqual(toOlder, { twenty_four_hour_time: true, timezone: '', enable_sounds: false })
  for (const field of ['twenty_four_hour_time', 'timezone', 'enable_sounds', 'emojiset_choices'])
    assert.equal(field in toNewer, false)
})

test("the defaults of new users are separate from the user's own settings", async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: { enter_sends: true } })

  const events = await state(ada, ['user_settings', 'realm_user_settings_defaults'])

  assert.equal(events['user_settings'].enter_sends, true)
  assert.equal(events['realm_user_settings_defaults'].enter_sends, false)
})
