import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { followsNothing, readOwn, sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { resize } from './resize.ts'
import { openStage } from './stage.ts'

const names = (page: Page) => () =>
  page
    .locator('.conversation-name')
    .evaluateAll((all) => all.map(({ textContent }) => textContent?.trim().replace(/\s+/g, ' ')))

const choose = (page: Page, filter: string) => page.getByRole('button', { name: filter, exact: true }).click()

test('previews keep spoilers hidden, and show the questions of polls, and formulas once', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, '```spoiler The ending\nThe butler did it\n```', 'films')
  await sendToChannel(ada, { name: 'design' }, '/poll Where do we eat?\nSoup\nRice', 'lunch')
  await sendToChannel(ada, { name: 'design' }, 'So $$x^2$$', 'sums')
  const page = await stage.openAs(ben, '/inbox')

  for (const path of ['/inbox', '/recent', '/channels/1/topics']) {
    await page.goto(path)
    for (const text of ['The ending (hidden)', 'Poll: Where do we eat?', 'So x^2'])
      await page.locator('.conversation-preview', { hasText: text }).waitFor()
    assert.equal(await page.getByText('butler').count(), 0)
  }
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('j and k move in the inbox and in Recent, muted topics are shown on request, and Escape goes home', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ben.succeed('POST /mark_all_as_read')
  await ben.succeed('POST /user_topics', { stream_id: 1, topic: 'icons', visibility_policy: 1 })
  for (const topic of ['icons', 'lunch', 'films']) await sendToChannel(ada, { name: 'design' }, 'hello', topic)
  const page = await stage.openAs(ben, '/inbox')
  const here = () =>
    page.evaluate(() => document.activeElement?.querySelector('.conversation-name')?.textContent?.trim())

  await becomes(names(page), ['films', 'lunch'])
  await page.keyboard.press('j')
  await becomes(here, 'films')
  await page.keyboard.press('j')
  await becomes(here, 'lunch')
  await page.keyboard.press('k')
  await becomes(here, 'films')
  await choose(page, 'All')
  await becomes(names(page), ['films', 'lunch', 'icons'])
  await choose(page, 'Unread')

  await page
    .getByRole('link', { name: /^Recent/ })
    .first()
    .click()
  await page.getByRole('heading', { level: 1, name: 'Recent' }).waitFor()
  await page.keyboard.press('j')
  await becomes(here, 'design › films')
  await page.keyboard.press('Control+[')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.keyboard.press('d')
  await page.getByRole('heading', { level: 1, name: 'Drafts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await ben.succeed('PATCH /settings', { web_escape_navigates_to_home_view: false })
  await page.goto('/starred')
  await page.getByRole('heading', { level: 1, name: 'Starred' }).waitFor()
  await page.keyboard.press('Control+[')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('Recent shows who wrote in a topic, and drops a topic that is muted', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/recent')
  const topic = page.locator('.conversation-item', { hasText: 'icons' })

  await topic.getByTitle('Cleo Hopper, Ada Lovelace').waitFor()
  await topic.click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Mute topic' }).click()

  await topic.waitFor({ state: 'detached' })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the inbox is filtered, folded, and read by keyboard with an undo', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', followsNothing)
  await sendToChannel(ben, { name: 'design' }, 'me too', 'lunch')
  await sendToChannel(cleo, { name: 'design' }, 'pizza', 'lunch')
  await sendDirect(cleo, [ben], 'a word')
  await ben.succeed('POST /user_topics', { stream_id: 1, topic: 'icons', visibility_policy: 3 })
  await sendToChannel(ada, { name: 'engines' }, '@**Ben Bitdiddle** look', 'slow start')
  await readOwn(ben)
  const page = await stage.openAs(ben, '/inbox')
  const all = ['Cleo Hopper', 'lunch', 'icons', 'slow start']
  await becomes(names(page), all)

  for (const [filter, shown] of [
    ['Participated', ['Cleo Hopper', 'lunch', 'slow start']],
    ['Followed', ['icons', 'slow start']],
    ['Mentions', ['slow start']],
    ['Direct', ['Cleo Hopper']],
  ] as const) {
    await choose(page, filter)
    await becomes(names(page), [...shown])
  }
  await page.reload()
  await becomes(names(page), ['Cleo Hopper'])
  await choose(page, 'Unread')
  await page.getByRole('searchbox', { name: 'Filter conversations' }).fill('desi lu')
  await becomes(names(page), ['lunch'])
  await page.getByRole('searchbox', { name: 'Filter conversations' }).fill('zebra')
  await page.getByRole('button', { name: 'Show all unread' }).click()
  await becomes(names(page), all)

  const fold = page.getByRole('button', { name: 'Conversations in design' })
  await fold.focus()
  await page.keyboard.press('ArrowLeft')
  await becomes(names(page), ['Cleo Hopper', 'slow start'])
  await page.reload()
  await becomes(names(page), ['Cleo Hopper', 'slow start'])
  await fold.focus()
  await page.keyboard.press('ArrowRight')
  await becomes(names(page), all)
  assert.deepEqual(await inspect(page, 'inbox-sections'), [])

  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('r')
  await page.getByText('1 message marked as read').waitFor()
  await becomes(names(page), ['Cleo Hopper', 'icons', 'slow start'])
  await becomes(
    () => page.evaluate(() => document.activeElement?.querySelector('.conversation-name')?.textContent?.trim()),
    'icons',
  )
  await page.getByRole('button', { name: 'Undo' }).click()
  await becomes(names(page), all)
  await page.getByRole('button', { name: 'Mark design as read' }).click()
  await becomes(names(page), ['Cleo Hopper', 'slow start'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the inbox keeps its rows and its focus when the window becomes as narrow as a phone, where folded sections can be unfolded', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'engines' }, 'news', 'numbers')
  const page = await stage.openAs(ben, '/inbox')
  const [wide, phone] = [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  const row = await page.getByRole('link', { name: /numbers/ }).elementHandle()
  const isFocused = () => row?.evaluate((link) => link === document.activeElement)

  await page
    .locator('.inbox')
    .getByRole('link', { name: /numbers/ })
    .focus()
  await resize(page, phone)
  assert.equal(await isFocused(), true)
  await resize(page, wide)
  assert.equal(await isFocused(), true)

  for (const name of ['Conversations in engines', 'Mark engines as read']) {
    await page.getByRole('button', { name }).focus()
    await resize(page, phone)
    assert.equal(await focused(), name)
    await resize(page, wide)
    assert.equal(await focused(), name)
  }

  await page.getByRole('button', { name: 'Conversations in engines' }).click()
  await resize(page, phone)
  await page.getByRole('heading', { name: 'Inbox' }).click()
  await page.getByRole('button', { name: 'Conversations in design' }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Conversations in engines' }).click()
  await page
    .locator('.inbox')
    .getByRole('link', { name: /numbers/ })
    .waitFor()

  await resize(page, wide)
  await page.getByRole('searchbox', { name: 'Filter conversations' }).fill('numb')
  await becomes(names(page), ['numbers'])
  await resize(page, phone)
  await page.getByRole('searchbox', { name: 'Filter conversations' }).waitFor()
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('searchbox', { name: 'Filter conversations' }).waitFor({ state: 'detached' })
  await page.locator('.inbox').getByRole('link', { name: /icons/ }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('recent conversations are filtered by what the user did, by channel and by text, and the filter is remembered', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', followsNothing)
  await sendDirect(cleo, [ben], 'a word')
  await ben.succeed('POST /user_topics', { stream_id: 1, topic: 'icons', visibility_policy: 3 })
  await sendToChannel(ada, { name: 'engines' }, 'news', 'numbers')
  await readOwn(ben)
  const page = await stage.openAs(ben, '/recent')
  const all = ['engines › numbers', 'Cleo Hopper', 'engines › slow start', 'design › colours', 'design › icons']
  await becomes(names(page), all)

  for (const [filter, shown] of [
    ['Unread', ['engines › numbers', 'Cleo Hopper', 'design › icons']],
    ['Participated', ['Cleo Hopper', 'engines › slow start', 'design › colours']],
    ['Followed', ['engines › slow start', 'design › colours', 'design › icons']],
    ['Direct', ['Cleo Hopper']],
  ] as const) {
    await choose(page, filter)
    await becomes(names(page), [...shown])
  }
  await choose(page, 'Channel')
  await page.getByRole('menuitem', { name: 'engines' }).click()
  await becomes(names(page), ['engines › numbers', 'engines › slow start'])
  await page.reload()
  await becomes(names(page), ['engines › numbers', 'engines › slow start'])
  assert.deepEqual(await inspect(page, 'recent-filtered'), [])
  await page.getByRole('searchbox', { name: 'Filter conversations' }).fill('slow')
  await becomes(names(page), ['engines › slow start'])
  await page.getByRole('searchbox', { name: 'Filter conversations' }).fill('zebra')
  await page.getByRole('button', { name: 'Show all conversations' }).click()
  await becomes(names(page), all)

  await page
    .getByRole('link', { name: /numbers/ })
    .first()
    .focus()
  await page.keyboard.press('r')
  await page.getByText('1 message marked as read').waitFor()
  await choose(page, 'Unread')
  await becomes(names(page), ['Cleo Hopper', 'design › icons'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('older conversations are added to the recent ones', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const first = await sendToChannel(ada, { name: 'design' }, 'long ago', 'history')
  for (let at = 0; at < 400; at += 1) await sendToChannel(ada, { name: 'engines' }, `number ${at}`, 'numbers')
  await ben.succeed('POST /messages/flags', { messages: [first], op: 'add', flag: 'read' })
  const page = await stage.openAs(ben, '/recent')
  await page
    .getByRole('link', { name: /numbers/ })
    .first()
    .waitFor()
  assert.equal(await page.getByRole('link', { name: /history/ }).count(), 0)

  await page.getByRole('button', { name: 'Show older conversations' }).click()
  await page.getByRole('link', { name: /design › history Ada: long ago/ }).waitFor()
  await page.getByRole('button', { name: 'Show older conversations' }).waitFor({ state: 'detached' })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
