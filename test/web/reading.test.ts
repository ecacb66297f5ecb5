import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../messages.ts'
import { becomes, settles } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { rowOf } from './message-row.ts'
import { openStage } from './stage.ts'

const DESIGN = { name: 'design' }
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

async function talk(person: Person, first: number, last: number, topic = 'paper'): Promise<number[]> {
  const ids: number[] = []
  for (let at = first; at <= last; at++) ids.push(await sendToChannel(person, DESIGN, `number ${at}.`, topic))
  return ids
}

/** Returns the ids of the messages that the person has not read. */
async function unreadAmong(person: Person, ids: readonly number[]): Promise<number[]> {
  const { messages } = await person.succeed('GET /messages', { message_ids: ids })
  return (messages as { id: number; flags: string[] }[]).flatMap(({ id, flags }) =>
    flags.includes('read') ? [] : [id],
  )
}

/** Scrolls up until a message is in view. Returns the first message in view. */
async function scrollUpTo(page: Page, text: string) {
  await page.locator('.timeline-rows[aria-busy="false"]').waitFor()
  await rowOf(page, text).scrollIntoViewIfNeeded()
  await page.getByRole('button', { name: 'Jump to latest' }).waitFor()
  return settles(() => firstInView(page))
}

/** Returns whether the first message in view is the same at the same place. Rounding may move it by a pixel. */
async function isInPlace(page: Page, before: Awaited<ReturnType<typeof firstInView>>): Promise<boolean> {
  const now = await firstInView(page)
  return now !== null && now.text === before?.text && Math.abs(now.top - before.top) <= 1
}

/** Returns the first message in view, and its top; null if there is none. */
const firstInView = (page: Page) =>
  page.evaluate(() => {
    const list = document.querySelector('.timeline:not([data-kept] > *)')
    const top = list?.getBoundingClientRect().top ?? 0
    const rows = [...(list?.querySelectorAll('[data-message]') ?? [])]
    const first = rows.find((row) => row.getBoundingClientRect().bottom > top + 1)
    if (first === undefined) return null
    const text = first.querySelector('.message-content')?.textContent ?? ''
    return { text, top: Math.round(first.getBoundingClientRect().top) }
  })

/** Shows an unread message in another topic until it is read, so that earlier messages in view are, too. */
async function readElsewhere(page: Page, reader: Person, sender: Person): Promise<void> {
  const id = await sendToChannel(sender, DESIGN, 'Elsewhere', 'elsewhere')
  await page.locator('.pane-topic', { hasText: 'elsewhere' }).click()
  await becomes(async () => (await fetchMessage(reader, id)).flags, ['read'])
}

