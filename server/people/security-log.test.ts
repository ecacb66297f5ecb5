import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { openSecurityLines } from '#http/rate-limits.ts'
import { systemClock } from '#lib/clock.ts'
import { Role } from '#rules/role.ts'
import { logIn, openBrowser, PASSWORD, submitPassword } from '../../test/browser.ts'
import { collectLog, type LogEntry } from '../../test/collected-log.ts'
import { confirmEmailChange, press, requireMailedLink } from '../../test/email-changes.ts'
import { startChat } from '../../test/harness.ts'
import { accept, keyOfLink } from '../../test/joining.ts'
import { securityEvents } from './security-log.ts'

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

async function openOffice(settings = {}) {
  const { log, entries } = collectLog()
  const chat = await startChat({ log, settings })
  const olga = await chat.user('olga', { role: Role.owner })
  const ben = await chat.user('ben')
  await submitPassword(chat, ben)
  /** Returns the log lines since the last call, without the fields that are the same in all of them. */
  const logged = () => {
    const lines = entries.splice(0).filter(({ message }) => message === 'security event')
    return lines.map(({ message, address, realm_id, ...line }) => {
      assert.equal(address, '127.0.0.1')
      return realm_id === chat.realm.id ? line : { ...line, realm_id }
    })
  }
  return { chat, olga, ben, entries, logged }
}

const by = (actor: { id: number } | null, event: string, target: { id: number } | null, details = {}) => ({
  event,
  actor_id: actor?.id ?? null,
  target_id: target?.id ?? null,
  ...details,
})

const refused = (actor: { id: number } | null, reason: string, request: string, details = {}) => {
  const [method, path] = request.split(' ')
  return { ...by(actor, 'request_refused', null), reason, method, path, ...details }
}

test('logins, wrong passwords and lockouts are logged with account and address', async () => {
  const { chat, ben, logged } = await openOffice({ RATE_LIMITING: true })
  const browser = openBrowser(chat)
  await browser.open('/login/')
  await browser.submit({ email: 'nobody@example.com', password: PASSWORD })
  await logIn(chat, ben.email)
  await press(chat, '/api/v1/fetch_api_key', form({ username: ben.email, password: PASSWORD }))
  const wellKnown = logged()

  for (let attempt = 0; attempt < 6; attempt += 1) {
    await browser.open('/login/')
    await browser.submit({ email: ben.email, password: 'wrong horse' })
  }

  assert.deepEqual(wellKnown, [
    by(null, 'password_wrong', null),
    by(ben, 'login', ben, { by: 'password' }),
    by(ben, 'login', ben, { by: 'fetch_api_key' }),
  ])
  assert.deepEqual(logged(), [
    ...Array(5).fill(by(null, 'password_wrong', ben)),
    by(null, 'password_locked', ben),
    refused(null, 'API usage exceeded rate limit', 'POST /login/', { event: 'limit_reached', realm_id: null }),
  ])
})

test('changes to passwords, keys, addresses, roles, accounts and settings are logged', async () => {
  const { chat, olga, ben, entries, logged } = await openOffice()
  const lines: LogEntry[] = []
  const step = async (what: Promise<unknown>) => {
    await what
    lines.push(...(logged() as unknown as LogEntry[]))
  }

  await step(press(chat, '/accounts/password/reset/', form({ email: ben.email })))
  await step(press(chat, await requireMailedLink(chat, ben.email), form({ password: PASSWORD })))
  await step(ben.succeed('PATCH /settings', { old_password: PASSWORD, new_password: 'a newer horse' }))
  await step(ben.succeed('POST /users/me/api_keys', { password: 'a newer horse', name: 'shell' }))
  const { api_keys } = await ben.succeed('GET /users/me/api_keys')
  const shell = api_keys.find(({ client }: { client: string }) => client === 'shell')
  await step(ben.succeed(`DELETE /users/me/api_keys/${shell.id}`))
  await step(ben.succeed('PATCH /settings', { email: 'benjamin@example.com', old_password: 'a newer horse' }))
  await step(olga.succeed(`PATCH /users/${ben.id}`, { new_email: 'benny@example.com', role: Role.moderator }))
  const undo = await requireMailedLink(chat, ben.email)
  await step(confirmEmailChange(chat, 'benny@example.com'))
  await step(press(chat, undo))
  const made = await olga.succeed('POST /bots', { full_name: 'Robo', short_name: 'robo' })
  const bot = { id: made['user_id'] as number }
  await step(olga.succeed(`PATCH /bots/${bot.id}`, { role: Role.moderator, bot_owner_id: ben.id }))
  await step(olga.succeed(`PATCH /users/${bot.id}`, { new_email: 'robo@example.com' }))
  await step(olga.succeed(`POST /bots/${bot.id}/api_key/regenerate`))
  const { user_id } = await olga.succeed('POST /users', { email: 'x@example.com', password: PASSWORD, full_name: 'X' })
  lines.push(...(logged() as unknown as LogEntry[]))
  await step(olga.succeed(`DELETE /users/${ben.id}`))
  await step(olga.succeed(`POST /users/${ben.id}/reactivate`))
  await step(olga.succeed('PATCH /realm', { description: 'Tea', name: 'Example' }))
  await step(olga.succeed('POST /realm/domains', { domain: 'example.com', allow_subdomains: false }))
  await step(olga.succeed('PATCH /realm/user_settings_defaults', { enter_sends: true }))
  const joined = await accept(chat, await keyOfLink(olga), { email: 'new@example.com' })
  await step(olga.succeed('POST /realm/deactivate'))

  assert.equal(joined, 'in')
  const newcomer = { id: Number(lines.find(({ by }) => by === 'invitation')?.['target_id']) }
  assert.deepEqual(lines, [
    by(null, 'password_reset_requested', ben),
    by(null, 'password_changed', ben, { by: 'reset' }),
    by(ben, 'password_changed', ben, { by: 'settings' }),
    by(ben, 'api_key_created', ben),
    by(ben, 'api_key_deleted', ben),
    by(ben, 'email_change_requested', ben),
    by(olga, 'email_change_requested', ben),
    by(olga, 'role_changed', ben, { role: Role.moderator }),
    by(null, 'email_changed', ben),
    by(null, 'email_change_undone', ben),
    by(olga, 'bot_created', bot),
    by(olga, 'role_changed', bot, { role: Role.moderator }),
    by(olga, 'bot_owner_changed', bot, { owner_id: ben.id }),
    by(olga, 'email_changed', bot),
    by(olga, 'api_keys_replaced', bot),
    by(olga, 'account_created', { id: user_id }),
    by(olga, 'account_deactivated', ben),
    by(olga, 'account_deactivated', bot),
    by(olga, 'account_reactivated', ben),
    by(olga, 'organization_changed', null, { settings: ['description'] }),
    by(olga, 'organization_changed', null, { settings: ['domains'] }),
    by(olga, 'default_setting_changed', null, { settings: ['enter_sends'] }),
    by(olga, 'invitation_link_created', null),
    by(newcomer, 'account_created', newcomer),
    by(newcomer, 'login', newcomer, { by: 'invitation' }),
    by(olga, 'organization_deactivated', null),
  ])
  assert.doesNotMatch(JSON.stringify([lines, entries]), /horse|example\.com|Tea/)
})

