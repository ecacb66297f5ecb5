import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { becomes, patience } from './becomes.ts'
import { untilFocusIn } from './by-keyboard.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const row = (page: Page, text: string) =>
  page.locator('.message').filter({ has: page.getByText(text, { exact: true }) })

async function talk(person: Person, first: number, last: number): Promise<number[]> {
  const ids: number[] = []
  for (let at = first; at <= last; at++)
    ids.push(await sendToChannel(person, { name: 'design' }, `number ${at}`, 'colours'))
  return ids
}

const readAll = (person: Person) => person.succeed('POST /mark_all_as_read')
const topOf = (page: Page, text: string) => row(page, text).evaluate((one) => one.getBoundingClientRect().top)

/** Turns the wheel until the row of the text is on the page; with `isGone`, until it is not. */
async function wheelUntil(page: Page, deltaY: number, text: string, { isGone = false } = {}): Promise<void> {
  const end = performance.now() + patience()
  while ((await row(page, text).count()) === (isGone ? 1 : 0) && performance.now() < end) {
    await page.mouse.wheel(0, deltaY)
    await page.waitForTimeout(100)
  }
  await becomes(() => row(page, text).count(), isGone ? 0 : 1)
}

/** Waits until the timeline neither loads messages nor moves; returns the top of the message with this text. */
async function restingTopOf(page: Page, text: string): Promise<number> {
  let top = Number.NaN
  let still = 0
  await becomes(async () => {
    const isBusy = (await page.locator('.timeline :is([aria-busy="true"], [aria-disabled="true"])').count()) > 0
    const before = top
    top = await topOf(page, text)
    still = !isBusy && top === before ? still + 1 : 0
    return still >= 5
  }, true)
  return top
}

test('a channel opens at the first unread message, and loads newer and older ones on scroll', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await talk(ada, 1, 160)
  await readAll(ben)
  await talk(ada, 161, 330)
  const page = await stage.openAs(ben, '/channels/1')

  await page.getByText('New', { exact: true }).waitFor()
  const at = await restingTopOf(page, 'number 161')
  assert.ok(at > 57 && at < 500, `at ${at}`)
  await becomes(() => row(page, 'number 330').count(), 0)
  await becomes(() => row(page, 'number 1').count(), 0)
  assert.deepEqual(await inspect(page, 'history'), [])

  await page.mouse.move(700, 300)
  await wheelUntil(page, 1500, 'number 330')
  await wheelUntil(page, -1500, 'number 1')
  const numbers = await page.locator('.message-content p').allTextContents()
  const shown = numbers.flatMap((text) => (/^number \d+$/.test(text) ? [Number(text.slice(7))] : []))
  // Messages that are far away may have been dropped.
  assert.ok(shown.length >= 150, `${shown.length} messages are left`)
  assert.deepEqual(
    shown,
    Array.from({ length: shown.length }, (_, at) => at + 1),
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

/** Returns true in the page if the timeline is scrolled to its end. */
function isAtEnd(): boolean {
  const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = document.querySelector('.timeline') ?? {}
  return scrollHeight - scrollTop - clientHeight < 2
}

test('Jump to latest leads to the newest result of a search after it was dropped', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await talk(ada, 1, 300)
  const page = await stage.openAs(ben, '/search?q=number')
  await row(page, 'number 300').waitFor()
  await page.mouse.move(700, 400)
  await wheelUntil(page, -1500, 'number 300', { isGone: true })

  await page.getByRole('button', { name: 'Jump to latest' }).click()

  await row(page, 'number 300').waitFor()
  await page.waitForFunction(isAtEnd)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("new messages don't move the visible ones, and are counted below", async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await talk(ada, 1, 60)
  await readAll(ben)
  const page = await stage.openAs(ben, '/channels/1')
  await restingTopOf(page, 'number 60')
  await page.mouse.move(700, 300)
  await page.mouse.wheel(0, -1200)
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor()
  const before = await restingTopOf(page, 'number 45')

  await talk(ada, 61, 63)
  const button = page.getByRole('button', { name: '3 new messages' })
  await button.waitFor()
  assert.equal(await topOf(page, 'number 45'), before)
  await button.click()

  await page.waitForFunction(isAtEnd)
  await button.waitFor({ state: 'detached' })
  await talk(ada, 64, 64)
  await row(page, 'number 64').waitFor()
  await page.waitForFunction(isAtEnd)
  await stage.close()
})

test('a link opens a message among others, and loading older ones keeps it in place', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const ids = await talk(ada, 1, 150)
  await readAll(ben)
  const page = await stage.openAs(ben, `/channels/1?topic=colours&near=${ids[74]}`)
  await page.locator('.message[data-near]').waitFor()
  await becomes(() => page.locator('.message[data-near] .message-content').textContent(), 'number 75')
  const at = await restingTopOf(page, 'number 75')
  assert.ok(at > 57 && at < 500, `at ${at}`)

  await page.mouse.move(700, 300)
  await page.mouse.wheel(0, -700)
  await becomes(async () => (await topOf(page, 'number 75')) === at, false)
  await row(page, 'number 5').waitFor()
  const moved = await restingTopOf(page, 'number 75')
  assert.ok(Math.abs(moved - at - 700) < 3, `${at} and ${moved}`)

  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await row(page, 'number 150').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a link to a message of the same conversation leads back to it each time', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const ids = await talk(ada, 1, 150)
  await sendToChannel(
    ada,
    { name: 'design' },
    `see [that](#narrow/channel/1-design/topic/colours/near/${ids[74]})`,
    'colours',
  )
  await readAll(ben)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  const target = page.locator('.message[data-near]', { hasText: 'number 75' })
  const isInSight = async () =>
    (await target.count()) === 1 && (await target.evaluate((one) => one.getBoundingClientRect().top)) > 57

  for (let time = 1; time <= 3; time += 1) {
    await page.getByRole('link', { name: 'that', exact: true }).click()
    await becomes(isInSight, true)
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await page.getByRole('link', { name: 'that', exact: true }).waitFor()
    await page.waitForFunction(isAtEnd)
    await becomes(isInSight, false)
  }

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('going back restores the scroll position', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await talk(ada, 1, 60)
  await readAll(ben)
  const page = await stage.openAs(ben, '/channels/1')
  await restingTopOf(page, 'number 60')
  await page.mouse.move(700, 300)
  await page.mouse.wheel(0, -1500)
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor()
  const before = await restingTopOf(page, 'number 40')

  await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: 'engines' }).click()
  await page.getByText('It is the cache').waitFor()
  await page.goBack()
  await row(page, 'number 40').waitFor()

  await becomes(() => topOf(page, 'number 40'), before)
  await stage.close()
})

