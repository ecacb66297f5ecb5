import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** Drops a file on an element; returns whether the page prevented the browser from opening it. */
const dropOn = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['one'], 'plan.txt', { type: 'text/plain' }))
    const events = ['dragover', 'drop'].map(
      (type) => new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
    )
    for (const event of events) element.dispatchEvent(event)
    return events.every((event) => event.defaultPrevented)
  })

test('a file that is dropped in a conversation is attached, and never replaces the page', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  assert.equal(await dropOn(page, '.timeline'), true)
  await page.getByRole('button', { name: 'Remove plan.txt' }).waitFor()

  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Your profile' }).click()
  await page.locator('.own-picture').waitFor()
  assert.equal(await dropOn(page, '.chat-pane'), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
