import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { runCommand } from '../../test/processes/command.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('the command line requests an address change, and both addresses get an email', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const run = (...words: string[]) => runCommand(words, settings)
  await run('org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com', '--owner-name', 'Ada')

  const changed = await run('user', 'change-email', 'ada@example.com', 'ada@example.org', '--json')

  assert.equal(changed.code, 0, changed.complaint)
  assert.partialDeepStrictEqual(JSON.parse(changed.output), { email: 'ada@example.com', new_email: 'ada@example.org' })
  const mails = JSON.parse((await run('mail', 'list', '--json')).output) as { recipient?: string; to?: string }[]
  assert.deepEqual(mails.map((mail) => mail.recipient ?? mail.to).toSorted(), ['ada@example.com', 'ada@example.org'])
})

test('an account that the command line makes gets the messages that welcome new users', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const run = (...words: string[]) => runCommand(words, settings)
  await run('org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com', '--owner-name', 'Ada')

  const made = await run('user', 'create', '--email', 'ben@example.com', '--name', 'Ben', '--json')

  assert.equal(made.code, 0, made.complaint)
  const database = new DatabaseSync(`${folder}/parley.db`)
  const contents = database.prepare('SELECT content FROM messages').all() as { content: string }[]
  database.close()
  assert.deepEqual(contents.filter(({ content }) => content.startsWith('Welcome, @_**Ben')).length, 1)
})

test("the command line writes a user's own data, by address or id, while no other account has that id", async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const run = (...words: string[]) => runCommand(words, settings)
  await run('org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com', '--owner-name', 'Ada')

  const written = await run('user', 'export', 'ada@example.com', `${folder}/data`, '--json')
  const archived = await run('user', 'export', String(JSON.parse(written.output).user_id), `${folder}/data.tar.gz`)
  const unknown = await run('user', 'export', '99999', `${folder}/other`)

  assert.equal(written.code, 0, written.complaint)
  const profile = JSON.parse(await readFile(`${folder}/data/profile.json`, 'utf8'))
  assert.partialDeepStrictEqual(profile, { fullName: 'Ada', email: 'ada@example.com' })
  assert.equal(archived.code, 0, archived.complaint)
  assert.ok(existsSync(`${folder}/data.tar.gz`))
  assert.equal(unknown.complaint, 'There is no account with the id 99999 in Example.\n')
})

test('the command line erases an account only with --yes, and never the last owner', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  const run = (...words: string[]) => runCommand(words, settings)
  await run('org', 'create', '--name', 'Example', '--owner-email', 'ada@example.com', '--owner-name', 'Ada')
  await run('user', 'create', '--email', 'ben@example.com', '--name', 'Ben')

  const shown = await run('user', 'erase', 'ben@example.com', '--files', '--json')
  const refused = await run('user', 'erase', 'ada@example.com', '--yes')
  const erased = await run('user', 'erase', 'ben@example.com', '--files', '--yes', '--json')
  const again = await run('user', 'erase', 'ben@example.com', '--yes')

  assert.match(JSON.parse(shown.output).erasure, /nothing was erased/)
  assert.match(JSON.parse(shown.output).files, /deleted$/)
  assert.equal(refused.code, 1)
  assert.match(refused.complaint, /The only owner of an organization cannot be erased/)
  assert.equal(erased.code, 0, erased.complaint)
  assert.match(again.complaint, /no account with the address ben@example.com/)
})
