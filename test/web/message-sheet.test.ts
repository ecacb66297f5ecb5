import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { fetchMessage } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { rowOf } from './message-row.ts'
import { openStage } from './stage.ts'

const PHONE = { width: 390, height: 844, isTouch: true }

/** Returns a function that sends touches to the page. */
async function touchesOf(page: Page) {
  const devTools = await page.context().newCDPSession(page)
  return (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
    devTools.send('Input.dispatchTouchEvent', { type, touchPoints: points })
}

/** Returns the middle of an element that has stopped moving: touches are sent to a place rather than to an element. */
async function middleOf(element: Locator): Promise<{ x: number; y: number }> {
  await element.click({ trial: true })
  const { x, y, width, height } = (await element.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}

/** Taps an element. Nothing is awaited meanwhile, because a slow tap is a long press. */
async function tap(page: Page, element: Locator): Promise<void> {
  const touch = await touchesOf(page)
  const middle = await middleOf(element)
  await Promise.all([touch('touchStart', [middle]), touch('touchEnd', [])])
}

const sheet = (page: Page) => page.locator('.message-sheet')
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })

test('on phones, the first tap on the button of a message opens its sheet, and reactions are one tap away', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1', PHONE)
  await page.getByText('warmer grey').waitFor()
  const more = rowOf(page, 'Round, please').getByRole('button', { name: /^More actions/ })
  await more.waitFor()

  await tap(page, more)
  await item(page, 'React with +1').waitFor()
  assert.equal(await page.locator('.message-tools[data-shown]').count(), 0)
  // The message stays as it is, and everything around it is dark.
  const [light, row] = [page.locator('.message-spotlight'), rowOf(page, 'Round, please')]
  await becomes(async () => (await light.boundingBox())!.y - (await row.boundingBox())!.y, 0)
  assert.deepEqual(await inspect(page, 'message-sheet'), [])
  await tap(page, item(page, 'React with tada'))
  await sheet(page).waitFor({ state: 'detached' })
  const chip = rowOf(page, 'Round, please').getByRole('button', { name: /^tada 1/ })
  await chip.waitFor()

  // The pill is as high as a line of text, but a finger may miss it by some pixels.
  const { x, y, height } = (await chip.boundingBox())!
  assert.ok(height <= 30, `${height} pixels`)
  const hit = await page.evaluate(
    ([x, y]) => document.elementFromPoint(x!, y!)?.closest('button')?.ariaLabel,
    [x + 10, y - 7],
  )
  assert.match(hit ?? '', /^tada 1/)
  assert.deepEqual(
    (await fetchMessage(ben, 2)).reactions.map(({ emoji_name }: { emoji_name: string }) => emoji_name),
    ['tada'],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on phones, a long press opens the sheet, More shows all actions, and dragging the handle closes it', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1', PHONE)
  await page.getByText('warmer grey').waitFor()
  const touch = await touchesOf(page)

  await touch('touchStart', [await middleOf(rowOf(page, 'Round, please').locator('.message-content p'))])
  await item(page, 'Reply').waitFor()
  await touch('touchEnd', [])
  assert.equal(await page.locator('.message-tools[data-shown]').count(), 0)
  await tap(page, item(page, 'More'))
  await item(page, 'View source').waitFor()
  const handle = await middleOf(page.locator('.sheet-handle'))
  await touch('touchStart', [handle])
  await touch('touchMove', [{ ...handle, y: handle.y + 30 }])
  await touch('touchMove', [{ ...handle, y: handle.y + 80 }])
  await touch('touchEnd', [])
  await sheet(page).waitFor({ state: 'detached' })

  await tap(page, rowOf(page, 'Round, please').getByRole('button', { name: /^More actions/ }))
  await tap(page, item(page, 'Add reaction'))
  await page.getByRole('dialog', { name: 'Add reaction' }).waitFor()
  await becomes(() => sheet(page).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on phones, lifting the finger after a long press chooses nothing in the sheet below it', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1', PHONE)
  await page.getByText('warmer grey').waitFor()
  const touch = await touchesOf(page)
  const pressed = await middleOf(page.locator('.message-content p').last())

  await touch('touchStart', [pressed])
  await item(page, 'Reply').waitFor()
  await becomes(
    () => page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest('[role="menuitem"]') !== null, pressed),
    true,
  )
  await touch('touchEnd', [])
  // A click of the touch would have arrived before the next touch.
  await tap(page, item(page, 'More'))
  await item(page, 'View source').waitFor()
  assert.equal(await sheet(page).count(), 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
