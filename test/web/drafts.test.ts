import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Person, START } from '../harness.ts'
import { sendDirect } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const box = (page: Page) => page.getByLabel(/^Message/)

async function draftsOf(person: Person): Promise<string[]> {
  const { drafts } = await person.succeed('GET /drafts')
  return drafts.map(({ type, topic, content }: Record<string, string>) => [type, topic, content].join(' '))
}

test('a draft follows the user to another device, and is gone everywhere once it is sent', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await box(page).fill('half a thought')
  await becomes(() => draftsOf(ben), ['stream icons half a thought'])

  const other = await stage.openAs(ben, '/channels/1?topic=icons')
  await becomes(() => box(other).inputValue(), 'half a thought')
  await other
    .getByRole('link', { name: /Drafts/ })
    .first()
    .waitFor()
  await box(other).press('End')
  await other.keyboard.type(', and the rest')
  await becomes(() => box(page).inputValue(), 'half a thought, and the rest')
  await becomes(() => draftsOf(ben), ['stream icons half a thought, and the rest'])
  await box(page).press('Control+Enter')
  await page.locator('.message-content', { hasText: 'and the rest' }).waitFor()

  await becomes(() => draftsOf(ben), [])
  await becomes(() => box(other).inputValue(), '')
  await ben.succeed('POST /drafts', {
    drafts: [{ type: 'private', to: [ada.id], topic: '', content: 'from the phone', timestamp: 1 }],
  })
  await other.goto(`/dm/${ada.id}`)
  await becomes(() => box(other).inputValue(), 'from the phone')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('when two devices change a draft at the same time, the user chooses', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await box(page).fill('mine')
  await becomes(() => draftsOf(ben), ['stream icons mine'])
  const { drafts } = await ben.succeed('GET /drafts')
  await page.route('**/json/drafts/*', (route) => route.abort())
  await box(page).fill('mine, and more')

  const draft = { type: 'stream', to: [1], topic: 'icons', content: 'theirs', timestamp: 2 }
  await ben.succeed(`PATCH /drafts/${drafts[0].id}`, { draft })

  await page.getByText('This draft was also changed on another device: “theirs”').waitFor()
  await becomes(() => box(page).inputValue(), 'mine, and more')
  assert.deepEqual(await inspect(page, 'draft-conflict'), [])
  await page.unroute('**/json/drafts/*')
  await page.getByRole('button', { name: 'Keep this one' }).click()
  await becomes(() => draftsOf(ben), ['stream icons mine, and more'])
  await stage.close()
})

