import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { signIn } from '../../test/browser.ts'
import { collectLog } from '../../test/collected-log.ts'
import { confirmEmailChange } from '../../test/email-changes.ts'
import { type Chat, startChat } from '../../test/harness.ts'
import { eraseFromAudit, recordAudit } from './audit.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** Returns the entries of the audit log, oldest first. */
const entriesOf = async (chat: Chat) =>
  (await chat.app.services.db.selectFrom('auditEntries').selectAll().orderBy('id').execute()).map(
    ({ id, realmId, details, ...entry }) => ({ ...entry, ...JSON.parse(details) }),
  )

test('an entry says who changed what, from what to what, when, from where and by which client', async () => {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const ben = await chat.user('ben')

  await olga.call(`PATCH /users/${ben.id}`, { role: Role.moderator }, { 'user-agent': 'ZulipPython/0.9' })
  await olga.call(`PATCH /users/${ben.id}`, { role: Role.moderator }, { 'user-agent': 'ZulipPython/0.9' })

  assert.deepEqual(await entriesOf(chat), [
    {
      ...{ at: chat.clock.now(), kind: 'role_changed', origin: 'request', actorId: olga.id, targetId: ben.id },
      ...{ from: Role.member, to: Role.moderator, address: '127.0.0.1', client: 'ZulipPython' },
    },
  ])
})

test('a sign-in is an entry about its user, and changes in a browser have its name', async () => {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const browser = await signIn(chat, olga)

  await browser.call('PATCH /realm', { description: 'Tea' }, { 'user-agent': FIREFOX })

  const shown = (await entriesOf(chat)).map(({ kind, actorId, client }) => [kind, actorId, client])
  assert.deepEqual(shown, [
    ['login', olga.id, ''],
    ['organization_changed', olga.id, 'Firefox, Linux'],
  ])
})

test('a transaction that fails leaves neither an entry nor a line of the security log', async () => {
  const { log, entries } = collectLog()
  const chat = await startChat({ log })
  const { transaction } = chat.app.services

  const failed = transaction(async (tx) => {
    await recordAudit(tx, chat.realm.id, 'organization_deactivated', {})
    throw new Error('The change failed')
  })

  await assert.rejects(failed, /The change failed/)
  assert.deepEqual(await entriesOf(chat), [])
  assert.deepEqual(
    entries.filter(({ message }) => message === 'security event'),
    [],
  )
})

test('an entry takes no detail that its kind does not declare', async () => {
  const chat = await startChat()
  const secret = { targetId: 1, from: 400, to: 300, password: 'horse' }

  const recorded = chat.app.services.transaction((tx) => recordAudit(tx, chat.realm.id, 'role_changed', secret))

  await assert.rejects(recorded, /Unrecognized key/)
})

test('work of the server has no actor and no address', async () => {
  const chat = await startChat()

  await chat.app.services.transaction((tx) => recordAudit(tx, chat.realm.id, 'organization_reactivated', {}))

  const [entry] = await entriesOf(chat)
  assert.partialDeepStrictEqual(entry, { origin: 'server', actorId: null, address: null, client: '' })
})

test('the entries about an erased person lose their names, addresses, networks and programs', async () => {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const ben = await chat.user('ben')
  await olga.succeed(`PATCH /users/${ben.id}`, { full_name: 'Benedikt', new_email: 'benedikt@example.com' })
  await olga.succeed('POST /invites', { invitee_emails: 'Ben@example.org, cleo@example.org', stream_ids: [] })
  await ben.succeed('POST /users/me/api_key/regenerate')
  await confirmEmailChange(chat, 'benedikt@example.com')
  const account = { id: ben.id, realmId: chat.realm.id }

  await chat.app.services.transaction((tx) => eraseFromAudit(tx, account, ['ben@example.org']))

  const entries = await entriesOf(chat)
  assert.doesNotMatch(JSON.stringify(entries), /Ben|ben@|benedikt@/i)
  assert.match(JSON.stringify(entries), /cleo@example\.org/)
  assert.deepEqual(
    entries.filter(({ actorId }) => actorId === ben.id).map(({ address, client }) => [address, client]),
    [[null, '']],
  )
  assert.deepEqual(
    entries.filter(({ actorId }) => actorId === null).map(({ kind, address }) => [kind, address]),
    [['email_changed', null]],
  )
  const byOlga = entries.filter(({ actorId }) => actorId === olga.id)
  assert.deepEqual(new Set(byOlga.map(({ address }) => address)), new Set(['127.0.0.1']))
})
