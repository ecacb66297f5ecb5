import assert from 'node:assert/strict'
import type { Page, Route } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'
import { untilDrawn } from './until-drawn.ts'

const box = (page: Page) => page.getByLabel(/^Message/)
const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click()

const topicField = (page: Page) => page.getByRole('combobox', { name: 'Topic' })

async function chooseChannel(page: Page, name: string): Promise<void> {
  await box(page).click()
  await page.getByRole('combobox', { name: 'Channel' }).click()
  await page.keyboard.type(name)
  await page.getByRole('option', { name }).click()
}

test('a message goes to the topic that was shown when it was started, whatever arrives meanwhile', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()
  await box(page).fill('a darker one, rather')

  await sendToChannel(ada, { name: 'design' }, 'Who comes to lunch?', 'lunch')
  await page.getByText('Who comes to lunch?').waitFor()
  await send(page)

  await page.locator('.message-content', { hasText: 'a darker one' }).waitFor()
  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.equal(messages[0].subject, 'colours')
  await stage.close()
})

test('a message that is started before the timeline loads goes to the topic that the compose box names', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/profile')
  const gate = Promise.withResolvers<void>()
  await page.route('**/json/messages?*', (route) => gate.promise.then(() => route.continue()))
  await page.goto('/channels/1')
  await becomes(() => box(page).getAttribute('placeholder'), 'Message #design › general chat')
  await box(page).fill('a darker one, rather')
  await becomes(() => topicField(page).inputValue(), '')

  gate.resolve()
  await page.getByText('warmer grey').waitFor()
  await untilDrawn(page)
  assert.equal(await topicField(page).inputValue(), '')
  await send(page)

  await page.locator('.message-content', { hasText: 'a darker one' }).waitFor()
  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.equal(messages[0].subject, 'general chat')
  await stage.close()
})

test('a message shows at once, and the compose box is free for the next one', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/json/messages', (route) => gate.promise.then(() => route.continue()))

  for (const text of ['one', 'two', 'three']) {
    await box(page).fill(text)
    await box(page).press('Control+Enter')
  }
  await box(page).fill('four')
  await becomes(() => page.locator('.outgoing-text').allTextContents(), ['one', 'two', 'three'])
  gate.resolve()

  await page.locator('.message-content', { hasText: /^three$/ }).waitFor()
  await becomes(() => page.locator('.outgoing').count(), 0)
  assert.equal(await box(page).inputValue(), 'four')
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA')
  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 3, num_after: 0 })
  assert.deepEqual(
    messages.map(({ content }: { content: string }) => content),
    ['<p>one</p>', '<p>two</p>', '<p>three</p>'],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message to another topic than the one in view leads there', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('border-radius').waitFor()

  await box(page).fill('a darker one, rather')
  await topicField(page).fill('colours')
  await send(page)

  await page.getByRole('heading', { level: 1, name: 'colours' }).waitFor()
  await page.locator('.message-content', { hasText: 'a darker one' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users who want to stay get a link to a message in another topic, and the next goes to the one in view', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', { web_navigate_to_sent_message: false })
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const topic = topicField(page)
  await page.getByText('border-radius').waitFor()

  await box(page).fill('a darker one, rather')
  await topic.fill('colours')
  await send(page)

  const confirmation = page.getByRole('region', { name: 'Notifications' })
  await confirmation.getByText('Sent to #design › colours.').waitFor()
  await becomes(() => topic.inputValue(), 'icons')
  await confirmation.getByRole('link', { name: 'View' }).click()
  await page.getByRole('heading', { level: 1, name: 'colours' }).waitFor()
  await page.locator('.message-content', { hasText: 'a darker one' }).waitFor()
  await becomes(() => confirmation.getByText('Sent to').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a sent message is no draft, even if the user left before the response', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('border-radius').waitFor()
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/json/messages', async (route) => {
    await isReleased
    await route.continue()
  })

  await box(page).fill('on its way')
  await box(page).press('Control+Enter')
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  const sent = page.waitForResponse('**/json/messages')
  release()
  await sent
  await page.goBack()
  await page.locator('.message-content', { hasText: 'on its way' }).waitFor()

  await becomes(() => box(page).inputValue(), '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users who go on before the server has confirmed a message stay where they are', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('border-radius').waitFor()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/json/messages', async (route) => {
    await released
    await route.continue()
  })

  await box(page).fill('on its way')
  await box(page).press('Control+Enter')
  await page.locator('.outgoing', { hasText: 'on its way' }).waitFor()
  await page
    .getByRole('link', { name: /^colours/ })
    .first()
    .click()
  await page.getByText('warmer grey').waitFor()
  const sent = page.waitForResponse('**/json/messages')
  release()
  await sent
  await sendToChannel(ada, { name: 'design' }, 'meanwhile', 'colours')

  await page.locator('.message-content', { hasText: 'meanwhile' }).waitFor()
  await becomes(() => page.getByText('Sent to').count(), 0)
  await page.goBack()
  await page.locator('.message-content', { hasText: 'on its way' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a draft keeps its channel, and is not sent elsewhere after unsubscribing', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/combined')
  await chooseChannel(page, 'engines')
  await topicField(page).fill('plans')
  await box(page).fill('for engines alone')

  await page.reload()
  await page.getByLabel('Message engines').waitFor()
  await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['engines'] })
  await page.locator('a.pane-link[href="/channels/2"]').waitFor({ state: 'detached' })
  await send(page)
  await page.getByText('You’re no longer subscribed to this channel.').first().waitFor()
  await ben.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'random' }] })
  await chooseChannel(page, 'random')
  await send(page)

  await page.locator('.message-content', { hasText: 'for engines alone' }).waitFor()
  const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.equal(messages[0].display_recipient, 'random')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('drafts are not shown to the next user of the browser', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await box(page).fill('Ada must not know')
  await page.waitForFunction(() => JSON.stringify(localStorage).includes('must not know'))

  await stage.signIn(page, ada)
  await page.goto('/channels/1')
  await page.getByText('warmer grey').waitFor()

  await becomes(() => box(page).inputValue(), '')
  await stage.close()
})