test('messages that arrive while the timeline loads are not missed', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.route('**/json/messages?*', async (route) => {
    const response = await route.fetch()
    await sendToChannel(ada, { name: 'design' }, 'in between', 'colours')
    await page.waitForTimeout(1000)
    await route.fulfill({ response })
  })

  await page.getByRole('link', { name: /^colours/ }).click()

  await row(page, 'in between').waitFor()
  await stage.close()
})

test('messages in a muted channel are neither in Inbox nor in Combined', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ben.succeed('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: 1, property: 'is_muted', value: true }],
  })
  const page = await stage.openAs(ben, '/combined')
  await page.getByText('It is the cache').waitFor()

  await sendToChannel(ada, { name: 'design' }, 'muted', 'icons')
  await sendToChannel(ada, { name: 'engines' }, 'loud', 'slow start')
  await row(page, 'loud').waitFor()
  await becomes(() => row(page, 'muted').count(), 0)
  await page
    .getByRole('link', { name: /^Inbox/ })
    .first()
    .click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()

  await becomes(() => page.getByRole('link', { name: /^icons/ }).count(), 0)
  await stage.close()
})

test('messages of one sender form a group, whose times appear on hover', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await talk(ada, 1, 3)
  await readAll(ben)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await row(page, 'number 3').waitFor()

  const names = page.getByRole('button', { name: 'Ada Lovelace', exact: true })
  const grouped = row(page, 'number 2')
  assert.equal(await grouped.getByRole('button', { name: 'Ada Lovelace' }).count(), 0)
  await becomes(
    () => grouped.locator('.message-gutter').evaluate((gutter) => getComputedStyle(gutter).visibility),
    'hidden',
  )
  await grouped.hover()
  await becomes(
    () => grouped.locator('.message-gutter').evaluate((gutter) => getComputedStyle(gutter).visibility),
    'visible',
  )

  await names.first().click()
  await page.getByRole('dialog', { name: 'Ada Lovelace' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('in a feed the bar of a conversation stays at the top while its messages are in view', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await talk(ada, 1, 60)
  await readAll(ben)
  const page = await stage.openAs(ben, '/combined')
  await row(page, 'number 60').waitFor()
  const bar = page.locator('.timeline-bar', { hasText: 'colours' }).last()
  const top = (await page.locator('.timeline').boundingBox())?.y ?? assert.fail('there is no timeline')

  await becomes(async () => Math.abs(((await bar.boundingBox())?.y ?? 0) - top) < 2, true)
  assert.ok((await topOf(page, 'number 60')) > top + 100)
  await stage.close()
})

test('a right click opens the menu of the message, and Escape returns to it', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await talk(ada, 1, 2)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')

  await row(page, 'number 2').locator('.message-content').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Quote message' }).waitFor()
  await untilFocusIn(page, '[role="menu"]')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })

  await becomes(() => row(page, 'number 2').evaluate((element) => element === document.activeElement), true)
  await stage.close()
})

test('the position in a timeline survives a reload', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await talk(ada, 1, 200)
  await readAll(ben)
  const page = await stage.openAs(ben, '/channels/1')
  await row(page, 'number 200').waitFor()
  await page.mouse.move(700, 300)
  await wheelUntil(page, -600, 'number 60')
  await row(page, 'number 60').scrollIntoViewIfNeeded()
  const before = await restingTopOf(page, 'number 60')

  await page.reload()
  await row(page, 'number 60').waitFor()

  await becomes(async () => Math.abs((await topOf(page, 'number 60')) - before) < 3, true)
  await stage.close()
})
