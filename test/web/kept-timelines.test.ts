import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { upload } from '../files.ts'
import { fetchMessage, sendToChannel } from '../messages.ts'
import { becomes, settles } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { rowOf } from './message-row.ts'
import { openStage } from './stage.ts'

const DESIGN = { name: 'design' }

/** Goes to a topic by its link in the sidebar. */
async function goTo(page: Page, topic: string): Promise<void> {
  await page.locator('.pane-topic', { hasText: topic }).click()
  await page.getByRole('heading', { level: 1, name: topic }).waitFor()
}

const countOfPlaces = (page: Page) => page.locator('.timeline-place').count()

test('a topic that the user returns to has the same rows, up to date, and opens anew', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const first = await sendToChannel(ada, DESIGN, 'Ada asks', 'one')
  await sendToChannel(ada, DESIGN, 'Elsewhere', 'two')
  await ben.succeed('POST /mark_all_as_read')
  const page = await stage.openAs(ben, '/channels/1?topic=one')
  const row = rowOf(page, 'Ada asks')
  await row.evaluate((element) => {
    ;(element as { isSame?: boolean }).isSame = true
  })

  await goTo(page, 'two')
  await rowOf(page, 'Elsewhere').waitFor()
  await row.waitFor({ state: 'hidden' })
  const edited = { content: 'Ada asks again' }
  await ada.succeed(`PATCH /messages/${first}`, edited)
  const second = await sendToChannel(ada, DESIGN, 'Ada waits', 'one')
  await page.locator('.pane-topic', { hasText: 'one' }).getByText('1', { exact: true }).waitFor()
  await page.locator('main').focus()
  await page.keyboard.press('k')
  await becomes(() => page.evaluate(() => document.activeElement?.textContent?.includes('Elsewhere')), true)
  const unread = await fetchMessage(ben, second)

  await goTo(page, 'one')
  await rowOf(page, 'Ada asks again').waitFor()
  await page.locator('.timeline-unread').waitFor()
  const [isSame, places] = [
    await row.evaluate((element) => (element as { isSame?: boolean }).isSame),
    await countOfPlaces(page),
  ]

  assert.deepEqual(unread.flags, [])
  await becomes(async () => (await fetchMessage(ben, second)).flags, ['read'])
  assert.deepEqual([isSame, places], [true, 2])
  await goTo(page, 'two')
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'one' }).waitFor()
  await becomes(() => page.locator('.timeline-place:not([data-kept]) .timeline-unread').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the page keeps the last three topics, and Back returns to the position in one of them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (let number = 1; number <= 60; number += 1) await sendToChannel(ada, DESIGN, `number ${number}.`, 'one')
  for (const topic of ['two', 'three', 'four']) await sendToChannel(ada, DESIGN, `In ${topic}`, topic)
  await ben.succeed('POST /mark_all_as_read')
  const page = await stage.openAs(ben, '/channels/1?topic=one')
  await rowOf(page, 'number 60.').waitFor()
  await rowOf(page, 'number 20.').scrollIntoViewIfNeeded()
  await becomes(() => page.getByRole('button', { name: 'Jump to latest' }).count(), 1)
  const topOf = async (text: string) => Math.round((await rowOf(page, text).boundingBox())?.y ?? 0)
  const top = await settles(() => topOf('number 20.'))

  await goTo(page, 'two')
  await rowOf(page, 'In two').waitFor()
  await page.goBack()
  await becomes(() => topOf('number 20.'), top)
  await goTo(page, 'two')
  await goTo(page, 'one')
  await becomes(() => rowOf(page, 'number 60.').isVisible(), true)
  await becomes(
    () =>
      page
        .locator('.timeline:not([data-kept] > *)')
        .evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 2),
    true,
  )

  for (const topic of ['three', 'four']) {
    await goTo(page, topic)
    await rowOf(page, `In ${topic}`).waitFor()
  }
  await becomes(() => countOfPlaces(page), 3)
  await becomes(() => page.locator('.timeline-place').filter({ hasText: 'In two' }).count(), 0)
  await page.setViewportSize({ width: 1200, height: 560 })
  await goTo(page, 'one')
  await becomes(
    () =>
      page
        .locator('.timeline:not([data-kept] > *)')
        .evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 2),
    true,
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a dialog, a menu and a card of a message close when the user goes to another topic', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, DESIGN, 'In one', 'one')
  await sendToChannel(ben, DESIGN, 'In two', 'two')
  const page = await stage.openAs(ben, '/channels/1?topic=one')
  await rowOf(page, 'In one').waitFor()
  await goTo(page, 'two')

  await rowOf(page, 'In two').focus()
  await page.keyboard.press('i')
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').waitFor()
  await page.goBack()
  await rowOf(page, 'In one').waitFor()
  await becomes(() => page.locator('[role="alertdialog"]').count(), 0)
  await rowOf(page, 'In one').locator('.message-sender').click()
  await page.getByRole('dialog').waitFor()
  await page.goForward()
  await rowOf(page, 'In two').waitFor()

  await becomes(() => page.locator('[role$="dialog"]').count(), 0)
  await rowOf(page, 'In two').focus()
  await page.keyboard.press('i')
  await page.getByRole('menuitem', { name: 'Remind me…' }).click()
  await page.getByRole('menuitem', { name: 'In 20 minutes' }).waitFor()
  await page.goBack()
  await rowOf(page, 'In one').waitFor()
  await becomes(() => page.locator('[role="menu"]').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

/** Returns a recording of silence, a WAV file with 8,000 bytes for each second. */
function silence(seconds: number): Buffer {
  const bytes = Buffer.alloc(44 + seconds * 8000, 128)
  bytes.write('RIFF')
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8000, 24)
  bytes.writeUInt32LE(8000, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(bytes.length - 44, 40)
  return bytes
}

test('a recording stops playing when the user goes to another topic', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const address = await upload(stage.chat, ada, { name: 'talk.wav', bytes: silence(60) })
  await sendToChannel(ada, DESIGN, `[talk.wav](${address})`, 'one')
  await sendToChannel(ada, DESIGN, 'In two', 'two')
  const page = await stage.openAs(ben, '/channels/1?topic=one')
  const isPaused = () => page.locator('audio').evaluate((player) => (player as HTMLAudioElement).paused)
  await page.locator('audio').evaluate((player) => (player as HTMLAudioElement).play())
  assert.equal(await isPaused(), false)

  await goTo(page, 'two')
  await rowOf(page, 'In two').waitFor()

  await becomes(isPaused, true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
