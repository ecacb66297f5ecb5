import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { box } from './compose-box.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('the first Enter of a newcomer asks for the key that sends, and loses no text', async () => {
  const stage = await openStage()
  const { ben, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const question = (page: Page) => page.getByRole('group', { name: 'Send key' })
  const sent = (page: Page, text: string) => page.locator('[data-message] .message-content', { hasText: text })
  await page.getByText('Round, please').waitFor()

  await box(page).click()
  await page.getByText('Ctrl+Enter sends · Enter for a new line').waitFor()
  await page.keyboard.type('hello')
  await page.keyboard.press('Enter')
  await question(page).waitFor()
  assert.deepEqual(await inspect(page, 'send-key'), [])
  await page.keyboard.type('more')
  await becomes(() => box(page).inputValue(), 'hello\nmore')
  await question(page).getByRole('button', { name: 'Send with Ctrl+Enter' }).click()
  await becomes(() => box(page).inputValue(), 'hello\nmore')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+Enter')
  await sent(page, 'hello').waitFor()
  await becomes(() => question(page).count(), 0)
  assert.equal(
    (await ben.succeed('POST /register', { event_types: ['user_settings'] }))['user_settings'].enter_sends,
    false,
  )

  const cleos = await stage.openAs(cleo, '/channels/1?topic=icons')
  await cleos.getByText('Round, please').waitFor()
  await box(cleos).click()
  await cleos.keyboard.type('one word')
  await cleos.keyboard.press('ArrowLeft')
  await cleos.keyboard.press('Enter')
  await question(cleos).getByRole('button', { name: 'Send with Enter' }).click()
  await sent(cleos, 'one word').waitFor()
  await cleos.keyboard.type('again')
  await cleos.getByText('Enter sends · Shift+Enter for a new line').waitFor()
  await cleos.keyboard.press('Enter')
  await sent(cleos, 'again').waitFor()
  const settings = (await cleo.succeed('POST /register', { event_types: ['user_settings'] }))['user_settings']
  assert.equal(settings.enter_sends, true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
