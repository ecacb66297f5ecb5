import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Person, START } from '../harness.ts'
import { sendDirect } from '../messages.ts'
import { becomes } from './becomes.ts'
import { box } from './compose-box.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const row = (page: Page, text: string) => page.locator('[data-message]', { hasText: text })
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const placeholder = (page: Page) => box(page).getAttribute('placeholder')
const draftRows = (page: Page) => page.locator('.unsent-row')
const openDrafts = (page: Page) =>
  page
    .getByRole('link', { name: /Drafts/ })
    .first()
    .click()

/** Returns the titles and texts on the page of drafts. */
async function listed(page: Page): Promise<string[]> {
  const texts = await draftRows(page).locator('.unsent-link').allInnerTexts()
  return texts.map((text) => text.replace(/\s+/g, ' ')).toSorted()
}

async function draftsOf(person: Person): Promise<string[]> {
  const { drafts } = await person.succeed('GET /drafts')
  return drafts.map(({ topic, content }: Record<string, string>) => `${topic}: ${content}`).toSorted()
}

const inIcons = (content: string, timestamp: number) => ({
  type: 'stream',
  to: [1],
  topic: 'icons',
  content,
  timestamp,
})

async function replyTo(page: Page, text: string): Promise<void> {
  await row(page, text).locator('.message-content').click()
  await page.keyboard.press('r')
}

