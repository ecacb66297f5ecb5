import { SignJWT } from 'jose'
import { generateSync } from 'otplib'
import { saveExternalIdentity } from '#identity/external-identities.ts'
import { trustBrowser } from '#people/second-factors.ts'
import { BotType } from '#rules/role.ts'
import { createAuthenticator } from '../authenticator.ts'
import { PASSWORD, signIn, submitPassword } from '../browser.ts'
import { confirmEmailChange } from '../email-changes.ts'
import { sendFiles } from '../files.ts'
import type { Chat } from '../harness.ts'
import { picture } from '../pictures.ts'
import { JWT_KEY, type Stage } from './stage.ts'

/** Creates, changes and deactivates accounts. */
export async function callAccounts({ ada, ben, cleo, gus, bot, chat }: Stage): Promise<void> {
  const dan = { email: 'dan@example.com', full_name: 'Dan', password: 'correct horse battery' }
  const { user_id } = await ada.succeed('POST /users', dan)
  await ada.call('POST /users', dan)
  await ada.succeed(`PATCH /users/${user_id}`, { full_name: 'Daniel', role: 300 })
  await ada.succeed('PATCH /users/dan@example.com', { role: 400 })
  await ada.succeed(`PATCH /users/${user_id}`, { new_email: 'daniel@example.com' })
  await confirmEmailChange(chat, 'daniel@example.com')
  for (const person of [ada, gus, bot]) {
    await person.succeed('GET /users', { include_custom_profile_fields: true, client_gravatar: false })
    await person.succeed('GET /users', { user_ids: [ada.id, ben.id, 4711] })
    await person.succeed('GET /users/search', { query: 'a', limit: 5 })
    await person.succeed('GET /users/me')
  }
  await ben.succeed(`GET /users/${cleo.id}`, { include_custom_profile_fields: true })
  await ben.succeed(`GET /users/${ada.email}`, { include_custom_profile_fields: true })
  await ada.succeed(`DELETE /users/${user_id}/sessions`)
  await ada.succeed(`DELETE /users/${user_id}`, { deactivation_notification_comment: 'Farewell' })
  await ada.succeed(`POST /users/${user_id}/reactivate`)
  await ada.call('DELETE /users/me')
  const left = await chat.user('left')
  await ada.succeed(`GET /users/${left.id}/erasure`)
  await ada.succeed(`POST /users/${left.id}/erasure`, { delete_files: true })
  await chat.app.jobs.erasures.settled()
  await ada.call(`POST /users/${left.id}/reactivate`)
  await ada.call(`DELETE /users/${ada.id}`)
  const eve = await chat.user('eve')
  await eve.succeed('DELETE /users/me')
  await ada.succeed(`GET /users/${eve.id}`)
  await callUnauthenticated(chat, dan.password)
}

