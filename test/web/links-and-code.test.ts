import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

async function addRule(page: Page, pattern: string, template: string): Promise<void> {
  await page.getByRole('button', { name: 'Add linkifier' }).click()
  await page.getByLabel('Pattern').fill(pattern)
  await page.getByLabel('URL template').fill(template)
  await page.getByRole('dialog').getByRole('button', { name: 'Add linkifier' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function act(page: Page, rule: string, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${rule}` }).click()
  await page.getByRole('menuitem', { name }).click()
}

test('linkifiers are added, tested, reordered, edited and removed, and turn text into links', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/links')
  await page.getByText('No linkifiers yet').waitFor()

  await page.getByRole('button', { name: 'Add linkifier' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add linkifier' }).click()
  await page.getByText('Enter a URL template.').waitFor()
  await page.getByLabel('Pattern').fill('#(?P<number>[0-9]+')
  await page.getByLabel('URL template').fill('https://example.com/{number}')
  await page.getByRole('dialog').getByRole('button', { name: 'Add linkifier' }).click()
  await page.getByText('Bad regular expression').waitFor()
  assert.deepEqual(await inspect(page, 'organization-new-link'), [])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await addRule(page, '#(?P<number>[0-9]+)', 'https://example.com/issues/{number}')
  await addRule(page, 'T(?P<number>[0-9]+)', 'https://example.com/tasks/{number}')
  const rules = page.getByRole('list', { name: 'Linkifiers' }).locator('code')
  await becomes(() => rules.allTextContents(), ['#(?P<number>[0-9]+)', 'T(?P<number>[0-9]+)'])

  await page.getByLabel('Sample text').fill('See #12 and T3.')
  const tried = page.getByRole('region', { name: 'Test linkifiers' }).getByRole('link')
  const addresses = () => tried.evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))
  await becomes(addresses, ['https://example.com/issues/12', 'https://example.com/tasks/3'])
  assert.deepEqual(await inspect(page, 'organization-links'), [])
  await act(page, 'T(?P<number>[0-9]+)', 'Move up')
  await becomes(() => rules.allTextContents(), ['T(?P<number>[0-9]+)', '#(?P<number>[0-9]+)'])
  await act(page, 'T(?P<number>[0-9]+)', 'Edit')
  await page.getByLabel('URL template').fill('https://example.com/done/{number}')
  await page.getByRole('button', { name: 'Save' }).click()
  await becomes(addresses, ['https://example.com/issues/12', 'https://example.com/done/3'])
  await act(page, '#(?P<number>[0-9]+)', 'Remove')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await becomes(() => rules.allTextContents(), ['T(?P<number>[0-9]+)'])
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Links')

  const bens = await stage.openAs(ben, '/organization/links')
  await bens.getByText('Administrators only').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('code is copied, and opened in the playgrounds for its language', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const { stream_id: id } = await ben.succeed('GET /get_stream_id', { stream: 'engines' })
  await sendToChannel(ben, { name: 'engines' }, '```\nplain\n```', 'slow start')
  const page = await stage.openAs(ada, '/organization/playgrounds')
  await page.getByText('No playgrounds yet').waitFor()
  const bens = await stage.openAs(ben, `/channels/${id}?topic=slow%20start`)
  await bens.getByText('It is the cache').first().waitFor()
  await becomes(() => bens.getByRole('button', { name: 'Copy code' }).count(), 2)
  await becomes(() => bens.getByRole('link', { name: /Open in/ }).count(), 0)

  await page.getByRole('button', { name: 'Add playground' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add playground' }).click()
  await page.getByText('Enter a language.').waitFor()
  await page.getByLabel('Language').fill('py')
  await page.getByLabel('Name').fill('Snakes')
  await page.getByLabel('URL template').fill('https://example.com/run')
  await page.getByRole('dialog').getByRole('button', { name: 'Add playground' }).click()
  await page.getByText('Missing the required variable').waitFor()
  assert.deepEqual(await inspect(page, 'organization-new-playground'), [])
  await page.getByLabel('URL template').fill('https://example.com/run{?code}')
  await page.getByRole('dialog').getByRole('button', { name: 'Add playground' }).click()
  await page.getByText('Python: Snakes').waitFor()
  assert.deepEqual(await inspect(page, 'organization-playgrounds'), [])

  const opening = bens.getByRole('link', { name: 'Open in Snakes' })
  const code = 'def answer():\n    return cache.get("answer", 42)'
  const wanted = `https://example.com/run?code=${encodeURIComponent(code).replaceAll('(', '%28').replaceAll(')', '%29')}`
  await becomes(() => opening.getAttribute('href'), wanted)
  await bens.getByText('return').hover()
  assert.deepEqual(await inspect(bens, 'chat-code'), [])
  await bens.getByRole('button', { name: 'Copy code' }).first().click()
  await becomes(() => bens.evaluate(() => navigator.clipboard.readText()), code)

  await page.getByRole('button', { name: 'Remove Snakes for Python' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No playgrounds yet').waitFor()
  await becomes(() => opening.count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
