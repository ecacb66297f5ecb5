import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import type { OutgoingMessage } from '../../web/messages/outgoing.ts'
import type { Person } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { readStore } from './browser-database.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const TOPIC = '/channels/1?topic=colours'

const box = (page: Page) => page.getByLabel(/^Message/)
const rows = (page: Page) => page.locator('.outgoing-text')

async function write(page: Page, text: string): Promise<void> {
  await box(page).fill(text)
  await box(page).press('Control+Enter')
}

/** Lets messages be sent again. The page tries at once, rather than after its pause, which may be half a minute. */
async function reconnect(page: Page, routes: Page | BrowserContext = page): Promise<void> {
  await routes.unroute('**/json/messages')
  await page.evaluate(() => dispatchEvent(new Event('online')))
}

/** Returns the texts of the unsent messages in the browser's database. */
const storedTexts = async (page: Page, { id }: Person): Promise<string[]> =>
  (await readStore(page, { database: `parley.${id}`, store: 'outgoing', reads: 'getAll' }))
    .map((message) => message as OutgoingMessage)
    .sort((one, other) => one.writtenAt - other.writtenAt)
    .map(({ text }) => text)

/** Returns the newest messages of the topic as a person reads them. */
async function newest(person: Person, count: number): Promise<string[]> {
  const narrow = [
    { operator: 'channel', operand: 1 },
    { operator: 'topic', operand: 'colours' },
  ]
  const range = { anchor: 'newest', num_before: count, num_after: 0, narrow, apply_markdown: false }
  const { messages } = await person.succeed('GET /messages', range)
  return messages.map(({ content }: { content: string }) => content)
}