async function callUnauthenticated(chat: Chat, password: string): Promise<void> {
  const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ username: 'daniel@example.com', password }).toString()
  await chat.request({ method: 'POST', path: '/api/v1/fetch_api_key', headers, body })
  await chat.request({ method: 'GET', path: '/api/v1/server_settings', headers })
  await chat.request({ method: 'POST', path: '/api/v1/passwords/check', headers, body: 'password=short' })
  await chat.request({
    method: 'POST',
    path: '/api/v1/dev_fetch_api_key',
    headers,
    body: 'username=daniel@example.com',
  })
  await chat.request({ method: 'POST', path: '/api/v1/passwords/check', headers, body: 'password=parley' })
  for (const email of ['daniel@example.com', undefined]) {
    const token = await new SignJWT({ email, exp: chat.clock.now() + 60 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(JWT_KEY)
    for (const sent of ['', token, token]) {
      const form = new URLSearchParams({ token: sent, include_profile: 'true' }).toString()
      await chat.request({ method: 'POST', path: '/api/v1/jwt/fetch_api_key', headers, body: form })
    }
  }
}

/** Changes profiles and their fields. */
export async function callProfiles({ ada, ben, gus, chat }: Stage): Promise<void> {
  const choices = { vim: { text: 'Vim', order: '1' }, emacs: { text: 'Emacs', order: '2' } }
  const fields = [
    { name: 'Phone', hint: 'With the country', field_type: 1, display_in_profile_summary: true },
    { name: 'Editor', field_type: 3, field_data: choices },
    { name: 'Code', field_type: 7, field_data: { subtype: 'github' } },
  ]
  const ids: number[] = []
  for (const field of fields) ids.push((await ada.succeed('POST /realm/profile_fields', field))['id'])
  const [phone, editor, code] = ids
  const data = [
    { id: phone, value: '**12**' },
    { id: editor, value: 'vim' },
    { id: code, value: 'ben' },
  ]
  await ben.succeed('PATCH /users/me/profile_data', { data })
  await ada.succeed(`PATCH /users/${gus.id}`, { profile_data: [{ id: phone, value: '13' }] })
  const gone = await chat.user('gone')
  await gone.succeed('PATCH /users/me/profile_data', { data: [{ id: phone, value: '14' }] })
  await ada.succeed(`DELETE /users/${gone.id}`)
  await gus.succeed('GET /realm/profile_fields')
  const including = { include_custom_profile_fields: true }
  for (const which of ['', `/${ben.id}`, `/${ben.email}`]) await gus.succeed(`GET /users${which}`, including)
  await ben.succeed('GET /users/me')
  await gus.succeed('POST /register')
  await ada.succeed(`POST /users/${gone.id}/reactivate`)
  await ada.succeed(`PATCH /realm/profile_fields/${phone}`, { hint: 'Without', required: true })
  await ada.succeed('PATCH /realm/profile_fields', { order: ids.toReversed() })
  await ben.succeed('DELETE /users/me/profile_data', { data: [editor] })
  await ada.succeed(`DELETE /realm/profile_fields/${code}`)
}

/** Registers and removes devices for push notifications. */
export async function callDevices({ ben }: Stage): Promise<void> {
  const apple = { token: 'c0ffee00', appid: 'org.example.App' }
  await ben.succeed('POST /users/me/apns_device_token', apple)
  await ben.call('POST /users/me/apns_device_token', { ...apple, token: '' })
  await ben.call('POST /users/me/apns_device_token', { ...apple, token: 'c0f' })
  await ben.succeed('DELETE /users/me/apns_device_token', { token: apple.token })
  await ben.call('DELETE /users/me/apns_device_token', { token: apple.token })
  await ben.call('DELETE /users/me/apns_device_token', { token: '' })
  await ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'robot' })
  await ben.call('POST /users/me/android_gcm_reg_id', { token: '' })
  await ben.succeed('DELETE /users/me/android_gcm_reg_id', { token: 'robot' })
  await ben.call('DELETE /users/me/android_gcm_reg_id', { token: 'robot' })
  await ben.call('DELETE /users/me/android_gcm_reg_id', { token: '' })
  await ben.call('POST /mobile_push/test_notification', { token: 'robot' })
}

/** Changes the user's own settings. */
export async function callSettings({ ben, chat }: Stage): Promise<void> {
  await ben.succeed('PATCH /settings', {
    full_name: 'Benjamin',
    timezone: 'Europe/Berlin',
    twenty_four_hour_time: true,
  })
  await submitPassword(chat, ben)
  await ben.succeed('PATCH /settings', { email: 'new@example.com', old_password: PASSWORD, emojiset: 'twitter' })
  await ben.succeed('PATCH /settings', { default_language: 'de' })
  await ben.succeed('PATCH /settings', { email_address_visibility: 3, presence_enabled: false })
  await ben.succeed('PATCH /settings/notifications', { enable_stream_desktop_notifications: true })
  await ben.succeed('PATCH /settings/display', { twenty_four_hour_time: false })
  await sendFiles(chat, ben, '/users/me/avatar', { name: 'gizmo.png', bytes: await picture(20, 20) })
  await ben.succeed('DELETE /users/me/avatar')
  const eve = await chat.user('eve')
  await submitPassword(chat, eve)
  await eve.succeed('POST /users/me/api_keys', { password: PASSWORD, name: 'bot' })
  const { api_keys } = await eve.succeed('GET /users/me/api_keys')
  await eve.succeed(`DELETE /users/me/api_keys/${api_keys[0].id}`)
  await signIn(chat, eve)
  const { sessions } = await eve.succeed('GET /users/me/sessions')
  await eve.succeed(`DELETE /users/me/sessions/${sessions[0].id}`)
  await eve.call('DELETE /users/me/sessions/1')
  await eve.succeed('DELETE /users/me/sessions')
  await eve.succeed('POST /users/me/api_key/regenerate')
}

