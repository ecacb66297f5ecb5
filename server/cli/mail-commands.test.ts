import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApp } from '#app.ts'
import { completeSettings, readSettings } from '#config.ts'
import { openLog } from '#lib/log.ts'
import { queueMail } from '#mail/outbox.ts'
import { createOrganization } from '#organizations/create-organization.ts'
import { MIN_PASSWORD_COST } from '#people/password-hashes.ts'
import { saveUser } from '#people/user-queries.ts'
import { Role } from '#rules/role.ts'
import { openScriptedRelay } from '../../test/mail/scripted-relay.ts'
import { runCommand } from '../../test/processes/command.ts'
import { temporaryFolder } from '../../test/storage.ts'

/** Creates a database with a confirmation email that the relay refused; returns the settings for commands. */
async function withRefusedMail(): Promise<Record<string, string>> {
  const folder = await temporaryFolder()
  await using relay = await openScriptedRelay()
  relay.behave({ rcptTo: { code: 550, text: 'No such mailbox' } })
  const paths = { DATABASE_URL: `${folder}/parley.db`, DATA_DIR: folder, SMTP_URL: relay.url }
  const settings = completeSettings({ ...readSettings({}), ...paths })
  await using app = await openApp({ settings, log: openLog('silent'), passwordCost: MIN_PASSWORD_COST })
  await app.services.transaction(async (tx) => {
    const { id: realmId } = await createOrganization(tx, '', 'Example')
    const ada = { realmId, deliveryEmail: 'ada@example.com', fullName: 'Ada', role: Role.owner }
    const { id: userId } = await saveUser(tx, ada)
    const data = { userId, newEmail: 'new@example.com', expiresAt: tx.now + 3600 }
    await queueMail(tx, { realmId, recipient: 'new@example.com', letter: 'confirm-email', data })
  })
  await app.jobs.mail.settled()
  return { DATABASE_URL: paths.DATABASE_URL, DATA_DIR: folder }
}

test('the operator finds a failed email, reads it with its attempts, and sends it again', async () => {
  const settings = await withRefusedMail()
  const run = (...words: string[]) => runCommand(['mail', ...words], settings)

  const listed = JSON.parse((await run('list', '--state', 'failed', '--to', 'NEW@example.com', '--json')).output)
  const shown = await run('show', '1')
  const json = JSON.parse((await run('show', '1', '--json')).output)
  const retried = await run('retry', '1')
  const after = JSON.parse((await run('list', '--json')).output)

  assert.equal(listed.length, 1)
  assert.deepEqual([listed[0].id, listed[0].state, listed[0].attempts], [1, 'failed', 1])
  assert.match(listed[0].reply, /^550 .*No such mailbox/)
  assert.match(shown.output, /^To: new@example\.com$/m)
  assert.match(shown.output, /\/accounts\/confirm_new_email\//)
  assert.match(shown.output, /^This email: failed\n\S+Z refused: 550 .*\n {2}\* Connection/m)
  assert.match(shown.output, /^ {2}> RCPT TO:<new@example\.com>$/m)
  assert.deepEqual([json.tries.length, json.tries[0].outcome, json.subject], [1, 'refused', json.headers.Subject])
  assert.equal(retried.code, 0)
  assert.deepEqual([after[0].state, after[0].attempts], ['queued', 0])
})

test('a missing email is reported with exit code 1', async () => {
  const settings = await withRefusedMail()

  const unknown = await runCommand(['mail', 'show', '4711'], settings)
  const malformed = await runCommand(['mail', 'retry', 'one'], settings)

  assert.deepEqual([unknown.code, unknown.complaint], [1, 'There is no email with the ID 4711.\n'])
  assert.deepEqual([malformed.code, malformed.complaint], [1, 'one is not the ID of an email.\n'])
})