test('messages that were not sent before a reload are sent after it, once and in order', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  await page.getByText('warmer grey').waitFor()

  await page.route('**/json/messages', (route) => route.abort())
  await write(page, 'first')
  await write(page, 'second')
  await becomes(() => rows(page).allTextContents(), ['first', 'second'])
  await page.getByText('waiting for the connection').first().waitFor()
  await becomes(() => storedTexts(page, ben), ['first', 'second'])
  await page.reload()
  await becomes(() => rows(page).allTextContents(), ['first', 'second'])
  await reconnect(page)

  await becomes(() => rows(page).count(), 0)
  assert.deepEqual((await newest(ada, 3)).slice(1), ['first', 'second'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message that was written in a feed is shown there with its destination until it is sent', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, 'The last one', 'colours')
  const page = await stage.openAs(ben, '/combined')
  await page.getByText('The last one').waitFor()

  await page.route('**/json/messages', (route) => route.abort())
  await page.locator('.message', { hasText: 'The last one' }).hover()
  await page.getByRole('button', { name: 'Reply', exact: true }).click()
  await page.keyboard.type('From the feed')
  await page.keyboard.press('Control+Enter')
  await becomes(() => rows(page).allTextContents(), ['From the feed'])
  await page.locator('.outgoing', { hasText: '#design › colours' }).waitFor()
  await becomes(() => storedTexts(page, ben), ['From the feed'])
  for (const [path, shown] of [
    ['/mentions', 1],
    ['/direct-messages', 0],
  ] as const) {
    await page.goto(path)
    await page.locator('.chat-header').waitFor()
    await becomes(() => rows(page).count(), shown)
  }
  await page.goto('/combined')
  await reconnect(page)

  await page.locator('.message-content', { hasText: 'From the feed' }).waitFor()
  await becomes(() => rows(page).count(), 0)
  assert.deepEqual(await newest(ada, 1), ['From the feed'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message whose response was lost is not sent twice', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openWindow()
  const gate = Promise.withResolvers<void>()
  // Without events, only a response confirms the message.
  await page.route('**/json/events?*', (route) => gate.promise.then(() => route.continue()))
  await stage.signIn(page, ben)
  await page.goto(TOPIC)
  await page.getByText('warmer grey').waitFor()
  let lost = 0
  await page.route(
    '**/json/messages',
    async (route) => {
      await route.fetch()
      lost += 1
      await route.abort()
    },
    { times: 2 },
  )

  const response = page.waitForResponse('**/json/messages')
  await write(page, 'only once')
  await response
  gate.resolve()

  await page.locator('.message-content', { hasText: 'only once' }).waitFor()
  await becomes(() => rows(page).count(), 0)
  assert.equal(lost, 2)
  assert.deepEqual(
    (await newest(ada, 3)).filter((text) => text === 'only once'),
    ['only once'],
  )
  await stage.close()
})

test('a refused message stays with its reason, and can be sent again, edited and deleted', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  await page.getByText('warmer grey').waitFor()
  const refusal = { result: 'error', code: 'BAD_REQUEST', msg: 'Not now, please' }
  await page.route('**/json/messages', (route) => route.fulfill({ status: 400, json: refusal }))
  for (const text of ['once more', 'reworded', 'dropped']) await write(page, text)
  await becomes(() => page.getByText('Not now, please').count(), 3)
  const row = (text: string) => page.locator('.outgoing', { hasText: text })
  await page.unroute('**/json/messages')
  await page.reload()
  await becomes(() => page.getByText('Not now, please').count(), 3)

  await row('once more').getByRole('button', { name: 'Try again' }).click()
  await row('dropped').getByRole('button', { name: 'Delete' }).click()
  await row('reworded').getByRole('button', { name: 'Edit' }).click()
  await becomes(() => box(page).inputValue(), 'reworded')
  await write(page, 'better words')

  await page.locator('.message-content', { hasText: 'better words' }).waitFor()
  await becomes(() => rows(page).count(), 0)
  assert.deepEqual((await newest(ada, 3)).slice(1), ['once more', 'better words'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on phones, a refused message shows its actions above the compose box', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (let count = 1; count <= 12; count += 1) await sendToChannel(ada, { name: 'design' }, `shade ${count}`, 'colours')
  const page = await stage.openAs(ben, TOPIC, { width: 390, height: 640 })
  await page.getByText('shade 12').waitFor()
  const refusal = { result: 'error', code: 'BAD_REQUEST', msg: 'Not now, please' }
  await page.route('**/json/messages', (route) => route.fulfill({ status: 400, json: refusal }))

  await write(page, 'in vain')
  const last = page.locator('.outgoing').getByRole('button', { name: 'Delete' })
  await last.waitFor()

  const isAbove = async () => {
    const [button, field] = [await last.boundingBox(), await page.locator('.composer').boundingBox()]
    return button !== null && field !== null && button.y + button.height <= field.y
  }
  await becomes(isAbove, true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message that waits in a tab that is closed is sent by another one', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  const other = await page.context().newPage()
  await other.goto(TOPIC)
  for (const one of [page, other]) await one.getByText('warmer grey').waitFor()
  const context = page.context()

  await context.route('**/json/messages', (route) => route.abort())
  await write(page, 'from the other tab')
  await becomes(() => rows(other).allTextContents(), ['from the other tab'])
  await page.close()
  await reconnect(other, context)

  await other.locator('.message-content', { hasText: 'from the other tab' }).waitFor()
  await becomes(() => rows(other).count(), 0)
  assert.deepEqual(await newest(ada, 1), ['from the other tab'])
  await stage.close()
})

test('a message that is deleted or moved just after it was sent disappears from its conversation', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, TOPIC)
  await write(page, 'The password is orange')
  await write(page, 'In the wrong place')
  await becomes(() => newest(ada, 2), ['The password is orange', 'In the wrong place'])
  const narrow = [
    { operator: 'channel', operand: 1 },
    { operator: 'topic', operand: 'colours' },
  ]
  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 2, num_after: 0, narrow })
  const [secret, misplaced] = messages as { id: number }[]

  await ada.succeed(`DELETE /messages/${secret!.id}`)
  await ada.succeed(`PATCH /messages/${misplaced!.id}`, {
    ...{ topic: 'icons', propagate_mode: 'change_one' },
    ...{ send_notification_to_new_thread: false, send_notification_to_old_thread: false },
  })

  await becomes(() => page.getByText('The password is orange').count(), 0)
  await becomes(() => page.getByText('In the wrong place').count(), 0)
  await stage.close()
})