/** Manages bots and their storage. */
export async function callBots({ ada, ben, bot, chat }: Stage): Promise<void> {
  const { user_id } = await ada.succeed('POST /bots', { full_name: 'Otto', short_name: 'otto', bot_type: 1 })
  const hook = { full_name: 'Hook', short_name: 'hook', bot_type: 3, payload_url: '"https://example.com/hook"' }
  const { user_id: hookId } = await ada.succeed('POST /bots', hook)
  await ada.succeed(`PATCH /bots/${user_id}`, { full_name: 'Otto II', bot_owner_id: ben.id })
  await ada.succeed(`PATCH /bots/${hookId}`, { service_payload_url: '"http://127.0.0.1/forbidden"' })
  await ada.succeed(`POST /bots/${hookId}/api_key/regenerate`)
  await ada.succeed(`POST /bots/${hookId}/api_keys`)
  await ada.succeed(`PUT /bots/${hookId}/commands`, { commands: [{ name: 'deploy' }] })
  await ada.succeed(`GET /bots/${hookId}/commands`)
  await ben.succeed('GET /bot_commands')
  await ben.succeed('POST /messages', { type: 'direct', to: [hookId], content: '/deploy' })
  await chat.app.jobs.webhooks.settled()
  const { deliveries } = await ada.succeed(`GET /bots/${hookId}/outgoing_deliveries`)
  await ada.call(`POST /bots/${hookId}/outgoing_deliveries/${deliveries[0].id}/send_again`)
  await ben.succeed('POST /bots', { full_name: 'Ben’s', short_name: 'bens', bot_type: 1 }).then(async (own) => {
    await ada.succeed(`PATCH /bots/${own['user_id']}`, { bot_owner_id: ada.id })
  })
  await ada.succeed('GET /bots')
  await ada.succeed('GET /users')
  await ada.succeed('POST /register')
  await ada.succeed(`DELETE /bots/${user_id}`)
  await ada.succeed(`POST /users/${user_id}/reactivate`)

  await bot.succeed('PUT /bot_storage', { storage: { score: '1' } })
  await bot.succeed('GET /bot_storage', { keys: ['score'] })
  await bot.succeed('DELETE /bot_storage')
}

/** Receives events of other services. */
export async function callIntegrations({ ada, chat, design }: Stage): Promise<void> {
  const hook = await chat.user('hook-bot', { botType: BotType.incomingWebhook, owner: ada })
  await ada.succeed(`PUT /bots/${hook.id}/webhook_secrets/github`, { secret: 'hunter2' })
  await ada.succeed(`GET /bots/${hook.id}/webhook_secrets`)
  const params = new URLSearchParams({ api_key: hook.apiKey, stream: String(design.id) })
  await hook.succeed(`POST /external/json?${params}`, { payload: { state: 'firing' } })
  const challenge = { type: 'url_verification', challenge: 'abc' }
  await hook.succeed(`POST /external/slack?${params}`, { payload: challenge })
  await hook.succeed(`POST /external/zapier?${params}`, { payload: { type: 'auth' } })
  await hook.call(`POST /external/slack_incoming?${params}`, { payload: { text: 1.5 } }).catch(() => {})
  await hook.call(`POST /external/github?${params}`, { payload: {} })
  await hook.succeed('GET /external/json')
  await ada.succeed('GET /integrations')
  await ada.succeed('GET /integrations/github')
  await ada.succeed(`POST /bots/${hook.id}/webhook_test`, { integration: 'github', stream: String(design.id) })
  const { deliveries } = await ada.succeed(`GET /bots/${hook.id}/webhook_deliveries`)
  const last = deliveries.find((delivery: { can_send_again: boolean }) => delivery.can_send_again)
  await ada.succeed(`POST /bots/${hook.id}/webhook_deliveries/${last.id}/send_again`)
}

