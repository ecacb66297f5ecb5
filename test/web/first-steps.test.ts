import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { START } from '../harness.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const [EMAIL, PASSWORD] = ['dora@example.com', 'correct horse battery']

async function logIn(page: Page): Promise<void> {
  await page.goto('/login/')
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Log in' }).click()
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
