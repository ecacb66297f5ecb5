import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAudit } from '#people/audit.ts'
import { Role } from '#rules/role.ts'
import { signIn } from '../../test/browser.ts'
import { confirmEmailChange } from '../../test/email-changes.ts'
import { type Body, type Person, startChat } from '../../test/harness.ts'
import { csvCell, deleteOldAuditEntries } from './audit-log.ts'

const DAY = 86_400

async function openOffice() {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner, fullName: 'Olga Lind' })
  const ada = await chat.user('ada', { role: Role.administrator, fullName: 'Ada Okafor' })
  const ben = await chat.user('ben', { fullName: 'Ben Novak' })
  return { chat, olga, ada, ben }
}

const listed = async (person: Person, params: Record<string, unknown> = {}) =>
  (await person.succeed('GET /audit_log', params))['entries'] as Body[]

const kindsOf = (entries: readonly Body[]) => entries.map(({ kind }) => kind)

test('the log names actors and targets by their current names, and shows the old and the new value', async () => {
  const { chat, olga, ada, ben } = await openOffice()
  const design = await chat.channel('design', [olga])
  await ada.succeed(`PATCH /users/${ben.id}`, { role: Role.moderator })
  await olga.succeed(`PATCH /streams/${design.id}`, { new_name: 'drafts' })
  await ben.succeed('PATCH /settings', { full_name: 'Benedikt' })

  const [renamed, promoted] = await listed(olga)

  assert.partialDeepStrictEqual(renamed, {
    ...{ kind: 'channel_changed', category: 'channels', origin: 'request', actor_name: 'Olga Lind' },
    ...{ target_type: 'channel', target_id: design.id, target_name: 'drafts', network_address: '127.0.0.1' },
    details: { property: 'name', from: 'design', to: 'drafts' },
  })
  assert.partialDeepStrictEqual(promoted, {
    ...{ kind: 'role_changed', actor_name: 'Ada Okafor', target_name: 'Benedikt' },
    details: { from: Role.member, to: Role.moderator },
  })
})

test('entries are found by person, channel, setting, category, account and time, page by page', async () => {
  const { chat, olga, ada, ben } = await openOffice()
  const design = await chat.channel('design', [olga])
  await ada.succeed(`PATCH /users/${ben.id}`, { role: Role.moderator })
  await chat.clock.advance(DAY)
  await olga.succeed(`PATCH /streams/${design.id}`, { new_name: 'drafts' })
  await olga.succeed('PATCH /realm', { message_retention_days: 30 })
  const find = async (params: Record<string, unknown>) => kindsOf(await listed(olga, params))

  assert.deepEqual(await find({ search: 'novak' }), ['role_changed'])
  assert.deepEqual(await find({ search: 'LIND' }), ['organization_changed', 'channel_changed'])
  assert.deepEqual(await find({ search: 'drafts' }), ['channel_changed'])
  assert.deepEqual(await find({ search: 'message retention' }), ['organization_changed'])
  assert.deepEqual(await find({ search: 'how long', settings: ['message_retention_days'] }), ['organization_changed'])
  assert.deepEqual(await find({ search: '%' }), [])
  assert.deepEqual(await find({ category: 'accounts' }), ['role_changed'])
  assert.deepEqual(await find({ actor_id: ada.id }), ['role_changed'])
  assert.deepEqual(await find({ target_type: 'user', target_id: ben.id }), ['role_changed'])
  assert.deepEqual(await find({ until: chat.clock.now() - 60 }), ['role_changed'])
  const first = await olga.succeed('GET /audit_log', { limit: 2 })
  const rest = await olga.succeed('GET /audit_log', { limit: 2, before_id: first['entries'][1].id })
  assert.deepEqual([first['found_oldest'], rest['found_oldest']], [false, true])
  assert.deepEqual(kindsOf(rest['entries']), ['role_changed'])
})

