import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { ORGANIZATION_SETTINGS } from '../../web/settings/organization-settings.ts'
import { PERSONAL_SETTINGS, type SettingText } from '../../web/settings/personal-settings.ts'
import { SETTINGS_SECTIONS } from '../../web/settings/sections.ts'
import { OTHER_SETTINGS } from '../../web/settings/settings-index.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const row = (page: Page, name: string) => page.locator(`[data-setting="${name}"]`)

/** Returns true once the element is on the page; false if it does not appear. */
const isShown = (element: Locator): Promise<boolean> =>
  element
    .first()
    .waitFor({ state: 'attached' })
    .then(
      () => true,
      () => false,
    )

async function choose(page: Page, name: string, option: string): Promise<void> {
  await row(page, name).getByRole('button').first().click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('a setting saves itself, and the change can be undone and made again', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/preferences')
  const home = row(page, 'web_home_view')

  await choose(page, 'web_home_view', 'Recent')
  await home.getByText('Saved').waitFor()
  const undone = page.waitForResponse('**/json/settings')
  await home.getByRole('button', { name: 'Undo: Home view' }).click()
  await undone
  await home.getByText('Saved', { exact: true }).waitFor()
  await becomes(() => home.getByRole('button').first().textContent(), 'Inbox')
  const redone = page.waitForResponse('**/json/settings')
  await home.getByRole('button', { name: 'Redo: Home view' }).click()
  await redone
  await home.getByRole('button', { name: 'Undo: Home view' }).waitFor()
  await home.getByText('Saved', { exact: true }).waitFor()

  await becomes(() => home.getByRole('button').first().textContent(), 'Recent')
  await page.goto('/')
  await page.getByRole('heading', { name: 'Recent', level: 1 }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a change that the server refuses is reverted, and the setting says why', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/preferences')
  const box = row(page, 'starred_message_counts').getByRole('checkbox')
  await box.waitFor()
  await page.route('**/json/settings', (route) => route.abort())

  await page.getByText('Show the number of starred messages', { exact: true }).click()

  await row(page, 'starred_message_counts').getByRole('alert').getByText('Couldn’t save the change.').waitFor()
  await becomes(() => box.isChecked(), true)
  assert.equal(await page.getByRole('button', { name: /^Undo/ }).count(), 0)
  await stage.close()
})

test('a setting that another device changes shows the new value, and no longer offers to undo the old change', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/preferences')
  const home = row(page, 'web_home_view')
  await choose(page, 'web_home_view', 'Recent')
  await home.getByRole('button', { name: 'Undo: Home view' }).waitFor()

  await ben.succeed('PATCH /settings', { web_home_view: 'all_messages' })

  await becomes(() => home.getByRole('button').first().textContent(), 'Combined feed')
  await becomes(() => home.getByRole('button', { name: /^Undo/ }).count(), 0)
  await stage.close()
})

test('typing on before the event of a saved value arrives does not show a change by someone else', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/json/events?*', async (route) => {
    const response = await route.fetch({ timeout: 0 }).catch(() => null)
    if (response === null) return
    if ((await response.text()).includes('"realm_user"')) await released
    await route.fulfill({ response }).catch(() => {})
  })
  await page.goto('/settings/profile')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })

  await name.fill('Ben B')
  await name.press('Enter')
  await becomes(async () => (await ben.succeed('GET /users/me'))['full_name'], 'Ben B')
  await name.fill('Ben B.')
  release()
  await page.getByRole('button', { name: /^Ben B: account menu/ }).waitFor()

  assert.equal(await page.getByText('Someone else').count(), 0)
  await becomes(() => name.inputValue(), 'Ben B.')
  await stage.close()
})

test('the search finds settings by words of their label, description and values, and leads to their control', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [page, adas] = [await stage.openAs(ben, '/settings/profile'), await stage.openAs(ada, '/settings/profile')]
  const search = page.getByRole('searchbox', { name: 'Search settings' })

  await search.fill('zebra')
  await page.getByText('No settings match “zebra”. Try another word.').waitFor()
  await search.fill('17:00')
  await search.press('ArrowDown')
  await becomes(() => search.evaluate((field) => field === document.activeElement), false)
  await page.keyboard.press('ArrowUp')
  await becomes(() => search.evaluate((field) => field === document.activeElement), true)
  await search.press('Enter')

  await page.waitForURL('**/settings/preferences?setting=twenty_four_hour_time')
  await row(page, 'twenty_four_hour_time').and(page.locator('[data-linked]')).waitFor()
  await becomes(
    () =>
      row(page, 'twenty_four_hour_time').evaluate(
        (setting) => setting.contains(document.activeElement) || document.activeElement?.outerHTML.slice(0, 200),
      ),
    true,
  )
  await search.fill('who can invite')
  await page.getByText('No settings match').waitFor()

  await adas.getByRole('searchbox', { name: 'Search settings' }).fill('who can invite')
  await adas.keyboard.press('ArrowDown')
  await adas.keyboard.press('Enter')
  await adas.waitForURL('**/organization/permissions?setting=can_invite_users_group')
  await adas.locator('[data-linked]', { hasText: 'Who can invite people by email?' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('each setting of the catalogue has its control in its section, and each that the search finds has the name of its link', async () => {
  // Without a provider of GIFs, their rating has no control.
  const stage = await openStage({ settings: { GIPHY_API_KEY: 'a-key' } })
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/settings/profile')
  const missing: string[] = []
  for (const { name, section, label } of [...OTHER_SETTINGS, ...ORGANIZATION_SETTINGS]) {
    const isOwn = OTHER_SETTINGS.some((one) => one.name === name)
    const at = `/${isOwn ? 'settings' : 'organization'}/${section}`
    if (!page.url().endsWith(at)) await page.goto(at)
    await page.locator('[data-setting]').first().waitFor()
    const found = isOwn ? row(page, name) : row(page, name).filter({ hasText: label })
    if (!(await isShown(found))) missing.push(name)
  }
  for (const { id } of SETTINGS_SECTIONS) {
    const settings = Object.entries(PERSONAL_SETTINGS).filter(
      ([, { section }]: [string, SettingText]) => section === id,
    )
    if (settings.length === 0) continue
    await page.goto(`/settings/${id}`)
    await page.locator('main h2').first().waitFor()
    for (const [name, { label }] of settings)
      if (!(await isShown(page.locator('main').getByText(label, { exact: true })))) missing.push(name)
  }

  assert.deepEqual(missing, [])
  await stage.close()
})
