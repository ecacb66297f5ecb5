import assert from 'node:assert/strict'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('messages are found by words, channel and sender, and link to their conversation', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'engines' }, 'grey smoke', 'slow start')
  await sendToChannel(cleo, { name: 'design' }, 'Grey it is', 'colours')
  const page = await stage.openAs(ben, '/search')
  await page.getByLabel('Words').fill('grey')
  await page.getByLabel('Words').press('Enter')

  await page.locator('.highlight').first().waitFor()
  await becomes(() => page.locator('.highlight').allTextContents(), ['grey', 'grey', 'Grey'])
  assert.deepEqual(await inspect(page, 'search'), [])
  await page.getByRole('button', { name: /Channel$/ }).click()
  await page.getByRole('option', { name: 'design' }).click()
  await page.getByRole('button', { name: /Sender$/ }).click()
  await page.getByRole('option', { name: 'Cleo Hopper', exact: true }).click()
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.waitForFunction(() => document.querySelectorAll('.highlight').length === 1)
  await page.getByRole('heading', { level: 2 }).getByRole('link', { name: 'colours' }).click()
  await page.locator('.message[data-near]', { hasText: 'Grey it is' }).waitFor()
  await page.goBack()
  await page.locator('.highlight').waitFor()

  await page.getByLabel('Words').fill('zebra')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('heading', { name: 'No messages found' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
