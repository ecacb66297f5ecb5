import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { readOwn, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const names = (page: Page) => () =>
  page.locator('.conversation-name').evaluateAll((all) => all.map(({ textContent }) => textContent?.trim()))

test('the topics of a channel are listed, filtered and acted on', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, 'Done with it', '✔ fonts')
  await ben.succeed('POST /user_topics', { stream_id: 1, topic: 'icons', visibility_policy: 3 })
  await readOwn(ben)
  const page = await stage.openAs(ben, '/channels/1/topics')

  await becomes(names(page), ['fonts', 'colours', 'icons'])
  await page.getByRole('link', { name: /fonts.*Ada: Done with it/ }).waitFor()
  assert.deepEqual(await inspect(page, 'topics'), [])
  for (const [filter, shown] of [
    ['Resolved', ['fonts']],
    ['Unresolved', ['colours', 'icons']],
    ['Followed', ['colours', 'icons']],
    ['Unread', ['fonts', 'icons']],
    ['All', ['fonts', 'colours', 'icons']],
  ] as const) {
    await page.getByRole('button', { name: filter, exact: true }).click()
    await becomes(names(page), [...shown])
  }
  await page.getByRole('searchbox', { name: 'Filter topics' }).fill('zebra')
  await page.getByRole('heading', { name: 'No matching topics' }).waitFor()
  await page.getByRole('button', { name: 'Show all topics' }).last().click()

  await page.getByRole('link', { name: /^Resolved fonts/ }).focus()
  await page.keyboard.press('r')
  await page.getByText('1 message marked as read').waitFor()
  await page.getByRole('button', { name: 'Actions for topic colours' }).click()
  await page.getByRole('menuitem', { name: 'Resolve topic' }).click()
  await page.getByRole('link', { name: /^Resolved colours/ }).waitFor()
  await page.getByRole('button', { name: 'New topic', exact: true }).click()
  await becomes(() => page.locator('input[name="topic"]').evaluate((field) => document.activeElement === field), true)
  await page.keyboard.type('shapes')
  await page.getByLabel('Message design').fill('Circles')
  await page.keyboard.press('Control+Enter')
  await page.locator('.message-content', { hasText: 'Circles' }).waitFor()

  const { topics } = await ben.succeed('GET /users/me/1/topics')
  assert.deepEqual((topics as { name: string }[]).map(({ name }) => name).includes('shapes'), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message without a topic goes to general chat, unless the organization requires topics', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/2')
  await page.getByText('It is the cache').waitFor()
  const start = async (text: string) => {
    await page.locator('.pane-row', { hasText: 'engines' }).first().hover()
    await page.getByRole('button', { name: 'New topic in engines' }).click()
    await becomes(() => page.locator('input[name="topic"]').inputValue(), '')
    await page.getByLabel('Message engines').fill(text)
    await page.keyboard.press('Control+Enter')
  }

  await start('Just chatting')
  await page.locator('.message-content', { hasText: 'Just chatting' }).waitFor()
  await page.getByRole('heading', { level: 2 }).getByRole('link', { name: 'general chat' }).waitFor()
  await ada.succeed('PATCH /realm', { mandatory_topics: true })
  await becomes(() => page.locator('input[name="topic"]').getAttribute('placeholder'), 'Topic')
  await start('Without a topic')

  await page.getByText('Add a topic.').first().waitFor()
  assert.equal(await page.locator('.message-content', { hasText: 'Without a topic' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the compose box uses the topic limit of the server', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openWindow()
  await page.route('**/json/register', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), max_topic_length: 10 } })
  })
  await stage.signIn(page, ada)
  await page.goto('/channels/1')

  await page.getByLabel(/^Message/).focus()
  await page.getByRole('combobox', { name: 'Topic' }).fill('a'.repeat(11))
  await page.getByText('Use at most 10 characters.', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Topic' }).fill('a'.repeat(10))
  await becomes(() => page.getByText('Use at most 10 characters.', { exact: true }).count(), 0)

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a topic that was merged or resolved while its channel was closed is gone from the sidebar, also after a reload', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const first = await sendToChannel(ada, { name: 'design' }, 'Lines or dots?', 'grids')
  const second = await sendToChannel(ada, { name: 'design' }, 'On Monday', 'launch')
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const topics = async () =>
    (await page.locator('.pane-topics .pane-link').allInnerTexts()).map((text) => text.trim().split('\n')[0])
  await becomes(topics, ['launch', 'grids', 'colours', 'icons'])
  await page
    .getByRole('link', { name: /^Inbox/ })
    .first()
    .click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()

  await ada.succeed(`PATCH /messages/${first}`, { topic: 'icons', propagate_mode: 'change_all' })
  await ada.succeed(`PATCH /messages/${second}`, { topic: '✔ launch', propagate_mode: 'change_all' })
  await becomes(async () => (await names(page)()).join().match(/grids|launch/g), ['launch'])
  await page.goBack()

  await becomes(topics, ['launch', 'icons', 'colours'])
  await page.reload()
  await becomes(topics, ['launch', 'icons', 'colours'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
