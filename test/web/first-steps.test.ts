import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { START } from '../harness.ts'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const [EMAIL, PASSWORD] = ['dora@example.com', 'correct horse battery']

async function logIn(page: Page): Promise<void> {
  await page.goto('/login/')
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
}

test('a new account that an administrator made gets the first steps, and one of the week before does not', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('POST /users', { email: EMAIL, full_name: 'Dora Dash', password: PASSWORD })
  const page = await stage.openWindow()
  const firstSteps = page.getByRole('region', { name: 'Get started' })

  await logIn(page)
  await firstSteps.getByText(/^0 of \d done$/).waitFor()
  await firstSteps.getByRole('button', { name: 'Dismiss' }).click()
  await firstSteps.waitFor({ state: 'detached' })
  await page.locator('.toast', { hasText: 'First steps dismissed' }).getByRole('button', { name: 'Undo' }).click()
  await firstSteps.getByRole('button', { name: 'Dismiss' }).click()
  await firstSteps.waitFor({ state: 'detached' })

  const WEEK = 7 * 24 * 3600
  await stage.chat.clock.advance(WEEK + 60)
  const later = await stage.openWindow()
  await later.clock.setFixedTime((START + WEEK + 60) * 1000)
  await logIn(later)
  const stored = await later.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('checklist')))
  assert.deepEqual(stored, [])
  assert.equal(await later.getByRole('region', { name: 'Get started' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('keys that are typed while the channel of the first message opens are written into its compose box', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const dora = await stage.chat.user('dora')
  await stage.chat.channel('hall', [ada, dora])
  await sendDirect(dora, [ada])
  const page = await stage.openAs(dora, '/inbox')
  await page.evaluate((id) => localStorage.setItem(`parley.checklist.${id}`, 'shown'), dora.id)
  await page.reload()
  const link = page.getByRole('link', { name: 'Say hello in #hall' })
  await link.waitFor()

  // The page opens after the click has been handled, so that these keys come before it.
  await link.evaluate((element) => {
    ;(element as HTMLElement).click()
    for (const key of 'Hi') element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  })
  const box = page.getByLabel(/^Message /)
  await becomes(() => box.inputValue(), 'Hi')
  await page.keyboard.type(' all')

  await becomes(() => box.inputValue(), 'Hi all')
  await page.goto('/inbox')
  const firstSteps = page.getByRole('region', { name: 'Get started' })
  await firstSteps.getByText(/^0 of \d done$/).waitFor()
  await sendToChannel(dora, { name: 'hall' })
  await page.reload()
  await firstSteps.getByText(/^1 of \d done$/).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
