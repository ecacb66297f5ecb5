import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../test/processes/command.ts'
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
  assert.match(completion.output, /'user'\) words='create list set-role rename reactivate password sessions /)
})
