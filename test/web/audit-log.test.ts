import assert from 'node:assert/strict'
import { Role } from '#rules/role.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('the audit log says who changed what, and finds entries by person, setting and kind', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await ada.succeed(`PATCH /users/${ben.id}`, { role: Role.moderator })
  await ada.succeed('PATCH /streams/1', { is_private: true })
  await ada.succeed('PATCH /realm', { message_retention_days: 30 })
  await ada.succeed('POST /invites', { invitee_emails: 'guido@example.com', stream_ids: [], invite_as: Role.guest })
  await cleo.succeed('POST /bots', { full_name: 'Build bot', short_name: 'build' })
  const page = await stage.openAs(ada, '/organization/audit')
  const table = page.getByRole('table', { name: 'Audit log' })
  const row = (text: string) => table.getByRole('row').filter({ hasText: text })

  await row('Role of Ben').getByText('→ to Moderator').waitFor()
  await row('Setting Message retention').getByText('→ to 30 days').waitFor()
  await row('Account of guido@example.com').getByText('Invited as Guest').waitFor()
  await row('Channel #').getByText('Private').waitFor()
  const search = page.getByRole('searchbox', { name: 'Search', exact: true })
  await search.fill('retention')
  await row('Role of Ben').waitFor({ state: 'detached' })
  await row('Setting Message retention').waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  const name = (await download).suggestedFilename()

  assert.equal(name, 'audit-log.csv')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
