import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

test('subscribers are added by name, email address and from another channel, and others see it', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const dora = await stage.chat.user('dora', { fullName: 'Dora' })
  const other = await stage.openAs(cleo, '/channels/3/settings/subscribers')
  await other.getByText('2 people').waitFor()
  const page = await stage.openAs(ada, '/channels/3/settings/subscribers')
  const field = page.getByRole('combobox', { name: 'Add people' })

  await button(page, 'Add to #board').click()
  await page.getByText('Choose at least one person.').waitFor()
  await page.evaluate((text) => navigator.clipboard.writeText(text), dora.email)
  await field.press('Control+V')
  await field.fill('engi')
  await page.getByRole('option', { name: /engines/ }).click()
  await page.reload()
  await button(page, 'Add to #board').click()
  await page.getByText('2 people added to #board; 2 were already subscribed').waitFor()

  await other.getByText('4 people').waitFor()
  const { subscribers } = await ada.succeed('GET /streams/3/members')
  assert.deepEqual(
    subscribers,
    [ada, ben, cleo, dora].map(({ id }) => id),
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('subscribers are removed after the undo time, and an error restores them', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1/settings/subscribers')
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
  const removeAll = async () => {
    await page.locator('thead .checkbox').click()
    await button(page, 'Remove 2…').click()
    await page.getByText('They’ll get a message').waitFor()
    await button(page, 'Remove').click()
    await row('Ben').waitFor({ state: 'detached' })
  }

  await removeAll()
  await button(page, 'Undo').click()
  await row('Ben').waitFor()
  await page.route('**/json/users/me/subscriptions', (route) =>
    route.fulfill({ status: 400, json: { code: 'BAD_REQUEST', msg: 'Insufficient permission' } }),
  )
  await removeAll()
  await button(page, 'Dismiss').click()
  await page.getByText('Couldn’t remove 2 people from #design. Insufficient permission').hover()
  await row('Ben').waitFor()
  await page.unroute('**/json/users/me/subscriptions')
  const members = async () => (await ada.succeed('GET /streams/1/members')).subscribers
  assert.deepEqual(
    await members(),
    [ada, ben, cleo].map(({ id }) => id),
  )
  await button(page, 'Dismiss').click()
  await removeAll()
  await page.locator('.toast').hover()
  await ada.succeed('PATCH /streams/1', { new_name: 'sketches' })
  await page.getByRole('link', { name: 'sketches' }).first().waitFor()
  await button(page, 'Dismiss').click()
  await page.waitForFunction(() => document.querySelectorAll('.toast').length === 0)

  await becomes(members, [ada.id])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("members see and search subscribers, but can't remove any", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1/settings/subscribers')

  await page.getByText('3 people').waitFor()
  await page.getByRole('button', { name: 'Role' }).press('Enter')
  await page.getByRole('button', { name: 'Role' }).press('Enter')
  await page.locator('[aria-sort=descending]', { hasText: 'Role' }).waitFor()
  assert.match(await page.locator('tbody tr').first().innerText(), /Ben/)
  await page.getByLabel('Search', { exact: true }).fill('LOVE')
  await page.getByText('1 of 3 people').waitFor()

  await becomes(() => page.locator('tbody tr').count(), 1)
  await becomes(() => page.getByRole('checkbox').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