test('two tabs of a browser share one draft', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const tab = await page.context().newPage()
  await tab.goto(`${stage.url}/channels/1?topic=icons`)
  await tab.getByText('Round, please').waitFor()

  await box(page).fill('written here')
  await becomes(() => box(tab).inputValue(), 'written here')
  await box(tab).fill('written here and there')
  await becomes(() => box(page).inputValue(), 'written here and there')
  await becomes(() => draftsOf(ben), ['stream icons written here and there'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

const gate = () => Promise.withResolvers<void>()

/** Delivers each batch of events when what `until` returns for its text has resolved. */
const holdEvents = (page: Page, until: (events: string) => Promise<void> | null): Promise<unknown> =>
  page.route('**/json/events?*', async (route) => {
    const response = await route.fetch({ timeout: 0 }).catch(() => null)
    if (response === null) return
    await until(await response.text())
    await route.fulfill({ response }).catch(() => {})
  })

/** Holds back events about drafts. Returns a function that delivers them. */
async function holdDraftEvents(page: Page): Promise<() => void> {
  const { promise, resolve } = gate()
  await holdEvents(page, (events) => (events.includes('"drafts"') ? promise : null))
  return resolve
}

test('a draft that is sent while the server saves it does not come back after a reload', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')
  const release = await holdDraftEvents(page)
  let isReloaded = false
  await page.route('**/json/drafts', async (route) => {
    // The page is gone before the response arrives.
    if (!isReloaded) await route.fetch()
    else await route.continue()
  })
  await page.goto('/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()

  await box(page).fill('sent at once')
  await becomes(() => draftsOf(ben), ['stream icons sent at once'])
  await box(page).press('Control+Enter')
  await page.locator('.message-content', { hasText: 'sent at once' }).waitFor()
  isReloaded = true
  await page.reload()
  release()

  await page.locator('.message-content', { hasText: 'sent at once' }).waitFor()
  await becomes(() => draftsOf(ben), [])
  await becomes(() => box(page).inputValue(), '')
  await stage.close()
})

test('a draft whose first response was lost is saved once', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')
  const release = await holdDraftEvents(page)
  await page.route(
    '**/json/drafts',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  await page.goto('/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()

  await box(page).fill('half a ')
  await becomes(() => draftsOf(ben), ['stream icons half a'])
  await box(page).fill('half a thought')
  await becomes(() => draftsOf(ben), ['stream icons half a', 'stream icons half a thought'])
  release()

  await becomes(() => draftsOf(ben), ['stream icons half a thought'])
  await becomes(() => page.getByText('changed on another device').count(), 0)
  await becomes(() => box(page).inputValue(), 'half a thought')
  await stage.close()
})

test('a draft whose first response was lost is saved once, even if its event arrives during the next request', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')
  const [firstEvent, response, secondEvent] = [gate(), gate(), gate()]
  await holdEvents(page, (events) => {
    if (events.includes('half a thought')) return secondEvent.promise
    return events.includes('half a') ? firstEvent.promise : null
  })
  let calls = 0
  await page.route('**/json/drafts', async (route) => {
    const answer = await route.fetch()
    calls += 1
    if (calls === 1) return route.abort()
    await response.promise
    await route.fulfill({ response: answer })
  })
  await page.goto('/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()

  await box(page).fill('half a ')
  await becomes(() => draftsOf(ben), ['stream icons half a'])
  await box(page).fill('half a thought')
  await becomes(() => draftsOf(ben), ['stream icons half a', 'stream icons half a thought'])
  firstEvent.resolve()
  await page.waitForFunction(() => Object.values(localStorage).some((value) => /"serverId":\d/.test(value)))
  response.resolve()
  await page.waitForFunction(() => Object.values(localStorage).some((value) => /"serverId":2/.test(value)))
  secondEvent.resolve()

  await becomes(() => draftsOf(ben), ['stream icons half a thought'])
  await becomes(() => box(page).inputValue(), 'half a thought')
  await stage.close()
})

test('a draft that another device starts with the content of a sent one stays', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const refused = page.waitForEvent('requestfailed', (one) => one.url().endsWith('/json/drafts'))
  await page.route('**/json/drafts', (route) => route.abort())
  await box(page).fill('thanks')
  await refused
  await page.unroute('**/json/drafts')
  await box(page).press('Control+Enter')
  await page.locator('.message-content', { hasText: 'thanks' }).waitFor()

  const draft = { type: 'stream', to: [1], topic: 'icons', content: 'thanks', timestamp: START + 60 }
  await ben.succeed('POST /drafts', { drafts: [draft] })

  await becomes(() => box(page).inputValue(), 'thanks')
  assert.deepEqual(await draftsOf(ben), ['stream icons thanks'])
  await stage.close()
})

test('a pause after a space is no conflict', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const events = page.waitForResponse(async (one) => one.url().includes('/events') && /"drafts"/.test(await one.text()))

  await box(page).fill('half a ')
  await events
  await box(page).press('End')
  await page.keyboard.type('thought')

  await becomes(() => draftsOf(ben), ['stream icons half a thought'])
  await becomes(() => page.getByText('changed on another device').count(), 0)
  await becomes(() => box(page).inputValue(), 'half a thought')
  await stage.close()
})

test('a draft is saved on the server once its topic is no longer too long', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  const topic = page.getByRole('combobox', { name: 'Topic' })

  await box(page).focus()
  await topic.fill('a'.repeat(61))
  await box(page).fill('half a thought')
  await page.getByText('Use at most 60 characters.', { exact: true }).waitFor()
  await page.waitForTimeout(2500)
  const before = await draftsOf(ben)
  await topic.press('End')
  await topic.press('Backspace')

  await becomes(() => draftsOf(ben), [`stream ${'a'.repeat(60)} half a thought`])
  assert.deepEqual(before, [])
  assert.equal(await topic.inputValue(), 'a'.repeat(60))
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a draft that is too long for a message stays in the browser until it is short enough', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const long = 'a'.repeat(10_001)

  await box(page).fill(long)
  await page.waitForTimeout(2500)
  const [before, conflicts] = [await draftsOf(ben), await page.getByText('changed on another device').count()]
  await box(page).press('End')
  await page.keyboard.press('Backspace')

  await becomes(() => draftsOf(ben), [`stream icons ${long.slice(1)}`])
  assert.deepEqual([before, conflicts], [[], 0])
  assert.equal(await box(page).inputValue(), long.slice(1))
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a change of only the topic of a draft reaches the server and other devices, in both directions', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const topicOf = (page: Page) => page.getByRole('combobox', { name: 'Topic' })
  const page = await stage.openAs(ben, '/channels/1')
  await box(page).focus()
  await topicOf(page).fill('icons')
  await box(page).fill('half a thought')
  await becomes(() => draftsOf(ben), ['stream icons half a thought'])
  const other = await stage.openAs(ben, '/channels/1?topic=icons')
  await becomes(() => box(other).inputValue(), 'half a thought')

  await topicOf(page).fill('colours')

  await becomes(() => draftsOf(ben), ['stream colours half a thought'])
  await box(other).focus()
  await becomes(() => topicOf(other).inputValue(), 'colours')
  await topicOf(other).fill('shapes')
  await becomes(() => draftsOf(ben), ['stream shapes half a thought'])
  await becomes(() => topicOf(page).inputValue(), 'shapes')
  await becomes(() => box(page).inputValue(), 'half a thought')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a draft that was written in a feed opens in its conversation', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendDirect(ada, [ben], 'between us')
  const page = await stage.openAs(ben, '/combined')
  const replyTo = async (text: string) => {
    const row = page.locator('[data-message]', { hasText: text })
    await row.locator('.message-content').click()
    await page.keyboard.press('r')
  }
  const openDraft = async (title: string) => {
    await page
      .getByRole('link', { name: /Drafts/ })
      .first()
      .click()
    await page.locator('.unsent-row', { hasText: title }).getByRole('link').click()
  }
  await replyTo('It is the cache')
  await box(page).fill('warm it up')
  await openDraft('engines › slow start')
  await page.getByRole('heading', { level: 1, name: 'slow start' }).waitFor()
  await becomes(() => box(page).inputValue(), 'warm it up')
  await becomes(() => draftsOf(ben), ['stream slow start warm it up'])

  await page.goto('/direct-messages')
  await replyTo('between us')
  await box(page).fill('only here')
  await openDraft('Ada Lovelace')
  await page.getByRole('heading', { level: 1, name: 'Ada Lovelace' }).waitFor()
  await becomes(() => box(page).inputValue(), 'only here')

  await page.goto('/combined')
  await replyTo('Round, please')
  await box(page).fill('square')
  await ben.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'] })
  await openDraft('Channel you’re not subscribed to › icons')
  await page.getByRole('heading', { level: 1, name: 'Combined feed' }).waitFor()
  await becomes(() => box(page).inputValue(), 'square')

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a new message starts empty, and keeps its own draft', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/combined')
  const field = page.locator('.composer textarea')
  const newMessage = page.getByRole('link', { name: 'New message' })
  await page.locator('[data-message]', { hasText: 'It is the cache' }).locator('.message-content').click()
  await page.keyboard.press('r')
  await field.fill('warm it up')

  await newMessage.click()
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'people')
  await becomes(() => field.inputValue(), '')
  await becomes(() => page.locator('.recipient-person').count(), 0)
  await field.fill('to whom?')
  await page.getByRole('link', { name: 'Combined feed' }).first().click()
  await becomes(() => field.inputValue(), 'warm it up')
  await page
    .getByRole('link', { name: /Drafts/ })
    .first()
    .click()
  await page.locator('.unsent-row', { hasText: 'to whom?' }).getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'New message' }).waitFor()
  await becomes(() => field.inputValue(), 'to whom?')
  await becomes(async () => (await draftsOf(ben)).toSorted(), ['  to whom?', 'stream slow start warm it up'])

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
