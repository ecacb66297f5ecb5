import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApp } from '#app.ts'
import { readSettings } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { inject } from '../../test/inject.ts'
import { runCommand } from '../../test/processes/command.ts'
import { temporaryFolder } from '../../test/storage.ts'

test('commands log their changes to standard error with the default log level, without addresses, passwords and keys', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, LOG_LEVEL: '' }
  const lines: Record<string, unknown>[] = []
  const run = async (...words: string[]) => {
    const { complaint, output } = await runCommand(words, settings)
    for (const line of complaint.split('\n')) if (line.startsWith('{')) lines.push(JSON.parse(line))
    return output
  }
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada', '--owner-password', 'correct horse']

  await run('org', 'create', '--name', 'Example', ...owner)
  await run('user', 'create', '--email', 'ben@example.com', '--name', 'Ben', '--password', 'correct horse')
  const key = (await run('user', 'api-key', 'ben@example.com', '--json')).trim()
  await run('user', 'change-email', 'ben@example.com', 'ben@example.org')
  await run('user', 'deactivate', 'ben@example.com')
  await run('org', 'set', 'license_limit', '50')
  await run('org', 'deactivate')

  // The first channels come with the organization.
  const changes = lines.filter(({ event }) => event !== 'channel_created' && event !== 'channel_changed')
  const [ada, ben] = [changes[0]?.['target_id'], changes[2]?.['target_id']]
  assert.deepEqual(
    changes.map(({ event, by, actor_id, target_id, settings }) => [event, by, actor_id, target_id, settings]),
    [
      ['account_created', 'command', null, ada, undefined],
      ['organization_created', 'command', null, null, undefined],
      ['account_created', 'command', null, ben, undefined],
      ['api_key_created', 'command', null, ben, undefined],
      ['email_change_requested', 'command', null, ben, undefined],
      ['account_deactivated', 'command', null, ben, undefined],
      ['organization_changed', 'command', null, null, ['license_limit']],
      ['organization_deactivated', 'command', null, null, undefined],
    ],
  )
  assert.ok(!JSON.stringify(lines).includes(JSON.parse(key).api_key))
  assert.doesNotMatch(JSON.stringify(lines), /horse|example\.(com|org)/)
})

test('without a password, a new account gets a link that works once, within an hour', async () => {
  const folder = await temporaryFolder()
  const settings = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, EXTERNAL_URL: 'http://parley.test' }
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada', '--json']
  const { output } = await runCommand(['org', 'create', '--name', 'Example', ...owner], settings)
  const printed = JSON.parse(output) as { password?: string; choose_password: string; user_id: number }
  const [, key = ''] =
    /^http:\/\/parley\.test\/accounts\/password\/reset\/([^/]+)\/$/.exec(printed.choose_password) ?? []
  const app = await openApp({ settings: readSettings(settings), log: openLog('silent') })
  const send = () => {
    const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
    const path = `/accounts/password/reset/${key}/`
    return inject(app.http, { method: 'POST', path, headers, payload: 'password=correct+horse' })
  }

  const statuses = [(await send()).statusCode, (await send()).statusCode]
  await app.close()

  assert.equal(printed.password, undefined)
  assert.deepEqual(statuses, [302, 404])
})
