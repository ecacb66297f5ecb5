import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRealms } from '#realms/queries.ts'
import { runCommand } from '../../test/processes/command.ts'
import { createOrganizationIn, openAppIn } from '../../test/processes/killable-server.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('an organization is deactivated, reactivated and limited from the command line', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder }
  await createOrganizationIn(folder)
  const run = (...words: string[]) => runCommand(['org', ...words], settings)
  const find = async () => {
    await using stack = new AsyncDisposableStack()
    const app = await openAppIn(folder, {}, settings)
    stack.defer(() => app.close())
    return (await findRealms(app.services.db)).find(({ subdomain }) => subdomain === '')
  }

  const ended = await run('deactivate')
  const deactivated = await find()
  const back = await run('reactivate')
  const limited = await run('set', 'license_limit', '50')
  const unlimited = await run('set', 'license_limit', 'null')
  const ineffective = await run('set', 'default_language', 'de')
  const unknown = await run('set', 'no_such_setting', 'true')
  const wrong = await run('set', 'license_limit', 'many')
  const elsewhere = await run('reactivate', '--org', 'harbor')
  const reactivated = await find()

  assert.deepEqual([ended.code, back.code, limited.code], [0, 0, 0])
  assert.notEqual(deactivated?.deactivatedAt, null)
  assert.equal(reactivated?.deactivatedAt, null)
  assert.equal(reactivated?.settings.license_limit, null)
  assert.match(limited.output, /license_limit +50/)
  assert.match(unlimited.output, /license_limit +null/)
  assert.match(ineffective.complaint, /The setting default_language has no effect/)
  assert.match(unknown.complaint, /There is no organization setting 'no_such_setting'/)
  assert.match(wrong.complaint, /Invalid value for the organization setting 'license_limit'/)
  assert.match(elsewhere.complaint, /There is no organization with the subdomain 'harbor'/)
  assert.deepEqual([ineffective.code, unknown.code, wrong.code, elsewhere.code], [1, 1, 1, 1])
})

test('an organization is renamed from the command line, which lists the hosts to change', async () => {
  const folder = await temporaryFolder()
  const settings = {
    DATABASE_URL: `${folder}/parley.db`,
    DATA_DIR: folder,
    EXTERNAL_URL: 'https://parley.test',
    REALM_HOSTS: '{"chat.example.com": ""}',
  }
  await createOrganizationIn(folder)

  const renamed = await runCommand(['org', 'rename', 'port', '--json'], settings)
  const missing = await runCommand(['org', 'rename', 'dock'], settings)
  const invalid = await runCommand(['org', 'rename', 'Dock!', '--org', 'port'], settings)

  assert.equal(renamed.code, 0, renamed.complaint)
  const { organization: _, ...shown } = JSON.parse(renamed.output)
  assert.deepEqual(shown, {
    url: 'https://port.parley.test',
    redirects_from: 'https://parley.test',
    change_in_realm_hosts: 'chat.example.com',
  })
  assert.match(missing.complaint, /There is no root organization/)
  assert.match(invalid.complaint, /A subdomain has 1 to 40 lower-case letters/)
})

test('the token of a directory is made and deleted from the command line', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, EXTERNAL_URL: 'https://parley.test' }
  await createOrganizationIn(folder)

  const made = await runCommand(['org', 'scim-token', '--json'], settings)
  const deleted = await runCommand(['org', 'scim-token', '--delete'], settings)
  const again = await runCommand(['org', 'scim-token', '--delete'], settings)

  const { url, token } = JSON.parse(made.output)
  assert.deepEqual([url, made.complaint.includes(token)], ['https://parley.test/scim/v2', false])
  assert.match(token, /^\w{43}$/)
  assert.deepEqual([deleted.code, again.code], [0, 1])
  assert.match(again.complaint, /has no SCIM token/)
})
