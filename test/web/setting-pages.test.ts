import assert from 'node:assert/strict'
import { programCommit } from '#lib/process.ts'
import { PASSWORD, submitPassword } from '../browser.ts'
import { upload } from '../files.ts'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('followed and muted topics are listed together, can be filtered and changed, and removing one can be undone', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const [muted, followed] = [1, 3]
  await ben.succeed('POST /user_topics', { stream_id: 1, topic: 'icons', visibility_policy: followed })
  await ben.succeed('POST /user_topics', { stream_id: 2, topic: 'slow start', visibility_policy: muted })
  const page = await stage.openAs(ben, '/settings/topics')
  const rows = page.locator('tbody tr')
  const [icons, slow] = [rows.filter({ hasText: 'icons' }), rows.filter({ hasText: 'slow start' })]
  await icons.waitFor()

  await page.getByRole('searchbox', { name: 'Search topics' }).fill('engines')
  await becomes(() => icons.count(), 0)
  await slow.waitFor()
  await page.getByRole('searchbox', { name: 'Search topics' }).fill('zebra')
  await page.getByText('No matching topics.').waitFor()
  await page.getByRole('searchbox', { name: 'Search topics' }).fill('')
  await page.getByRole('button', { name: /Show/ }).click()
  await page.getByRole('option', { name: 'Muted', exact: true }).click()
  await becomes(() => icons.count(), 0)

  await slow.getByRole('button', { name: /Status of slow start/ }).click()
  await page.getByRole('option', { name: 'Default' }).click()
  await page.getByText('Removed #engines › slow start').waitFor()
  await becomes(() => slow.count(), 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await slow.waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('muted users are listed and can be unmuted', async () => {
  const stage = await openStage()
  const { ben, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/muted-people')
  await page.getByText('No muted users').waitFor()

  await ben.succeed(`POST /users/me/muted_users/${cleo.id}`)
  await page.getByRole('button', { name: 'Unmute Cleo Hopper' }).click()
  await page.getByText('No muted users').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()

  await page.getByRole('button', { name: 'Unmute Cleo Hopper' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('files are listed with size and the conversations that contain them, and deleting one names the consequences', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const used = await upload(stage.chat, ben, { name: 'plan.txt', bytes: 'x'.repeat(1400) })
  await upload(stage.chat, ben, { name: 'spare.txt', bytes: 'x' })
  await sendToChannel(ben, { name: 'design' }, `[plan](${used})`, 'icons')
  const page = await stage.openAs(ben, '/settings/files')
  const row = (name: string) => page.locator('tbody tr', { hasText: name })

  await row('plan.txt').getByText('1.4 kB').waitFor()
  await row('plan.txt').getByRole('link', { name: '#design › icons' }).waitFor()
  await row('spare.txt').getByText('No message').waitFor()
  await page.getByRole('button', { name: /Sort by$/ }).click()
  await page.getByRole('option', { name: 'Smallest first' }).click()
  await becomes(() => page.locator('tbody th').allTextContents(), ['spare.txt', 'plan.txt'])
  await page.getByRole('button', { name: /Sort by$/ }).click()
  await page.getByRole('option', { name: 'Largest first' }).click()
  await becomes(() => page.locator('tbody th').allTextContents(), ['plan.txt', 'spare.txt'])
  const saving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download plan.txt' }).click()
  assert.equal((await saving).suggestedFilename(), 'plan.txt')
  await page.getByRole('button', { name: 'Delete plan.txt' }).click()
  await page.getByText('A message links to it. The message stays, but no one will be able to open the file.').waitFor()
  await page.route('**/json/attachments/*', (route) => route.abort(), { times: 1 })
  await page.getByRole('button', { name: 'Delete file' }).click()
  await page.getByText('Couldn’t delete the file').waitFor()
  await page.getByRole('button', { name: 'Delete file' }).click()

  await page.getByText('plan.txt deleted').waitFor()
  await becomes(() => row('plan.txt').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users see the browsers that are logged in, and log out the others', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const [page, other] = [await stage.openAs(ben, '/settings/account'), await stage.openAs(ben, '/inbox')]
  const rows = page.locator('[data-setting="sessions"] tbody tr')
  await other.getByRole('heading', { name: 'Inbox' }).waitFor()
  await page.reload()
  await rows.filter({ hasText: 'This browser' }).waitFor()
  await becomes(() => rows.count(), 2)

  await rows.getByRole('button', { name: /^Log out/ }).click()

  await becomes(() => rows.count(), 1)
  await other.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('10 minutes after the login, logging out other browsers asks for the password', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await submitPassword(stage.chat, ben)
  const other = await stage.openAs(ben, '/inbox')
  await other.getByRole('heading', { name: 'Inbox' }).waitFor()
  const page = await stage.openAs(ben, '/settings/account')
  await stage.chat.clock.advance(601)

  await page.getByRole('button', { name: 'Log out other browsers' }).click()
  await page.getByRole('dialog', { name: 'Log out other browsers?' }).waitFor()
  await page.getByLabel('Current password').last().fill(PASSWORD)
  await page.getByRole('dialog').getByRole('button', { name: 'Log out' }).click()

  await page.getByText('Other browsers logged out').waitFor()
  await other.getByRole('button', { name: 'Sign in' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the last owner cannot deactivate their account and reads why; others can', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [adas, bens] = [await stage.openAs(ada, '/settings/account'), await stage.openAs(ben, '/settings/account')]
  for (const page of [adas, bens]) {
    await page.getByRole('button', { name: 'Deactivate account' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate account' }).click()
  }

  await adas.getByText('Couldn’t deactivate your account').waitFor()
  await bens.waitForURL('**/login/')

  assert.equal((await ben.call('GET /users/me')).status, 401)
  await stage.close()
})

test('the page about Parley names the version, the commit if it is known, and the feature level of the API', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/about')

  await page.getByText(/10\.\d.*feature level \d+/).waitFor()
  if (programCommit !== null) await page.getByText(programCommit).waitFor()

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
