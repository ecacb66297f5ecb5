import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { findProvidersUsedBy, saveExternalIdentity } from '#identity/external-identities.ts'
import { newTotpSecret, saveTotp } from '#people/second-factors.ts'
import { findUser } from '#people/user-queries.ts'
import { commandsIn, runCommand } from '../../test/processes/command.ts'
import { createLoggedInPeople, openAppIn } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('commands change accounts and channels, say why they refuse, and leave entries in the audit log', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const run = (...words: string[]) => runCommand(words, settings)
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada']
  await run('org', 'create', '--name', 'Example', ...owner)

  const refused = await run('user', 'set-role', 'ada@example.com', '--role', 'member')
  const renamed = await run('user', 'rename', 'ada@example.com', 'Ada Lovelace', '--json')
  const password = await run('user', 'password', 'ada@example.com', '--password', 'correct horse battery', '--json')
  const archived = await run('channel', 'archive', '#general', '--json')
  const audit = await run('audit', '--json')
  const completion = await run('completion', 'bash')

  assert.deepEqual(
    [refused.code, refused.complaint],
    [1, 'ada@example.com is the only owner. Make someone else an owner first.\n'],
  )
  assert.equal(JSON.parse(renamed.output).name, 'Ada Lovelace', renamed.complaint)
  assert.equal(JSON.parse(password.output).password, '(as given)', password.complaint)
  assert.equal(JSON.parse(archived.output).archived, true, archived.complaint)
  const entries = JSON.parse(audit.output) as { kind: string; origin: string; target_name: string | null }[]
  assert.deepEqual(
    entries.slice(0, 5).map(({ kind, target_name }) => [kind, target_name]),
    [
      ['channel_archived', 'general'],
      ['organization_changed', null],
      ['channel_changed', 'general'],
      ['password_changed', 'Ada Lovelace'],
      ['name_changed', 'Ada Lovelace'],
    ],
  )
  assert.ok(entries.every(({ origin }) => origin === 'command'))
  assert.ok(!audit.output.includes('horse'))
  assert.match(
    completion.output,
    /'user'\) words='create list set-role rename reactivate password disconnect sessions /,
  )
})

test('where passwords are turned off, commands print the sign-in page, and turn passwords on again', async () => {
  const folder = await temporaryFolder()
  const file = `${folder}/sign-in.json`
  const provider = { id: 'sso', preset: 'google', client_id: 'x', client_secret: 'y' }
  writeFileSync(file, JSON.stringify({ providers: [provider] }))
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, SIGN_IN_FILE: file }
  const run = (...words: string[]) => runCommand(words, settings)
  await run('org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com', '--owner-name', 'Ada')
  await run('org', 'set', 'authentication_methods', '{"Email":false}')

  const created = await run('user', 'create', '--email', 'ben@example.com', '--name', 'Ben', '--json')
  const refused = await run('user', 'password', 'ada@example.com')
  await run('org', 'set', 'authentication_methods', '{}')
  const reset = await run('user', 'password', 'ada@example.com', '--json')

  assert.match(JSON.parse(created.output).sign_in, /\/login\/$/, created.complaint)
  assert.match(refused.complaint, /turned passwords off/)
  assert.match(JSON.parse(reset.output).choose_password, /\/accounts\/password\/reset\//, reset.complaint)
})

