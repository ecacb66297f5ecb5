import assert from 'node:assert/strict'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { rowOf } from './message-row.ts'
import { openStage } from './stage.ts'

test('alert words are added and removed, and highlighted in new messages', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/notifications')
  const field = page.getByLabel('Add a word')
  await page.getByText('No alert words yet.').waitFor()

  await field.press('Enter')
  await page.getByText('Enter a word.').waitFor()
  for (const word of ['Green tea', 'milk']) {
    await field.fill(word)
    await field.press('Enter')
    await page.getByRole('button', { name: `Remove ${word}` }).waitFor()
    // The event can arrive before the response.
    await becomes(() => field.inputValue(), '')
  }
  await field.fill('MILK')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('You already have this word.').waitFor()
  assert.deepEqual(await inspect(page, 'alert-words'), [])

  await sendToChannel(
    ada,
    { name: 'design' },
    'More **green tea**, `milk`, [no milk](https://example.com/milk), milky.',
    'icons',
  )
  await page.goto('/channels/1?topic=icons')
  await rowOf(page, 'milky').waitFor()
  const marked = rowOf(page, 'milky').locator('.alert-word')
  assert.deepEqual(await marked.allInnerTexts(), ['green tea', 'milk'])
  assert.deepEqual(await inspect(page, 'alert-words-marked'), [])

  await ben.succeed('DELETE /users/me/alert_words', { alert_words: ['milk'] })
  await page.waitForFunction(() => document.querySelectorAll('.alert-word').length === 1)
  assert.deepEqual(await marked.allInnerTexts(), ['green tea'])
  await page.goto('/settings/notifications')
  await page.getByRole('button', { name: 'Remove Green tea' }).click()
  await page.getByText('No alert words yet.').waitFor()
  assert.deepEqual((await ben.succeed('GET /users/me/alert_words'))['alert_words'], [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a word that is typed while another one is saved stays in the field', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/notifications')
  const field = page.getByLabel('Add a word')
  const gate = Promise.withResolvers<void>()
  await page.route('**/json/users/me/alert_words', async (route) => {
    const response = await route.fetch()
    await gate.promise
    await route.fulfill({ response })
  })
  await field.fill('tea')
  await field.press('Enter')
  await page.getByRole('button', { name: 'Remove tea' }).waitFor()

  await field.fill('milk')
  const saved = page.waitForResponse('**/json/users/me/alert_words')
  gate.resolve()
  await (await saved).finished()
  await page.getByRole('button', { name: 'Add', exact: true }).click()

  await page.getByRole('button', { name: 'Remove milk' }).waitFor()
  await becomes(() => field.inputValue(), '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