test('the longest message of any script is sent', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()
  const text = '数'.repeat(9_999)

  await box(page).fill(`${text}😀`)
  await send(page)

  await page.locator('.message-content', { hasText: text }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('selected text is formatted by buttons and shortcuts, can be undone, and is previewed', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  const format = page.getByRole('toolbar', { name: 'Format' })
  await page.getByText('warmer grey').waitFor()
  await box(page).fill('a darker grey')

  await box(page).press('Shift+Control+ArrowLeft')
  await page.keyboard.press('Control+b')
  await becomes(() => box(page).inputValue(), 'a darker **grey**')
  await page.keyboard.press('Control+z')
  await becomes(() => box(page).inputValue(), 'a darker grey')
  await box(page).press('Control+a')
  await format.getByRole('button', { name: 'Bold' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await becomes(() => box(page).inputValue(), '*a darker grey*')
  await becomes(() => page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA')

  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('region', { name: 'Preview' }).getByText('a darker grey').waitFor()
  await becomes(() => page.getByRole('region', { name: 'Preview' }).locator('em').count(), 1)
  await becomes(() => box(page).isVisible(), true)
  await page.getByRole('button', { name: 'Close preview' }).click()
  await becomes(() => box(page).inputValue(), '*a darker grey*')
  await page.getByRole('button', { name: 'Preview' }).click()
  await send(page)
  await page.getByRole('region', { name: 'Preview' }).waitFor({ state: 'detached' })
  await page.locator('.message-content em', { hasText: 'a darker grey' }).waitFor()
  await box(page).pressSequentially('an')
  await becomes(() => box(page).inputValue(), 'an')

  await page.evaluate(() => {
    const html = '<p>as <a href="https://example.com/x">they</a> <b>say</b></p>'
    return navigator.clipboard.write([new ClipboardItem({ 'text/html': html, 'text/plain': 'as they say' })])
  })
  await box(page).fill('')
  await page.keyboard.press('Control+v')
  await becomes(() => box(page).inputValue(), 'as [they](https://example.com/x) **say**')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+Shift+v')
  await becomes(() => box(page).inputValue(), 'as they say')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an emoji is found by name and inserted by keyboard alone', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()
  await box(page).fill('donenow')
  for (let step = 0; step < 3; step++) await box(page).press('ArrowLeft')

  await page.getByRole('button', { name: 'Emoji', exact: true }).press('Enter')
  await page.getByLabel('Search emoji').fill('tada')
  await page.getByRole('option', { name: 'tada' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
  await page.keyboard.type('and ')

  await becomes(() => box(page).inputValue(), 'done :tada: and now')
  await page.getByRole('button', { name: 'Emoji', exact: true }).press('Enter')
  await page.getByRole('option', { name: 'tada' }).waitFor()
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Emoji')
  await send(page)
  await page.locator('.message-content', { hasText: 'and now' }).locator('.emoji').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('uploaded files are linked after the text, and sending waits for them', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  const files = page.locator('input[type=file]')
  const gate = Promise.withResolvers<void>()
  const hold = (route: Route) => gate.promise.then(() => route.continue())
  await page.route('**/json/user_uploads', hold)
  await page.getByText('warmer grey').waitFor()
  await box(page).fill('the plan')

  await files.setInputFiles({ name: 'plan[1].txt', mimeType: 'text/plain', buffer: Buffer.from('one') })
  await page.getByRole('progressbar', { name: 'Uploading plan[1].txt' }).waitFor()
  await box(page).press('End')
  await page.keyboard.type(', at last')
  await box(page).press('Control+Enter')
  await becomes(() => page.getByRole('button', { name: 'Send', exact: true }).isDisabled(), true)
  gate.resolve()
  await page.getByRole('button', { name: 'Remove plan1.txt' }).waitFor()
  await becomes(() => box(page).inputValue(), 'the plan, at last')
  await send(page)
  const link = page.locator('.message-content a', { hasText: 'plan1.txt' })
  assert.match((await link.getAttribute('href')) ?? '', /^\/user_uploads\//)

  await page.unroute('**/json/user_uploads', hold)
  await page.route('**/json/user_uploads', (route) =>
    route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Your quota is used up' } }),
  )
  await files.setInputFiles({ name: 'more.txt', mimeType: 'text/plain', buffer: Buffer.from('two') })
  await page.getByText('Your quota is used up', { exact: true }).waitFor()
  await box(page).fill('with more')
  await box(page).press('Control+Enter')
  await page.getByText('Retry or remove the files that couldn’t be uploaded.').waitFor()
  await becomes(() => box(page).inputValue(), 'with more')
  await page.getByRole('button', { name: 'Remove more.txt' }).click()
  await box(page).press('Control+Enter')
  await page.locator('.message-content', { hasText: /^with more$/ }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