test('refused actions are logged with the reason and the sender, and not as done', async () => {
  const { olga, ben, logged } = await openOffice()

  await ben.call(`PATCH /users/${olga.id}`, { role: Role.member })
  await ben.call('PATCH /realm', { description: 'Tea' })
  await olga.call(`PATCH /users/${olga.id}`, { role: Role.member })
  await olga.succeed(`PATCH /users/${ben.id}`, { role: Role.member, new_email: ben.email })

  const users = `/api/v1/users/${olga.id}`
  assert.deepEqual(logged(), [
    refused(ben, 'Insufficient permission', `PATCH ${users}`),
    refused(ben, 'Must be an organization administrator', 'PATCH /api/v1/realm'),
    refused(olga, 'The owner permission cannot be removed from the only organization owner.', `PATCH ${users}`),
  ])
})

test('invalid keys, forged requests and invalid input are logged without the input; ordinary refusals are not', async () => {
  const { chat, ben, logged, entries } = await openOffice()
  const browser = await logIn(chat, ben.email)
  logged()
  entries.length = 0
  const basic = `Basic ${Buffer.from(`${ben.email}:${'x'.repeat(32)}`).toString('base64')}`

  await ben.call('GET /users/me', {}, { authorization: basic })
  await browser.call('DELETE /users/me/sessions', {}, { 'x-csrftoken': 'forged-secret' })
  await ben.call('GET /messages', { anchor: 'newest', num_before: 'secret', num_after: 1 })
  await ben.call('GET /streams/999/secret?x=secret')
  await openBrowser(chat).call('GET /users/me')
  await ben.call('GET /events', { queue_id: 'secret', last_event_id: -1 })

  assert.deepEqual(logged(), [
    refused(null, 'Invalid API key', 'GET /api/v1/users/me', { realm_id: null }),
    refused(ben, 'CSRF error: {reason}', 'DELETE /json/users/me/sessions'),
    refused(ben, '{complaint}', 'GET /api/v1/messages'),
    refused(ben, 'Not Found', 'GET /api/v1/streams/999/secret'),
  ])
})

test('a flood of refused requests logs a few lines a minute from one network, and then how many were left out', async () => {
  const { chat, ben, logged } = await openOffice()
  await chat.clock.advance(60 - (chat.clock.now() % 60))
  const flood = async (count: number) => {
    for (let at = 0; at < count; at += 1) await ben.call('PATCH /realm', { description: 'Tea' })
  }

  await flood(50)
  const first = logged()
  await chat.clock.advance(60)
  await flood(1)

  assert.equal(first.length, 20)
  assert.deepEqual(logged(), [
    refused(ben, 'Must be an organization administrator', 'PATCH /api/v1/realm', { left_out: 30 }),
  ])
})

test('floods from many networks log a limited number of lines, each kind for itself', () => {
  const lines = openSecurityLines({ ...systemClock(), now: () => 1000 })
  const take = (event: Parameters<typeof lines.take>[0], count: number) =>
    Array.from({ length: count }, (_, at) => lines.take(event, `10.0.${at >> 8}.${at & 255}`))

  assert.equal(take('request_refused', 5000).filter((leftOut) => leftOut !== null).length, 100)
  assert.equal(take('password_wrong', 10).filter((leftOut) => leftOut !== null).length, 10)
})

test('docs/operating.md lists every logged event', async () => {
  const manual = await readFile('docs/operating.md', 'utf8')

  const listed = [...manual.matchAll(/^\| `([a-z_]+)` \| (.+) \|$/gm)].map(([, event, meaning]) => [event, meaning])

  for (const entry of Object.entries(securityEvents))
    assert.deepEqual(
      listed.find(([event]) => event === entry[0]),
      entry,
    )
})