test('administrators see neither the sign-ins nor the addresses of owners, and members see nothing', async () => {
  const { chat, olga, ada, ben } = await openOffice()
  const eve = await chat.user('eve', { role: Role.owner, realm: await chat.organization('other') })
  await signIn(chat, olga)
  await signIn(chat, ben)
  await olga.succeed('PATCH /realm', { description: 'Tea' })

  const seen = await listed(ada)

  assert.deepEqual(
    seen.map(({ kind, actor_id, network_address }) => [kind, actor_id, network_address]),
    [
      ['organization_changed', olga.id, null],
      ['login', ben.id, '127.0.0.1'],
    ],
  )
  assert.deepEqual(kindsOf(await listed(olga)), ['organization_changed', 'login', 'login'])
  assert.deepEqual(await listed(eve), [])
  assert.equal((await ben.call('GET /audit_log')).msg, 'Must be an organization administrator')
})

test('administrators do not see from where an owner opened the link of an email', async () => {
  const { chat, olga, ada, ben } = await openOffice()
  const otto = await chat.user('otto', { role: Role.owner })
  for (const person of [olga, ben]) {
    const browser = await signIn(chat, person)
    await browser.call('PATCH /settings', { email: `${person.id}@example.com` })
    await confirmEmailChange(chat, `${person.id}@example.com`)
  }
  const addresses = async (reader: Person) =>
    (await listed(reader, { kinds: ['email_changed'] })).map((entry) => [
      entry['actor_id'],
      entry['target_id'],
      entry['network_address'],
    ])

  assert.deepEqual(await addresses(ada), [
    [null, ben.id, '127.0.0.1'],
    [null, olga.id, null],
  ])
  assert.deepEqual(await addresses(otto), [
    [null, ben.id, '127.0.0.1'],
    [null, olga.id, '127.0.0.1'],
  ])
})

test('no one sees an address in the log that its holder hides', async () => {
  const { chat, olga } = await openOffice()
  const hidden = await chat.user('cleo', { settings: { email_address_visibility: 4 } })
  await olga.succeed(`PATCH /users/${hidden.id}`, { new_email: 'secret@example.com' })

  const [entry] = await listed(olga)

  assert.equal(entry?.['kind'], 'email_change_requested')
  assert.deepEqual(entry['details'], { from: null, to: null })
  assert.deepEqual(await listed(olga, { search: 'secret' }), [])
})

test('the file has the same entries, and no cell is a formula', async () => {
  const { chat, olga, ben } = await openOffice()
  const browser = await signIn(chat, olga)
  await olga.succeed('PATCH /realm', { name: '=1+1' })
  const file = await browser.open('/audit-log.csv?category=organization')
  const refused = await (await signIn(chat, ben)).open('/audit-log.csv')

  assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8')
  const [head, row, ...others] = file.body.trimEnd().split('\r\n')
  assert.equal(head, '\ufeffid,time,actor,origin,event,target,details,network_address,client')
  assert.match(row ?? '', /,Olga Lind,request,organization_changed,,"\{""setting"":""name"",/)
  assert.deepEqual(others, [])
  assert.equal(refused.status, 400)
  assert.deepEqual(['=1+1', '+1', '-1', '@x', '\tx', 'a "b", c', 'plain'].map(csvCell), [
    `"'=1+1"`,
    `"'+1"`,
    `"'-1"`,
    `"'@x"`,
    `"'\tx"`,
    '"a ""b"", c"',
    'plain',
  ])
})

test('old entries are deleted after the time that the organization chose, and not on the day of the change', async () => {
  const { chat, olga } = await openOffice()
  const { transaction } = chat.app.services
  await transaction((tx) => recordAudit(tx, chat.realm.id, 'export_started', { scope: 'public' }))
  await chat.clock.advance(40 * DAY)
  const left = async () => {
    await transaction(deleteOldAuditEntries)
    return kindsOf(await listed(olga))
  }

  const before = await left()
  await olga.succeed('PATCH /realm', { audit_log_retention_days: 30 })
  const sameDay = await left()
  await chat.clock.advance(DAY + 1)

  assert.deepEqual(before, ['export_started'])
  assert.deepEqual(sameDay, ['organization_changed', 'export_started'])
  assert.deepEqual(await left(), ['organization_changed'])
})
