import assert from 'node:assert/strict'
import { FORMAT_EXAMPLES } from '../../web/composer/editor/formatting-examples.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('the formatting reference shows what the server renders', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)

  for (const { typed, html } of FORMAT_EXAMPLES) {
    if (html === undefined) continue
    const { rendered } = await ben.succeed('POST /messages/render', { content: typed })
    assert.equal(rendered, html, typed)
  }
  await stage.close()
})

test('a user searches the help, follows its links, and comes back from a wrong address', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')

  await page.getByRole('button', { name: /organization menu$/ }).click()
  await page.getByRole('menuitem', { name: 'Help', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor()
  assert.deepEqual(await inspect(page, 'help'), [])
  const search = page.getByLabel('Search help')
  await search.fill('zzz')
  await page.getByText('No help page contains all of these words').waitFor()
  await page.getByRole('button', { name: 'Show all pages' }).click()
  await search.fill('mute topic')
  await page.getByRole('link', { name: 'Follow or mute a topic' }).click()
  await page.getByRole('heading', { level: 1, name: 'Follow or mute a topic' }).waitFor()
  assert.deepEqual(await inspect(page, 'help-page'), [])
  await page.getByRole('link', { name: 'Choose what notifies you' }).click()
  await page.getByRole('heading', { level: 1, name: 'Choose what notifies you' }).waitFor()
  await page.goto('/help/nowhere')
  await page.getByText('There is no help page at this address').waitFor()
  await page.getByRole('link', { name: 'All help pages' }).click()
  await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor()

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the formatting reference opens from the compose box', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.locator('.composer textarea').focus()

  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Formatting reference' }).click()

  const dialog = page.getByRole('dialog', { name: 'Formatting reference' })
  await dialog.locator('strong', { hasText: 'bold' }).waitFor()
  assert.deepEqual(await inspect(page, 'formatting-reference'), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('after an upgrade, a note leads to what is new, once', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')
  const note = page.getByRole('region', { name: 'New version' })
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await becomes(() => page.evaluate(() => localStorage.getItem('parley.version') !== null), true)
  assert.equal(await note.count(), 0)

  await page.evaluate(() => localStorage.setItem('parley.version', '0.0.1'))
  await page.reload()
  await note.getByRole('link', { name: 'See what’s new' }).click()
  await page.getByRole('heading', { level: 1, name: 'What’s new' }).waitFor()
  await page.goto('/inbox')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()

  assert.equal(await note.count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
