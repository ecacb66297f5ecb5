import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { rowOf } from './message-row.ts'
import { openStage } from './stage.ts'

const hasHead = (page: Page, text: string) => rowOf(page, text).locator('.message-avatar').count()
const topOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().top)

test('messages of one sender share a head for ten minutes, and each day has a divider', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const design = { name: 'design' }
  await sendToChannel(ada, design, 'first thought', 'paper')
  await sendToChannel(ada, design, 'second thought', 'paper')
  await stage.chat.clock.advance(601)
  await sendToChannel(ada, design, 'late thought', 'paper')
  await sendToChannel(ben, design, 'other thought', 'paper')
  await stage.chat.clock.advance(86_400)
  await sendToChannel(ben, design, 'next morning', 'paper')
  const page = await stage.openAs(ada, '/channels/1?topic=paper')
  await rowOf(page, 'next morning').waitFor()

  for (const text of ['first', 'second', 'late', 'other']) await rowOf(page, `${text} thought`).waitFor()
  const heads = () => Promise.all(['first', 'second', 'late', 'other', 'next'].map((text) => hasHead(page, `${text} `)))
  await becomes(heads, [1, 0, 1, 1, 1])
  await becomes(() => page.locator('.timeline-day').count(), 2)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('marks of grouped messages take no line of their own, and are read with the message', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const design = { name: 'design' }
  const ids: number[] = []
  for (const text of ['first', 'plain', 'marked', 'last']) ids.push(await sendToChannel(ben, design, text, 'paper'))
  await ben.succeed(`PATCH /messages/${ids[2]}`, { content: 'marked twice' })
  await ada.succeed('POST /messages/flags', { messages: [ids[0], ids[2]], op: 'add', flag: 'starred' })
  const page = await stage.openAs(ada, '/channels/1?topic=paper')
  const heightOf = (text: string) => rowOf(page, text).evaluate((row) => row.getBoundingClientRect().height)
  const marked = rowOf(page, 'marked twice')
  await marked.waitFor()

  await becomes(() => marked.locator('.message-gutter .icon').count(), 2)
  await becomes(async () => (await heightOf('marked twice')) - (await heightOf('plain')), 0)
  await marked.hover()
  await becomes(() => marked.locator('.message-gutter time').isVisible(), true)
  await becomes(async () => (await heightOf('marked twice')) - (await heightOf('plain')), 0)
  assert.match((await marked.locator('.message-head').textContent()) ?? '', /edited.*Starred/)
  await rowOf(page, 'first').getByText('Starred').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the bar of a conversation sticks to the top of a feed while its messages are in view', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (let at = 1; at <= 40; at++) await sendToChannel(ada, { name: 'design' }, `number ${at}`, 'paper')
  await ben.succeed('POST /mark_all_as_read')
  const page = await stage.openAs(ben, '/combined')
  await rowOf(page, 'number 40').waitFor()

  const bar = page.locator('.timeline-bar', { hasText: 'paper' })
  await bar.getByText('Today').waitFor()
  await becomes(() => bar.getByRole('link').allTextContents(), ['design', 'paper'])
  const top = await topOf(page, '.timeline')
  const distance = async () => Math.round((await bar.evaluate((one) => one.getBoundingClientRect().top)) - top)
  await becomes(distance, 0)
  await page.locator('.timeline-rows[aria-busy="false"]').waitFor()
  await page.mouse.move(700, 300)
  await page.mouse.wheel(0, -300)
  await becomes(() => page.getByRole('button', { name: 'Jump to latest' }).count(), 1)
  await becomes(distance, 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the toolbar of a message offers the reactions that the user added last', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  const round = rowOf(page, 'Round, please')

  await round.hover()
  await round.getByRole('button', { name: 'React with tada' }).click()
  await round.getByRole('list', { name: 'Reactions' }).getByRole('button', { name: /tada/ }).waitFor()
  await rowOf(page, 'warmer grey').hover()
  const quick = rowOf(page, 'warmer grey').getByRole('button', { name: /^React with/ })
  await becomes(
    () => quick.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label'))),
    ['React with tada', 'React with +1', 'React with heart'],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a double click beside the text of a message replies, and one on a word selects it', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const text = rowOf(page, 'Round, please').locator('.message-content p')
  const isWriting = () => page.evaluate(() => document.activeElement?.matches('.composer textarea') ?? false)
  await text.waitFor()
  const { width, height } = (await text.boundingBox())!

  await text.dblclick({ position: { x: 20, y: height / 2 } })
  await becomes(() => page.evaluate(() => getSelection()?.toString().trim()), 'Round')
  assert.equal(await isWriting(), false)
  await text.dblclick({ position: { x: width - 20, y: height / 2 } })
  await becomes(isWriting, true)
  await becomes(() => page.evaluate(() => getSelection()?.rangeCount === 0 || getSelection()?.isCollapsed), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
