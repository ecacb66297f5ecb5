import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { holdFeed } from './hold-feed.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

test('a channel without messages is ready to be written to', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await stage.chat.channel('harbor', [ada])
  const page = await stage.openAs(ada, '/inbox')
  const isWriting = () => page.evaluate(() => document.activeElement?.matches('textarea') === true)

  await page.getByRole('link', { name: 'harbor' }).first().click()
  await page.getByText('No messages yet').waitFor()
  await becomes(isWriting, true)
  await page.keyboard.type('Hello everyone')
  await becomes(() => page.getByLabel(/^Message/).inputValue(), 'Hello everyone')
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  // The channel is loaded already.
  await page.getByRole('link', { name: 'harbor' }).first().click()
  await becomes(isWriting, true)
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('link', { name: 'design' }).first().click()
  await page.locator('.message-content').first().waitFor()
  await becomes(() => page.evaluate(() => document.activeElement?.tagName), 'MAIN')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the header has the buttons of the shown channel only, after any number of channels', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('PATCH /settings', { web_channel_default_view: 2 })
  const page = await stage.openAs(ada, '/inbox')
  const header = page.getByRole('main').locator('header').first()
  const names = () => header.getByRole('button').evaluateAll((buttons) => buttons.map((one) => one.ariaLabel))

  for (const name of ['engines', 'board', 'design']) {
    await page.getByRole('navigation').getByRole('link', { name }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await becomes(names, [
      'Mute channel',
      `All topics of #${name}`,
      `Search #${name}`,
      'People',
      `Actions for channel ${name}`,
    ])
  }
  await button(page, 'Mute channel').click()
  await button(page, 'Unmute channel').waitFor()

  const { subscriptions } = await ada.succeed('GET /users/me/subscriptions')
  const muted = subscriptions.filter(({ is_muted }: { is_muted: boolean }) => is_muted)
  assert.deepEqual(
    muted.map(({ name }: { name: string }) => name),
    ['design'],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on a slow network, a click on a channel selects it at once, and its feed opens until its topics are loaded', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/drafts')
  const channel = page.locator('.pane-channel', { hasText: 'engines' }).getByRole('link').first()
  await channel.waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/users/me/*/topics*', async (route) => {
    await gate.promise
    await route.continue()
  })

  const openFeed = await holdFeed(page)
  await channel.click()
  await becomes(() => channel.getAttribute('aria-current'), 'page')
  assert.equal(await page.locator('.pane [aria-current="page"]').count(), 1)
  await openFeed()
  await page.getByRole('heading', { level: 1, name: 'engines' }).waitFor()
  await page.getByText('It is the cache').waitFor()
  gate.resolve()
  await page.locator('.pane-topic', { hasText: 'slow start' }).waitFor()

  assert.equal(new URL(page.url()).search, '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on a slow network, the compose box of a channel is there at once, and keeps the focus and the text', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/users/me/*/topics*', async (route) => {
    await gate.promise
    await route.continue()
  })
  await holdFeed(page)
  const box = page.getByLabel('Message engines', { exact: true })

  await page.locator('.pane-channel', { hasText: 'engines' }).getByRole('link').first().click()
  await page.getByRole('heading', { level: 1, name: 'engines' }).waitFor()
  await page.getByText('Loading messages').waitFor()
  await box.click()
  await page.keyboard.type('al')
  gate.resolve()
  await page.getByText('It is the cache').waitFor()
  await page.keyboard.type('so')

  await becomes(() => box.inputValue(), 'also')
  assert.equal(await box.evaluate((text) => text === document.activeElement), true)
  assert.equal(new URL(page.url()).search, '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the compose box of a channel suggests no topic in which only the server’s bots wrote', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const hall = await stage.chat.channel('hall', [ada])
  await ada.succeed('PATCH /realm', { new_stream_announcements_stream_id: hall.id })
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'attic' }], announce: true })
  const page = await stage.openAs(ada, `/channels/${hall.id}`)
  const topic = page.getByRole('combobox', { name: 'Topic' })

  await page.locator('.message-content', { hasText: 'created' }).waitFor()
  await page.getByLabel(/^Message/).focus()
  await topic.waitFor()

  await becomes(() => topic.inputValue(), '')
  await sendToChannel(ada, hall, 'Welcome to the hall', 'greetings')
  await page.locator('.message-content', { hasText: 'Welcome to the hall' }).waitFor()
  await becomes(() => topic.inputValue(), 'greetings')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a click on a channel whose latest topic was moved away opens the next topic', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  const channel = (name: string) => page.locator('.pane-channel', { hasText: name }).getByRole('link').first()
  await page.locator('.pane-topic', { hasText: 'colours' }).waitFor()
  await holdFeed(page)
  await channel('engines').click()
  await page.getByRole('heading', { level: 1, name: 'slow start' }).waitFor()
  const { messages } = await ada.succeed('GET /messages', {
    ...{ anchor: 'newest', num_before: 1, num_after: 0, narrow: [{ operator: 'channel', operand: 1 }] },
  })

  await ada.succeed(`PATCH /messages/${messages[0].id}`, {
    ...{ stream_id: 2, propagate_mode: 'change_all' },
    ...{ send_notification_to_old_thread: false, send_notification_to_new_thread: false },
  })
  await page.locator('.pane-topic', { hasText: 'colours' }).waitFor()
  await channel('design').click()

  await page.getByRole('heading', { level: 1, name: 'icons' }).waitFor()
  await page.getByText('Round, please').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a click on a channel opens the latest topic in which people write, rather than one of the server’s bots', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('PATCH /streams/1', { description: 'Sketches and icons' })
  const page = await stage.openAs(ada, '/drafts')
  const channel = (name: string) => page.locator('.pane-channel', { hasText: name }).getByRole('link').first()

  await holdFeed(page)
  await channel('design').click()
  await page.getByRole('heading', { level: 1, name: 'colours' }).waitFor()
  await becomes(
    () => page.locator('.pane-topic .pane-link-name').allTextContents(),
    ['channel events', 'colours', 'icons'],
  )
  const { messages } = await ada.succeed('GET /messages', {
    ...{ anchor: 'newest', num_before: 1, num_after: 0 },
    narrow: [{ operator: 'topic', operand: 'colours' }],
  })
  await ada.succeed(`PATCH /messages/${messages[0].id}`, {
    ...{ stream_id: 2, propagate_mode: 'change_all' },
    ...{ send_notification_to_old_thread: true, send_notification_to_new_thread: false },
  })
  await page.goto('/combined')
  await page.getByText('This topic was moved to').waitFor()
  await holdFeed(page)
  await channel('design').click()

  await page.getByRole('heading', { level: 1, name: 'icons' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
