import assert from 'node:assert/strict'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes, settles } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const pane = (page: Page) => page.getByRole('navigation', { name: 'Conversations' })
const way = (page: Page, name: string | RegExp) => pane(page).getByRole('link', { name })

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel(/^Message /).fill(text)
  await page.getByLabel(/^Message /).press('Control+Enter')
}

test('unread messages are counted live, and marked as read when seen', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendDirect(cleo, [ben], 'a word')
  const page = await stage.openAs(ben, '/inbox')
  await way(page, 'engines 1 unread').waitFor()
  await page.getByRole('button', { name: 'Mark Cleo Hopper as read' }).waitFor()

  await sendToChannel(ada, { name: 'design' }, '@**Ben Bitdiddle** look', 'lunch')
  await way(page, /^design 1 mention of you, \d unread/).waitFor()
  await way(page, /^Mentions\s*1 unread/).waitFor()
  assert.deepEqual(await inspect(page, 'inbox'), [])
  await page.getByRole('link', { name: /^lunch/ }).click()
  await page.getByRole('heading', { level: 1, name: 'lunch' }).waitFor()
  await page.locator('.message[data-mentioned]', { hasText: 'look' }).waitFor()
  await way(page, /^Mentions$/).waitFor()

  await way(page, /^Inbox/).click()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor()
  const unread = await ben.succeed('POST /register', { event_types: ['message', 'update_message_flags'] })
  assert.equal(unread['unread_msgs'].count, 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('direct messages work with one and two others, found by name and through the history', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/dm')
  const field = page.getByRole('combobox', { name: 'To', exact: true })

  for (const name of ['Ada Lovelace', 'Cleo Hopper']) {
    await field.fill(name.slice(0, 3))
    await page.getByRole('option', { name }).click()
  }
  assert.deepEqual(await inspect(page, 'direct-new'), [])
  await page.locator('.composer textarea').press('Control+.')
  await page.getByRole('heading', { level: 1, name: 'Ada Lovelace, Cleo Hopper' }).waitFor()
  await send(page, 'among us')
  await page.locator('.message-content', { hasText: 'among us' }).waitFor()
  assert.deepEqual(await inspect(page, 'direct'), [])

  await sendDirect(ada, [ben], 'to you alone')
  await way(page, 'Ada Lovelace 1 unread').click()
  await page.locator('.message-content', { hasText: 'to you alone' }).waitFor()
  await way(page, /^Ada Lovelace$/).waitFor()
  await send(page, 'and to you')
  await page.locator('.message-content', { hasText: 'and to you' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Ada Lovelace, Cleo Hopper' }).waitFor()
  await page.locator('.message-content', { hasText: 'among us' }).waitFor()
  await becomes(() => page.getByText('to you alone').isVisible(), false)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on phones, all conversations are one of the pages', async () => {
  const stage = await openStage()
  const { ben, cleo } = await fillExample(stage.chat)
  await sendDirect(cleo, [ben], 'on your phone')
  const page = await stage.openAs(ben, '/', { width: 320, height: 640 })

  await page.getByRole('link', { name: 'Chats' }).click()
  await page.getByRole('heading', { level: 1, name: 'Chats' }).waitFor()
  assert.deepEqual(await inspect(page, 'chats'), [])
  await pane(page).getByRole('link', { name: 'Cleo Hopper 1 unread' }).click()

  await page.getByRole('heading', { level: 1, name: 'Cleo Hopper' }).waitFor()
  await becomes(() => page.getByRole('navigation', { name: 'Pages' }).isVisible(), false)
  await page.getByRole('link', { name: 'Back to chats' }).waitFor()
  await page.locator('.message-content', { hasText: 'on your phone' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on phones, four items are at the bottom, and the page of the user has the rest', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/inbox', { width: 320, height: 640 })
  const bar = page.getByRole('navigation', { name: 'Pages' })
  await bar.getByRole('link', { name: 'Inbox' }).waitFor()
  await becomes(async () => /^Inbox/.test((await bar.locator('[aria-current="page"]').textContent()) ?? ''), true)
  await becomes(
    async () => (await bar.locator('a, button').allTextContents()).map((text) => text.replace(/\d.*/, '')),
    ['Inbox', 'Chats', 'Search', 'You'],
  )

  await bar.getByRole('link', { name: 'You' }).click()
  await page.getByRole('heading', { level: 1, name: 'You' }).waitFor()
  await page.getByRole('heading', { level: 2, name: 'Ada Lovelace' }).waitFor()
  await page.getByText('ada@example.com · Owner').waitFor()
  const labels = [
    'Set status…',
    'Pause notifications…',
    'Hide my availability…',
    'Your profile',
    'Notifications',
    'Theme',
  ]
  labels.push('Preferences', 'Invite people', 'All channels', 'People', 'Invitations', 'Outbox', 'Integrations')
  await becomes(() => page.locator('.you-label').allTextContents(), [...labels, 'Organization', 'Help', 'Log out'])
  assert.deepEqual(await inspect(page, 'you'), [])
  await page.getByRole('button', { name: 'Pause notifications…' }).click()
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('button', { name: 'Resume notifications' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Invitations' }).click()

  await page.getByRole('heading', { name: 'Invitations', exact: true }).waitFor()
  await becomes(async () => /^You/.test((await bar.locator('[aria-current="page"]').textContent()) ?? ''), true)
  await page.getByRole('link', { name: 'Back to You' }).click()
  await page.getByRole('heading', { level: 1, name: 'You' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on phones, the channels are near the top of the chats, and the inbox has only conversations', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (let at = 0; at < 6; at++)
    await sendDirect(await stage.chat.user(`person${at}`, { fullName: 'Bartholomew Stonebridge' }), [ben])
  await sendDirect(ada, [ben], 'on your phone')
  const page = await stage.openAs(ben, '/chats', { width: 390, height: 844 })
  const channel = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /^design/ })
  const views = page.getByRole('navigation', { name: 'Views' })
  await channel.waitFor()
  await page
    .getByRole('navigation', { name: 'Conversations' })
    .getByRole('link', { name: /Ada Lovelace/ })
    .waitFor()
  const ends = await settles(() =>
    page
      .locator('.pane-strip .pane-link-name')
      .evaluateAll((names) =>
        names.map((name) => name.getBoundingClientRect()).map(({ left, right }) => [left, right]),
      ),
  )
  assert.ok(ends.length > 5 && ends.every(([left], at) => at === 0 || left! >= ends[at - 1]![1]!), String(ends))
  const top = (await channel.boundingBox())?.y ?? 0
  const viewsTop = (await views.boundingBox())?.y ?? 0

  assert.ok(top < 300, `the first channel is ${top} pixels below the top`)
  assert.ok(viewsTop > 700, `the views are ${viewsTop} pixels below the top`)
  assert.equal(await views.getByRole('link', { name: 'Inbox' }).count(), 0)
  assert.deepEqual(await inspect(page, 'chats-on-phone'), [])

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  const row = page.getByRole('main').getByRole('link', { name: /^Ada Lovelace/ })
  await row.waitFor()
  assert.equal(await page.getByRole('searchbox', { name: 'Filter conversations' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: /^Mark (?!all ).* as read$/ }).count(), 0)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('button', { name: 'Direct', exact: true }).click()
  await becomes(() => page.locator('.conversation-row').count(), 7)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await becomes(() => page.getByRole('searchbox', { name: 'Filter conversations' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

/** Returns true if the code that recognizes swipes has been loaded. */
async function listensForTouches(devTools: CDPSession): Promise<boolean> {
  const { result } = await devTools.send('Runtime.evaluate', { expression: 'document.querySelector("#main")' })
  if (result.objectId === undefined) return false
  const { listeners } = await devTools.send('DOMDebugger.getEventListeners', { objectId: result.objectId })
  return listeners.some(({ type }) => type === 'touchend')
}

test('on phones, a swipe to the right goes back, but not over what scrolls sideways', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, `\`\`\`\n${'wide '.repeat(60)}\n\`\`\``, 'code')
  const page = await stage.openAs(ben, '/channels/1?topic=code', { width: 390, height: 800 })
  const devTools = await page.context().newCDPSession(page)
  await becomes(() => listensForTouches(devTools), true)
  // On the clock of the page, a swipe takes no time, even on slow machines.
  await page.evaluate(() => Object.defineProperty(TouchEvent.prototype, 'timeStamp', { value: 0 }))
  async function swipe(from: Locator, to: number) {
    const { x, y, height } = (await from.boundingBox())!
    const at = y + height / 2
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: number[]) =>
      devTools.send('Input.dispatchTouchEvent', { type, touchPoints: points.map((left) => ({ x: left, y: at })) })
    // Nothing is awaited meanwhile: a touch that rests is a long press.
    await Promise.all([touch('touchStart', [x + 60]), touch('touchMove', [x + 60 + to]), touch('touchEnd', [])])
  }

  await page.locator('.code-block, pre').first().waitFor()
  await swipe(page.locator('pre').first(), 150)
  await swipe(page.locator('.chat-header h1'), 40)
  await page.getByRole('link', { name: 'Back to chats' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/channels/1')
  await swipe(page.locator('.chat-header h1'), 150)
  await page.getByRole('heading', { level: 1, name: 'Chats' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a group of people has a picture of its own', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendDirect(cleo, [ben], 'a word')
  await sendDirect(cleo, [ada, ben], 'all of us')
  const page = await stage.openAs(ben, '/inbox')
  const person = (name: string) => page.locator('.pane-person', { has: page.getByText(name, { exact: true }) })

  await person('Ada Lovelace, Cleo Hopper').locator('.avatar-group').waitFor()
  assert.equal(await person('Cleo Hopper').locator('.avatar').textContent(), 'CH')
  await person('Ada Lovelace, Cleo Hopper').click()
  await page.locator('.chat-header .avatar-group').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
