import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

type Shown = { title: string; body: string; icon: string | undefined; click: () => void }
type Noted = { shown: Shown[]; isLookedAt: boolean }

/** Replaces the browser's notifications, which a test cannot see, with a recorder, and makes the window inactive. */
async function recordNotifications(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const noted: Noted = { shown: [], isLookedAt: false }
    document.hasFocus = () => noted.isLookedAt
    class Notice {
      static permission = 'granted'
      onclick = () => {}
      constructor(title: string, { body, icon }: { body: string; icon?: string }) {
        noted.shown.push({ title, body, icon, click: () => this.onclick() })
      }
      close() {}
    }
    Object.assign(window, { noted, Notification: Notice })
  })
}

/**
 * Counts the messages for which a window has decided whether it notifies of them, and gives the windows more time than
 * usual to agree on one of them.
 */
async function recordDecisions(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const decisions = { count: 0 }
    Object.assign(window, { decisions })
    const start = globalThis.setTimeout
    const longer = new Map([
      [250, 3000],
      [5000, 60_000],
    ])
    const wait = (run: () => void, time = 0, ...given: []) => start(run, longer.get(time) ?? time, ...given)
    Object.assign(globalThis, { setTimeout: wait })
    const { request } = LockManager.prototype
    LockManager.prototype.request = function (this: LockManager, name: string, ...given: unknown[]) {
      const hold = given.pop() as LockGrantedCallback<unknown>
      const decide = (lock: Lock | null) => {
        if (name.startsWith('parley message ')) decisions.count += 1
        return hold(lock)
      }
      return Reflect.apply(request, this, [name, ...given, decide])
    }
  })
}

const decisionsOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { decisions: { count: number } }).decisions.count)

/** `queries` counts how often the page has asked whether it may play a sound. */
type Sound = { tones: number; queries: number; isAllowed: boolean }

/** Blocks sound in the browser until `isAllowed` is true, and counts the scheduled tones. */
async function recordSound(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const sound: Sound = { tones: 0, queries: 0, isAllowed: false }
    Object.assign(window, { sound })
    const { createOscillator } = AudioContext.prototype
    Object.defineProperty(AudioContext.prototype, 'state', {
      get() {
        sound.queries += 1
        return sound.isAllowed ? 'running' : 'suspended'
      },
    })
    AudioContext.prototype.resume = () => (sound.isAllowed ? Promise.resolve() : new Promise(() => {}))
    AudioContext.prototype.createOscillator = function () {
      sound.tones += 1
      return createOscillator.call(this)
    }
  })
}

const noted = (page: Page) => page.evaluate(() => (window as unknown as { noted: Noted }).noted.shown)

async function untilNoted(page: Page, count: number): Promise<[title: string, body: string][]> {
  await page.waitForFunction((most) => (window as unknown as { noted: Noted }).noted.shown.length >= most, count)
  return (await noted(page)).map(({ title, body }) => [title, body])
}

async function open() {
  const stage = await openStage()
  const cast = await fillExample(stage.chat)
  const page = await stage.openAs(cast.ben, '/login/', { isCold: true })
  await recordNotifications(page)
  await page.goto('/settings/notifications')
  await page.getByRole('heading', { name: 'Notify me about' }).waitFor()
  return { stage, page, ...cast }
}

