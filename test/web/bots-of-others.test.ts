import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

async function act(page: Page, name: string, what: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: what }).click()
}

test("an administrator renames another user's bot and changes its owner, who finds it among their bots", async () => {
  const stage = await openStage()
  const { ben, cleo, ada } = await fillExample(stage.chat)
  const bot = await ben.succeed('POST /bots', { full_name: 'Robot', short_name: 'robot', bot_type: 2 })
  const [page, adas] = [await stage.openAs(cleo, '/organization/people'), await stage.openAs(ada, '/settings/bots')]
  await adas.getByText('No bots').waitFor()

  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Bots' }).click()
  const row = page.getByRole('row', { name: /robot-bot@/ })
  await row.getByText('Incoming webhook').waitFor()
  await row.getByText('Ben Bitdiddle').waitFor()
  await act(page, 'Robot', 'Change name or owner')
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Build news')
  const owner = page.getByRole('combobox', { name: 'Owner' })
  await owner.fill('Ada')
  await page.getByRole('option', { name: 'Ada Lovelace' }).click()
  await page.getByRole('button', { name: 'Save' }).click()

  await row.getByText('Build news').first().waitFor()
  await row.getByText('Ada Lovelace').waitFor()
  await adas.getByText('Build news', { exact: true }).waitFor()
  const { user } = await cleo.succeed(`GET /users/${bot.user_id}`)
  assert.deepEqual([user.full_name, user.bot_owner_id], ['Build news', ada.id])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a server error about a bot is shown at its field, and nothing changes', async () => {
  const stage = await openStage()
  const { ben, cleo } = await fillExample(stage.chat)
  const bot = await ben.succeed('POST /bots', { full_name: 'Robot', short_name: 'robot' })
  const page = await stage.openAs(cleo, '/organization/bots')

  await act(page, 'Robot', 'Change name or owner')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill(' ')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.field-error', { hasText: 'Enter a name.' }).waitFor()
  await name.fill('Ben Bitdiddle')
  await page.getByRole('button', { name: 'Save' }).click()

  await page.locator('.field-error', { hasText: 'Name is already in use' }).waitFor()
  const refusal = { code: 'BAD_REQUEST', msg: 'Failed to change owner, user deactivated' }
  await page.route(`**/json/bots/${bot.user_id}`, (route) =>
    route.fulfill({ status: 400, json: refusal, headers: { 'Refused-Field': 'bot_owner_id' } }),
  )
  await name.fill('Robbie')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('.field-error', { hasText: 'user deactivated' }).waitFor()
  assert.equal((await cleo.succeed(`GET /users/${bot.user_id}`)).user.full_name, 'Robot')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("another user's bot gets a new key, is deactivated, found by the filter, and reactivated", async () => {
  const stage = await openStage()
  const { ben, cleo } = await fillExample(stage.chat)
  const bot = await ben.succeed('POST /bots', { full_name: 'Robot', short_name: 'robot' })
  await ben.succeed('POST /bots', { full_name: 'Quiet', short_name: 'quiet' })
  const isActive = async () => (await cleo.succeed(`GET /users/${bot.user_id}`)).user.is_active
  const page = await stage.openAs(cleo, '/organization/bots')

  await act(page, 'Robot', 'New API key')
  await page.getByRole('button', { name: 'Generate new key' }).click()
  await page.getByText('This key is only shown once').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await act(page, 'Robot', 'Deactivate')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click()
  await page.getByText('Robot deactivated', { exact: true }).waitFor()
  const whileEnded = await isActive()
  await page.getByRole('button', { name: /^All/ }).click()
  await page.getByRole('option', { name: 'Deactivated' }).click()
  await becomes(() => page.getByRole('row', { name: /Quiet/ }).count(), 0)
  await act(page, 'Robot', 'Reactivate')
  await page.getByText('Robot reactivated', { exact: true }).waitFor()

  await page.getByRole('heading', { name: 'No matching bots' }).waitFor()
  await page.getByRole('button', { name: 'Show all bots' }).click()
  await page.getByLabel('Search', { exact: true }).fill('ben bit')
  await page.getByRole('row', { name: /Quiet/ }).waitFor()
  assert.deepEqual([whileEnded, await isActive()], [false, true])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