test('two drafts of a conversation stay apart, and the compose box shows the newest one', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('POST /drafts', { drafts: [inIcons('the newer', START + 60), inIcons('the older', START)] })
  const page = await stage.openAs(ben, '/channels/1?topic=icons')

  await becomes(() => box(page).inputValue(), 'the newer')
  await openDrafts(page)
  await becomes(() => listed(page), ['design › icons the newer', 'design › icons the older'])
  await draftRows(page).getByText('the older').click()
  await title(page, 'icons')
  await becomes(() => box(page).inputValue(), 'the older')
  await becomes(() => box(page).evaluate((area) => area === document.activeElement), true)
  await page.keyboard.type(', changed')
  await becomes(() => draftsOf(ben), ['icons: the newer', 'icons: the older, changed'])
  await page.reload()
  await becomes(() => box(page).inputValue(), 'the older, changed')
  await openDrafts(page)
  await draftRows(page).getByText('the newer').click()
  await becomes(() => box(page).inputValue(), 'the newer')
  await box(page).press('Control+Enter')
  await row(page, 'the newer').waitFor()
  await becomes(() => draftsOf(ben), ['icons: the older, changed'])

  await openDrafts(page)
  await becomes(() => listed(page), ['design › icons the older, changed'])
  await page.goto('/channels/1?topic=icons')
  await becomes(() => box(page).inputValue(), 'the older, changed')
  await openDrafts(page)
  await page.getByRole('button', { name: 'Delete draft: design › icons' }).click()
  await becomes(() => draftsOf(ben), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a draft that another device starts in the same conversation replaces neither saved nor unsaved text', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await row(page, 'Round, please').waitFor()
  await box(page).fill('saved')
  await becomes(() => draftsOf(ben), ['icons: saved'])

  await ben.succeed('POST /drafts', { drafts: [inIcons('from the phone', START)] })
  const count = page.getByRole('link', { name: /Drafts/ }).first()
  await becomes(async () => /2/.test((await count.textContent()) ?? ''), true)
  assert.equal(await box(page).inputValue(), 'saved')
  await page.route('**/json/drafts', (route) => route.abort())
  await page.goto('/channels/1?topic=colours')
  await row(page, 'warmer grey').waitFor()
  await box(page).fill('unsaved')
  await ben.succeed('POST /drafts', { drafts: [{ ...inIcons('from the tablet', START), topic: 'colours' }] })
  await becomes(async () => /4/.test((await count.textContent()) ?? ''), true)
  assert.equal(await box(page).inputValue(), 'unsaved')
  assert.equal(await page.getByText('changed on another device').count(), 0)
  await page.unroute('**/json/drafts')
  await box(page).press('End')
  await page.keyboard.type(' until now')

  await becomes(
    () => draftsOf(ben),
    ['colours: from the tablet', 'colours: unsaved until now', 'icons: from the phone', 'icons: saved'],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a reply in a feed goes on with the draft of its conversation', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendDirect(ada, [ben], 'between us')
  const page = await stage.openAs(ben, '/combined')
  await replyTo(page, 'It is the cache')
  await box(page).fill('warm it up')
  await replyTo(page, 'between us')
  await becomes(() => placeholder(page), 'Message Ada Lovelace')
  await becomes(() => box(page).inputValue(), '')
  await page.keyboard.type('only here')

  await replyTo(page, 'It is the cache')
  await becomes(() => box(page).inputValue(), 'warm it up')
  await page.keyboard.type(', then')
  await replyTo(page, 'between us')
  await becomes(() => box(page).inputValue(), 'only here')
  await becomes(() => draftsOf(ben), [': only here', 'slow start: warm it up, then'])

  await page.goto('/channels/2')
  await replyTo(page, 'It is the cache')
  await becomes(() => placeholder(page), 'Message #engines › slow start')
  await becomes(() => box(page).inputValue(), 'warm it up, then')
  await page.goto('/channels/2?topic=slow%20start')
  await becomes(() => box(page).inputValue(), 'warm it up, then')
  await becomes(() => draftsOf(ben), [': only here', 'slow start: warm it up, then'])
  await page.goto(`/dm/${ada.id}`)
  await becomes(() => box(page).inputValue(), 'only here')
  await page.keyboard.press('Control+Enter')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message that is about to be sent from a feed does not become a draft of its conversation', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', { web_navigate_to_sent_message: false })
  const page = await stage.openAs(ben, '/settings/preferences')
  await page.getByText('Undo send', { exact: true }).click()
  await becomes(() => page.getByRole('checkbox', { name: /Undo send/ }).isChecked(), true)
  await page.goto('/combined')
  await replyTo(page, 'It is the cache')
  await box(page).fill('warm it up')
  await box(page).press('Control+Enter')
  await page.getByText('Sending in a moment…').waitFor()

  await page.locator('main').getByRole('link', { name: 'slow start' }).first().click()

  await title(page, 'slow start')
  await row(page, 'warm it up').waitFor()
  await becomes(() => box(page).inputValue(), '')
  await becomes(() => draftsOf(ben), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('saved drafts follow a topic that others rename and merge', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/combined')
  await row(page, 'Round, please').waitFor()
  await replyTo(page, 'Round, please')
  await page.keyboard.type('in the feed')
  await openDrafts(page)
  await ben.succeed('POST /drafts', { drafts: [inIcons('on the page', START)] })
  await ben.succeed('POST /drafts', { drafts: [inIcons('of a tablet', START)] })
  const texts = ['in the feed', 'of a tablet', 'on the page']
  const shown = (topic: string, all = texts) =>
    becomes(
      () => listed(page),
      all.map((text) => `design › ${topic} ${text}`),
    )
  const saved = (topic: string, all = texts) =>
    becomes(
      () => draftsOf(ben),
      all.map((text) => `${topic}: ${text}`),
    )
  await shown('icons')

  await ada.succeed('PATCH /messages/1', { topic: 'signs', propagate_mode: 'change_all' })
  await shown('signs')
  await saved('signs')
  await draftRows(page).getByText('on the page').click()
  await title(page, 'signs')
  await row(page, 'Round, please').waitFor()
  await becomes(() => box(page).inputValue(), 'on the page')
  await page.getByRole('link', { name: 'colours' }).first().click()
  await title(page, 'colours')
  await box(page).fill('there before')
  await openDrafts(page)
  await ada.succeed('PATCH /messages/1', { topic: 'colours', propagate_mode: 'change_all' })

  const all = [...texts, 'there before']
  await shown('colours', all)
  await saved('colours', all)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a text stays in its compose box while other tabs move drafts, and follows its topic afterwards', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ben.succeed('POST /drafts', { drafts: [{ ...inIcons('there before', START), topic: 'colours' }] })
  const tab = await stage.openAs(ben, '/drafts')
  await becomes(() => listed(tab), ['design › colours there before'])
  const page = await tab.context().newPage()
  await page.goto(`${stage.url}/channels/1?topic=icons`)
  await row(page, 'Round, please').waitFor()
  await box(page).fill('half a thought')
  await becomes(() => draftsOf(ben), ['colours: there before', 'icons: half a thought'])

  await ada.succeed('PATCH /messages/1', { topic: 'colours', propagate_mode: 'change_all' })
  await page.getByText('This conversation moved', { exact: true }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.type(', and more')
  await becomes(() => draftsOf(ben), ['colours: there before', 'icons: half a thought, and more'])
  assert.equal(await box(page).inputValue(), 'half a thought, and more')
  await page.locator('main').getByRole('link', { name: 'Go there' }).click()

  await row(page, 'Round, please').waitFor()
  await becomes(() => draftsOf(ben), ['colours: half a thought, and more', 'colours: there before'])
  await becomes(() => listed(tab), ['design › colours half a thought, and more', 'design › colours there before'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a draft that was written on the page of another topic opens in its own conversation', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await row(page, 'Round, please').waitFor()
  await box(page).fill('for everybody')
  await page.locator('.composer input[name="topic"]').fill('')
  await page.locator('.composer input[name="topic"]').blur()
  await becomes(() => draftsOf(ben), [': for everybody'])
  await openDrafts(page)
  await becomes(() => listed(page), ['design › general chat for everybody'])

  await draftRows(page).getByRole('link').click()
  await title(page, 'general chat')
  await becomes(() => box(page).inputValue(), 'for everybody')
  await becomes(() => placeholder(page), 'Message #design › general chat')
  await becomes(() => draftsOf(ben), [': for everybody'])
  await page.getByRole('link', { name: 'icons' }).first().click()
  await title(page, 'icons')
  await becomes(() => box(page).inputValue(), '')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a draft whose topic was moved while the browser was closed names the new place, and goes there', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/login/missing')
  const polling = page.waitForRequest('**/json/events?*')
  await page.goto('/channels/1?topic=icons')
  await row(page, 'Round, please').waitFor()
  await page.locator('.pane-topics').getByText('colours').waitFor()
  await box(page).fill('not yet sent')
  const queueId = new URL((await polling).url()).searchParams.get('queue_id')
  await becomes(() => draftsOf(ben), ['icons: not yet sent'])
  await page.goto('about:blank')
  await ben.succeed('DELETE /events', { queue_id: queueId })
  await ada.succeed('PATCH /messages/1', { topic: 'signs', propagate_mode: 'change_all' })

  await page.goto('/drafts')
  await draftRows(page).getByText('not yet sent').click()
  await page.getByText('The messages of “icons” were moved to #design › signs.').waitFor()
  assert.deepEqual(await inspect(page, 'draft-moved'), [])
  await page.getByRole('button', { name: 'Write there' }).click()
  await becomes(() => draftsOf(ben), ['signs: not yet sent'])
  await box(page).press('Control+Enter')

  await title(page, 'signs')
  await row(page, 'not yet sent').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