/** Reports presence and sets statuses. */
export async function callPresence({ ada, ben, gus, chat }: Stage): Promise<void> {
  await ada.succeed('POST /users/me/presence', { status: 'active' })
  await chat.clock.advance(200)
  await ada.succeed('POST /users/me/presence', { status: 'idle' })
  await ben.succeed('POST /users/me/presence', { status: 'active', slim_presence: true, last_update_id: -1 })
  await ben.succeed('POST /users/me/presence', { status: 'active', ping_only: true })
  await gus.succeed('GET /realm/presence')
  await gus.succeed(`GET /users/${ada.id}/presence`)
  await ada.succeed('GET /users/me/presence/as_seen')
  await gus.succeed('POST /register', { slim_presence: true })

  await ben.succeed('POST /users/me/status', {
    ...{ status_text: 'out', emoji_name: 'tea' },
    scheduled_end_time: Math.floor(chat.clock.now()) + 60,
  })
  await gus.succeed(`GET /users/${ben.id}/status`)
  await gus.succeed('POST /register')
  await ben.succeed('POST /users/me/status', { status_text: '', emoji_name: '' })
  for (const params of [
    {},
    { status_text: 'x'.repeat(61) },
    { status_text: 'out', emoji_code: '1f697' },
    { emoji_name: 'invalid' },
    { status_text: 'out', scheduled_end_time: 1 },
    { emoji_name: 'tea', emoji_code: '1f697', reaction_type: 'unicode_emoji' },
    { emoji_name: 'tea', emoji_code: '4711', reaction_type: 'realm_emoji' },
  ])
    await ben.call('POST /users/me/status', params)
  await ben.call('GET /users/4711/status')
}

/** Adds, uses and removes second factors in a browser. */
export async function callSecondFactors({ ada, ben, chat }: Stage): Promise<void> {
  await submitPassword(chat, ben)
  const browser = await signIn(chat, ben)
  const addApp = async () => {
    const { secret, key } = await browser.call('POST /users/me/totp/secret')
    const code = () => generateSync({ secret, epoch: chat.clock.now() })
    await browser.call('POST /users/me/totp', { key, code: code() })
    return code
  }
  const code = await addApp()
  const authenticator = createAuthenticator()
  const { options } = await browser.call('POST /users/me/passkeys/challenge', { purpose: 'register' })
  const { id } = await browser.call('POST /users/me/passkeys', {
    passkey: authenticator.register(options),
    name: 'Laptop',
  })
  await browser.call(`PATCH /users/me/passkeys/${id}`, { name: 'Phone' })
  await chat.clock.advance(60)
  await browser.call('POST /users/me/confirmation', { code: code() })
  await browser.call('POST /users/me/recovery_codes')
  await chat.app.services.transaction((tx) => trustBrowser(tx, ben.id, 'Firefox/130'))
  const { trusted_browsers } = await browser.call('GET /users/me/second_factors')
  await browser.call(`DELETE /users/me/trusted_browsers/${trusted_browsers[0].id}`)
  await browser.call('DELETE /users/me/trusted_browsers')
  await browser.call(`DELETE /users/me/passkeys/${id}`)
  await browser.call('DELETE /users/me/totp')
  await addApp()
  const service = { provider: 'sso', issuer: 'https://login.example.com', subject: 'ben' }
  await chat.app.services.transaction((tx) => saveExternalIdentity(tx, { id: ben.id, realmId: ben.realm.id }, service))
  const { connected_accounts } = await browser.call('GET /users/me/connected_accounts')
  await browser.call(`DELETE /users/me/connected_accounts/${connected_accounts[0].id}`)
  await ada.succeed('GET /realm/second_factors')
  await ada.succeed(`DELETE /users/${ben.id}/second_factors`)
}