test('notifications about direct messages and mentions are shown in the background, and open them', async () => {
  const { stage, page, ada, ben, cleo } = await open()

  await sendToChannel(ada, { name: 'design' }, 'nothing for you')
  await sendToChannel(cleo, { name: 'design' }, 'are you there, @**Ben Bitdiddle**?', '✔ icons')
  await sendDirect(ada, [ben], 'just :tada: you')
  const shown = await untilNoted(page, 2)
  await page.waitForFunction(() => /^\(\d+\) Notifications/.test(document.title))
  // Pictures of other servers are never loaded.
  for (const { icon = '' } of await noted(page)) assert.match(icon, /^data:image\/png;base64,/)
  await page.evaluate(() => (window as unknown as { noted: Noted }).noted.shown[0]?.click())

  assert.deepEqual(shown, [
    ['Cleo Hopper in #design › icons', 'are you there, @Ben Bitdiddle?'],
    ['Ada Lovelace', 'just 🎉 you'],
  ])
  await page.waitForURL(/\/channels\/\d+\?topic=[^&]+icons&near=\d+/)
  await page.locator('.message-content', { hasText: 'are you there' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a click on a notification shows its message again if its conversation is already open', async () => {
  const { stage, page, ada, cleo } = await open()
  await sendToChannel(cleo, { name: 'design' }, 'are you there, @**Ben Bitdiddle**?', 'icons')
  for (let at = 0; at < 20; at++) await sendToChannel(ada, { name: 'design' }, `${at}\n\n`.repeat(5), 'icons')
  await untilNoted(page, 1)
  const click = () => page.evaluate(() => (window as unknown as { noted: Noted }).noted.shown[0]?.click())
  const isInView = () =>
    page
      .locator('.message-content', { hasText: 'are you there' })
      .evaluate((row) => row.getBoundingClientRect().top > 0)

  await click()
  await becomes(isInView, true)
  await page.locator('.timeline').evaluate((list) => list.scrollTo({ top: list.scrollHeight }))
  await becomes(isInView, false)
  await click()

  await becomes(isInView, true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('sounds that the browser blocked are not played later', async () => {
  const { stage, page, ada, ben } = await open()
  await ben.succeed('PATCH /settings', { enable_sounds: true })
  await recordSound(page)
  await page.reload()
  await page.getByRole('heading', { name: 'Notify me about' }).waitFor()
  const tones = () => page.evaluate(() => (window as unknown as { sound: Sound }).sound.tones)
  const queries = () => page.evaluate(() => (window as unknown as { sound: Sound }).sound.queries)

  await sendDirect(ada, [ben], 'unheard')
  await untilNoted(page, 1)
  await becomes(queries, 1)
  const before = await tones()
  await page.evaluate(() => Object.assign((window as unknown as { sound: Sound }).sound, { isAllowed: true }))
  await sendDirect(ada, [ben], 'audible')
  await page.waitForFunction(() => (window as unknown as { sound: Sound }).sound.tones > 0)

  assert.deepEqual([before, await tones()], [0, 2])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("a browser without notifications isn't asked to use another address", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/login/', { isCold: true })
  await page.addInitScript(() => Reflect.deleteProperty(window, 'Notification'))

  await page.goto('/settings/notifications')

  await page.getByText('This browser doesn’t support desktop notifications.').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('only one of two windows notifies of a message, and none while one of them is visible', async () => {
  const { stage, page, ada, ben } = await open()
  const other = await page.context().newPage()
  await recordNotifications(other)
  const windows = [page, other]
  for (const one of windows) {
    await recordDecisions(one)
    await one.goto('/inbox')
    await one.getByRole('heading', { name: 'Inbox' }).waitFor()
  }
  const all = async () => (await Promise.all(windows.map(noted))).flat().map(({ body }) => body)
  const lookAt = (isLookedAt: boolean) =>
    other.evaluate((is) => Object.assign((window as unknown as { noted: Noted }).noted, { isLookedAt: is }), isLookedAt)
  const sendAndDecide = async (text: string, count: number) => {
    await sendDirect(ada, [ben], text)
    await becomes(() => Promise.all(windows.map(decisionsOf)), [count, count])
  }

  await sendAndDecide('one', 1)
  await becomes(all, ['one'])
  await lookAt(true)
  await sendAndDecide('two', 2)
  await lookAt(false)
  await sendAndDecide('three', 3)

  await becomes(async () => (await all()).toSorted(), ['one', 'three'])
  await stage.close()
})

test('notification settings are saved, and reverted if the server is unreachable', async () => {
  const { stage, page, ada, ben } = await open()
  const box = (name: string) => page.getByRole('checkbox', { name })
  const settings = async () =>
    (
      await ben.succeed('POST /register', {
        fetch_event_types: ['user_settings'],
        client_capabilities: { user_settings_object: true },
      })
    )['user_settings'] as Record<string, unknown>

  await page.locator('label', { hasText: 'All other channel messages: Desktop' }).click()
  await page.locator('label', { hasText: 'Include the content of direct messages in desktop notifications' }).click()
  await page.getByRole('button', { name: /Unread count/ }).click()
  await page.getByRole('option', { name: 'None' }).click()
  await page.waitForFunction(() => document.title.startsWith('Notifications'))
  await sendToChannel(ada, { name: 'design' }, 'for all', 'icons')
  await sendDirect(ada, [ben], 'a secret')
  const shown = await untilNoted(page, 2)
  const changed = async () => {
    const { enable_stream_desktop_notifications, pm_content_in_desktop_notifications, desktop_icon_count_display } =
      await settings()
    return [enable_stream_desktop_notifications, pm_content_in_desktop_notifications, desktop_icon_count_display]
  }
  await becomes(changed, [true, false, 4])
  const gate = Promise.withResolvers<void>()
  await page.route('**/json/settings', (route) => gate.promise.then(() => route.abort()))
  const label = page.locator('label', { hasText: 'Followed topics: Email' })
  await label.click()
  await page.waitForFunction(() => document.activeElement?.matches('input:not(:checked)'))
  await label.click()
  gate.resolve()
  await page.getByText('Couldn’t save the change.').waitFor()

  assert.deepEqual(
    shown.map(([, body]) => body),
    ['for all', 'New direct message'],
  )
  await becomes(() => box('Followed topics: Email').isChecked(), true)
  assert.deepEqual(await changed(), [true, false, 4])
  assert.equal((await settings())['enable_followed_topic_email_notifications'], true)
  await stage.close()
})

test('nothing notifies while notifications are paused, until they are resumed', async () => {
  const { stage, page, ada, ben } = await open()

  await page.getByRole('button', { name: 'Pause notifications…' }).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page
    .getByText(/^Notifications are paused until/)
    .first()
    .waitFor()
  await sendDirect(ada, [ben], 'quiet')
  await page.waitForFunction(() => document.title.startsWith('(5)'))
  await page.waitForTimeout(1000)
  const during = await noted(page)
  const mark = page.getByRole('navigation').getByRole('img', { name: 'Notifications are paused' })
  await mark.waitFor()
  await page.keyboard.press('[')
  await page.getByRole('button', { name: 'Expand sidebar' }).waitFor()
  await mark.waitFor()
  await page.getByRole('button', { name: 'Resume notifications' }).click()
  await page.getByText('Notifications aren’t paused.').waitFor()
  await sendDirect(ada, [ben], 'loud')

  assert.deepEqual(during, [])
  assert.deepEqual(await untilNoted(page, 1), [['Ada Lovelace', 'loud']])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('notifications are offered after the first message, and not again after an answer', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/login/', { isCold: true })
  await page.addInitScript(() => {
    const access = {
      permission: 'default',
      requestPermission() {
        access.permission = 'granted'
        return Promise.resolve('granted')
      },
    }
    Object.assign(window, { Notification: access })
  })
  const offer = page.getByRole('region', { name: 'Desktop notifications' })
  await page.goto('/channels/1?topic=icons')
  const box = page.getByRole('textbox', { name: /Message/ })
  await box.fill('first')
  const before = await offer.count()

  await box.press('Control+Enter')
  await offer.getByRole('button', { name: 'Turn on' }).waitFor()
  await page.reload()
  await offer.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Desktop notifications are on').waitFor()
  await offer.waitFor({ state: 'detached' })
  await page.reload()
  await box.waitFor()

  assert.equal(before, 0)
  assert.equal(await offer.count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a test notification is shown at once, with the chosen sound', async () => {
  const { stage, page } = await open()
  await recordSound(page)
  await page.reload()
  await page.evaluate(() => Object.assign((window as unknown as { sound: Sound }).sound, { isAllowed: true }))
  const tones = () => page.evaluate(() => (window as unknown as { sound: Sound }).sound.tones)

  await page.getByRole('button', { name: 'Notification sound' }).click()
  await page.getByRole('option', { name: 'Chime' }).click()
  await becomes(tones, 3)
  await page.getByRole('button', { name: 'Send a test notification' }).click()
  const shown = await untilNoted(page, 1)
  await becomes(tones, 6)
  await page.getByRole('button', { name: 'Notification sound' }).click()
  await page.getByRole('option', { name: 'None' }).click()
  await page.getByRole('button', { name: 'Send a test notification' }).click()
  await untilNoted(page, 2)

  assert.deepEqual(shown, [['Test notification', 'Notifications work in this browser.']])
  assert.equal(await tones(), 6)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