test('a reply in a feed leaves the messages below unread, and Back leads to the message again', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await talk(ada, 1, 60)
  await ben.succeed('POST /mark_all_as_read')
  const page = await stage.openAs(ben, '/combined')
  await rowOf(page, 'number 60.').waitFor()
  const before = await scrollUpTo(page, 'number 20.')
  const ids = [await sendDirect(cleo, [ben], 'one'), await sendDirect(cleo, [ben, ada], 'two')]
  ids.push(...(await talk(cleo, 61, 64, 'lunch')))
  await page.getByRole('link', { name: /^Inbox\s*6 unread/ }).waitFor()

  await rowOf(page, 'number 20.').hover()
  await rowOf(page, 'number 20.').getByRole('button', { name: 'Reply' }).click()
  await page.keyboard.type('a reply')
  await page.keyboard.press('Control+Enter')
  await heading(page, 'paper').waitFor()
  await rowOf(page, 'a reply').waitFor()
  await page.goBack()
  await heading(page, 'Combined feed').waitFor()
  await becomes(() => isInPlace(page, before), true)
  await page.goForward()
  await heading(page, 'paper').waitFor()

  await readElsewhere(page, ben, ada)
  assert.deepEqual(await unreadAmong(ben, ids), ids)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('messages that Jump to latest skips stay unread', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ben.succeed('POST /mark_all_as_read')
  const ids = await talk(ada, 1, 60)
  const page = await stage.openAs(ben, '/channels/1?topic=paper')
  const stateOf = async (number: number) => (await fetchMessage(ben, ids[number - 1]!)).flags
  await becomes(() => stateOf(1), ['read'])
  await page.locator('.timeline-rows[aria-busy="false"]').waitFor()

  await page.getByRole('button', { name: /^Jump to latest|new messages$/ }).click()

  await becomes(() => stateOf(60), ['read'])
  assert.deepEqual(await stateOf(30), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a topic that others resolve keeps its place and its unread messages', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const [first] = await talk(ada, 1, 40)
  await ben.succeed('POST /mark_all_as_read')
  const page = await stage.openAs(ben, '/channels/1?topic=paper')
  await rowOf(page, 'number 40.').waitFor()
  const before = await scrollUpTo(page, 'number 10.')
  const ids = await talk(ada, 41, 51)
  await page.getByRole('button', { name: '11 new messages' }).waitFor()

  for (const [topic, title] of [
    ['✔ paper', 'Resolved paper'],
    ['paper', 'paper'],
  ] as const) {
    await cleo.succeed(`PATCH /messages/${first}`, { topic, propagate_mode: 'change_all' })
    await heading(page, title).waitFor()
    await becomes(() => isInPlace(page, before), true)
  }

  await readElsewhere(page, ben, ada)
  assert.deepEqual(await unreadAmong(ben, ids), ids)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a topic that others merge with another one keeps its place, and a toast names the other one', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const others = await talk(ada, 101, 140, 'lunch')
  const own = await talk(ada, 1, 80)
  await ben.succeed('POST /messages/flags', { messages: own, op: 'add', flag: 'read' })
  const page = await stage.openAs(ben, '/channels/1?topic=paper')
  await rowOf(page, 'number 80.').waitFor()
  const before = await scrollUpTo(page, 'number 40.')

  await cleo.succeed(`PATCH /messages/${own[0]}`, { topic: 'lunch', propagate_mode: 'change_all' })

  await heading(page, 'lunch').waitFor()
  await page.getByText('This conversation moved to #design › lunch').waitFor()
  await becomes(() => isInPlace(page, before), true)
  await readElsewhere(page, ben, ada)
  assert.deepEqual(await unreadAmong(ben, others), others)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('new messages at the end do not move a message away from the pointer', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await talk(ada, 1, 60)
  await ben.succeed('POST /mark_all_as_read')
  const page = await stage.openAs(ben, '/channels/1?topic=paper')
  await page.locator('.timeline-rows[aria-busy="false"]').waitFor()
  await rowOf(page, 'number 60.').hover()
  const resting = await rowOf(page, 'number 60.').boundingBox()
  await talk(ada, 61, 63, 'paper')
  await rowOf(page, 'number 63.').waitFor()
  // Soon after the mouse has come to rest on a text, the end is shown.
  await page.getByRole('button', { name: /^Jump to latest|new messages$/ }).waitFor({ state: 'hidden' })
  await becomes(async () => (await rowOf(page, 'number 60.').boundingBox())?.y === resting?.y, false)
  await rowOf(page, 'number 60.').hover()
  const star = rowOf(page, 'number 60.').getByRole('button', { name: 'Star' })
  await star.hover()
  const before = await star.boundingBox()

  await talk(ada, 64, 68)
  await page.getByRole('button', { name: '5 new messages' }).waitFor()

  assert.deepEqual(await star.boundingBox(), before)
  await page.mouse.down()
  await page.mouse.up()
  await rowOf(page, 'number 60.').getByText('Starred').waitFor()
  await page.mouse.move(5, 5)
  await page.getByRole('button', { name: /^Jump to latest|new messages$/ }).waitFor({ state: 'hidden' })
  await rowOf(page, 'number 68.').hover()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