test('accounts are listed, and get a role, sessions and second factors taken away and their account back', async () => {
  const folder = await temporaryFolder()
  const [, ben] = await createLoggedInPeople(folder, ['ada', 'ben'])
  const { run, json } = commandsIn(folder)
  {
    await using app = await openAppIn(folder)
    const { db, secret, random, transaction } = app.services
    const user = await findUser(db, ben!.id)
    const totp = { secret: newTotpSecret(random), lastStep: 0 }
    await transaction(async (tx) => {
      await saveTotp(tx, { secret, random }, ben!.id, totp)
      const identity = { provider: 'sso', issuer: 'https://sso.test', subject: 'ben-1' }
      await saveExternalIdentity(tx, user!, identity)
    })
  }

  const unprotected = await json('user', 'list', '--without-second-factor')
  const sessions = await json('user', 'sessions', 'ben@example.com')
  const reset = await json('user', 'reset-2fa', 'ben@example.com')
  const closed = await json('user', 'sessions', 'ben@example.com', '--close')
  const left = await json('user', 'sessions', 'ben@example.com')
  await json('user', 'disconnect', 'ben@example.com')
  await json('user', 'set-role', 'ben@example.com', '--role', 'moderator')
  await json('user', 'deactivate', 'ben@example.com')
  const ended = await json('user', 'list')
  await json('user', 'reactivate', 'ben@example.com')
  const back = await run('user', 'list')
  const refused = [
    await run('user', 'reset-2fa', 'ben@example.com'),
    await run('user', 'reactivate', 'ben@example.com'),
    await run('user', 'set-role', 'ben@example.com', '--role', 'king'),
  ]
  const entries = await json('audit', '--about', 'ben@example.com')
  const [mail] = await json('mail', 'list')

  assert.deepEqual(
    unprotected.map(({ email }: { email: string }) => email),
    ['ada@example.com'],
  )
  assert.deepEqual([sessions.length, closed.length, left.length], [1, 1, 0])
  assert.equal(reset.second_factor, 'removed')
  assert.partialDeepStrictEqual(ended[1], { email: 'ben@example.com', role: 'moderator', bot: false, active: false })
  assert.match(back.output, /ben@example\.com +ben +moderator +false +true/)
  assert.deepEqual(
    refused.map(({ code, complaint }) => [code, complaint.split('\n')[0]]),
    [
      [1, 'ben@example.com has no second factor.'],
      [1, 'ben@example.com is active.'],
      [
        2,
        "error: option '--role <role>' argument 'king' is invalid. Allowed choices are owner, administrator, moderator, member, guest.",
      ],
    ],
  )
  assert.deepEqual(
    entries.map(({ kind, origin }: Record<string, unknown>) => [kind, origin]),
    [
      ['account_reactivated', 'command'],
      ['account_deactivated', 'command'],
      ['role_changed', 'command'],
      ['sign_in_disconnected', 'command'],
      ['logged_out_by_other', 'command'],
      ['second_factor_reset', 'command'],
    ],
  )
  assert.equal(mail.to, 'ben@example.com')
  await using app = await openAppIn(folder)
  assert.deepEqual(await findProvidersUsedBy(app.services.db, ben!.id), [])
})

test('organizations, their settings and channels are listed, and the exit code tells wrong use from refusals', async () => {
  const folder = await temporaryFolder()
  const { run, json } = commandsIn(folder)
  await json('org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com', '--owner-name', 'Ada')

  const organizations = await json('org', 'list')
  const settings = await json('org', 'settings')
  const shown = await run('org', 'settings')
  await json('channel', 'archive', 'general')
  const archived = await json('channel', 'list')
  const back = await json('channel', 'unarchive', 'general')
  const document = JSON.parse((await run('openapi')).output)
  const migrated = await run('migrate')
  const csv = await run('audit', '--category', 'channels', '--csv')
  const scripts = [await run('completion', 'zsh'), await run('completion', 'fish')]
  const codes: Record<string, number> = {}
  for (const words of [
    '--help',
    'group create --help',
    '',
    'group',
    'nonesuch',
    'org list --nonesuch',
    'channel archive',
    'audit --limit 0',
    'audit --csv --json',
    'channel archive nonesuch',
  ])
    codes[words] = (await run(...words.split(' ').filter(Boolean))).code

  assert.partialDeepStrictEqual(organizations, [
    { name: 'Example', subdomain: '', url: 'http://parley.test', active: true },
  ])
  assert.equal(settings.invite_required, true)
  assert.match(shown.output, /^invite_required +true$/m)
  assert.equal(archived.find(({ name }: { name: string }) => name === 'general').archived, true)
  assert.equal(back.archived, false)
  assert.equal(document.openapi.slice(0, 2), '3.')
  assert.equal(migrated.output, 'The database is up to date.\n')
  assert.match(csv.output, /^id,time,actor,.*\r\n\d+,[^,]+,,command,channel_/)
  assert.ok(scripts.every(({ output }) => /group.*invite|invite.*group/.test(output)))
  assert.deepEqual(codes, {
    '--help': 0,
    'group create --help': 0,
    '': 2,
    group: 2,
    nonesuch: 2,
    'org list --nonesuch': 2,
    'channel archive': 2,
    'audit --limit 0': 2,
    'audit --csv --json': 2,
    'channel archive nonesuch': 1,
  })
})
