import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CDPSession, Page } from 'playwright-core'
import { sessionCookieName } from '#people/sessions.ts'
import { freePort } from '../free-port.ts'
import { callServer } from '../processes/call-server.ts'
import {
  createLoggedInPeople,
  type KillableServer,
  type LoggedInPerson,
  startKillableServer,
} from '../processes/killable-server.ts'
import { sized } from '../size.ts'
import { temporaryFolder } from '../storage.ts'
import { becomes, patience } from './becomes.ts'
import { sharedBrowser, test } from './in-chromium.ts'

/** Milliseconds for which the two people chat. */
const DURATION = sized(40_000, 600_000)

/** A slow mobile network: milliseconds of latency, and bytes per second in both directions. */
const SLOW = { latency: 300, downloadThroughput: 50_000, uploadThroughput: 20_000 }

/** Milliseconds for which the network of the phone works, and then fails. */
const [WORKS, FAILS] = [4000, 2500]

const CONVERSATIONS = ['alpha', 'beta', 'direct'] as const
type Conversation = (typeof CONVERSATIONS)[number]

/** A person with the window in which they chat, and what they have sent to each conversation, in order. */
type Chatter = { name: 'ada' | 'ben'; other: string; page: Page; sent: Map<Conversation, string[]> }

async function fillChannel(server: KillableServer, [ada, ben]: readonly string[]): Promise<void> {
  for (const person of [ada!, ben!])
    await callServer(server, person, 'PATCH /settings', { display_emoji_reaction_users: false })
  const subscriptions = [{ name: 'trip' }]
  const principals = ['ada@example.com', 'ben@example.com']
  assert.equal(
    (await callServer(server, ada!, 'POST /users/me/subscriptions', { subscriptions, principals })).status,
    200,
  )
  for (const topic of ['alpha', 'beta'])
    await callServer(server, ada!, 'POST /messages', {
      type: 'channel',
      to: 'trip',
      topic,
      content: '/poll Go?\nYes\nNo',
    })
  await callServer(server, ada!, 'POST /messages', { type: 'direct', to: ['ben@example.com'], content: 'Ready?' })
}

/** Returns true once the service worker has cached the page for times without a connection. */
const isPageCached = (page: Page) =>
  page.evaluate(async () => (await (await caches.open('parley-page')).match('/')) !== undefined)

const box = (page: Page) => page.getByLabel(/^Message /)
const isPhone = ({ name }: Chatter) => name === 'ben'

/** Opens a conversation by links, as the person would. */
async function open(chatter: Chatter, conversation: Conversation): Promise<void> {
  const { page, other } = chatter
  if (isPhone(chatter)) await page.getByRole('link', { name: 'Back to chats' }).click()
  const links = page.getByRole('navigation', { name: isPhone(chatter) ? 'Views' : 'Conversations' })
  await links.getByRole('link', { name: 'Recent' }).click()
  const title = conversation === 'direct' ? other : conversation
  await page
    .locator('.conversation-row', { has: page.locator('.conversation-name', { hasText: title }) })
    .first()
    .click()
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
  await box(page).waitFor()
}

async function send({ name, page, sent }: Chatter, conversation: Conversation, count: number): Promise<void> {
  const text = `${name} ${count} in ${conversation}`
  await box(page).fill(text)
  await box(page).press('Control+Enter')
  sent.get(conversation)?.push(text)
  await becomes(() => box(page).inputValue(), '')
}

/**
 * Adds or removes a thumbs up at the last message, and votes in the last poll; without a connection, nothing happens.
 */
async function react({ page }: Chatter): Promise<void> {
  const last = page.locator('.timeline [data-message]').last()
  await last.focus()
  await last.press('+')
  const options = page.locator('.timeline .poll-option')
  if ((await options.count()) > 0) await options.last().click()
}

/** Changes the person's last message, which the box opens with the arrow key, and saves until it succeeds. */
async function editLast({ page, sent }: Chatter, conversation: Conversation): Promise<void> {
  const texts = sent.get(conversation) ?? []
  const last = texts.at(-1)
  if (last === undefined) return
  await becomes(() => page.locator('.outgoing').count(), 0)
  await box(page).press('ArrowUp')
  const form = page.getByRole('form', { name: 'Edit message' })
  const field = form.getByRole('textbox', { name: 'Message' })
  const retry = page.locator('.edit-form').getByRole('button', { name: 'Try again' })
  await field.or(retry).waitFor()
  while ((await field.count()) === 0) {
    await retry.click({ timeout: 1000 }).catch(() => {})
    await field.or(retry).waitFor()
  }
  await field.fill(`${last}, corrected`)
  while ((await form.count()) > 0) {
    await field.press('Control+Enter', { timeout: 1000 }).catch(() => {})
    await sleep(500)
  }
  texts[texts.length - 1] = `${last}, corrected`
}

/** Chats until the end. The phone is reloaded with unsent messages. */
async function chat(chatter: Chatter, end: number): Promise<void> {
  let conversation: Conversation = 'alpha'
  for (let count = 1; performance.now() < end; count += 1) {
    if (count % 3 === 0) {
      conversation = CONVERSATIONS[(count / 3) % CONVERSATIONS.length] as Conversation
      await open(chatter, conversation)
    }
    if (!isPhone(chatter) && count % 10 === 0) {
      await box(chatter.page).fill(`/poll Lunch ${count}?\nSoup\nRice`)
      await box(chatter.page).press('Control+Enter')
    }
    await send(chatter, conversation, count)
    if (count % 2 === 0) await react(chatter)
    if (count % 5 === 0) await editLast(chatter, conversation)
    if (isPhone(chatter) && count % 7 === 0) {
      await send(chatter, conversation, count + 0.5)
      await chatter.page.reload()
      await box(chatter.page).waitFor()
    }
    await sleep(sized(300, 1500))
  }
}

/**
 * Makes the network slow for a while, then unavailable, and so on until the signal. Playwright's own switch resets the
 * speed.
 */
async function drop(page: Page, session: CDPSession, signal: AbortSignal): Promise<void> {
  const slowDown = () => session.send('Network.emulateNetworkConditions', { offline: false, ...SLOW })
  const wait = (time: number) => sleep(time, undefined, { signal }).catch(() => {})
  while (!signal.aborted) {
    await page.context().setOffline(false)
    await slowDown()
    await wait(WORKS)
    await page.context().setOffline(true)
    await wait(FAILS)
  }
  await page.context().setOffline(false)
  await slowDown()
}

type Stored = {
  id: number
  content: string
  sender_full_name: string
  reactions: { user_id: number }[]
  submessages: { sender_id: number; content: string }[]
}

/** Returns the messages of a conversation as the server has them, oldest first. */
async function stored(server: KillableServer, ben: string, conversation: Conversation): Promise<Stored[]> {
  const narrow =
    conversation === 'direct'
      ? [{ operator: 'dm', operand: ['ada@example.com'] }]
      : [
          { operator: 'channel', operand: 'trip' },
          { operator: 'topic', operand: conversation },
        ]
  const range = { anchor: 'newest', num_before: 1000, num_after: 0, apply_markdown: false }
  const { messages } = await callServer(server, ben, 'GET /messages', { ...range, narrow })
  return messages
}

/** A message as a page shows it to a user. */
type Row = { id: number; text: string; reactions: number; isOwn: boolean; votes: number }

function toRow({ id, content, reactions, submessages }: Stored, ownId: number): Row {
  const votes = new Map<string, number>()
  for (const { sender_id, content } of submessages.slice(1)) {
    const { type, key, vote } = JSON.parse(content)
    if (type === 'vote') votes.set(`${sender_id} ${key}`, vote)
  }
  return {
    id,
    text: submessages.length > 0 ? '' : content,
    reactions: reactions.length,
    isOwn: reactions.some(({ user_id }) => user_id === ownId),
    votes: [...votes.values()].filter((vote) => vote > 0).length,
  }
}

const rowsOf = (page: Page): Promise<Row[]> =>
  page.locator('.timeline [data-message]').evaluateAll((rows) =>
    (rows as HTMLElement[]).map((row) => ({
      id: Number(row.dataset['message']),
      text:
        row.querySelector('.poll-option') === null ? (row.querySelector('.message-content')?.textContent ?? '') : '',
      reactions: Number(row.querySelector('.reaction')?.textContent?.replace(/\D/g, '') ?? 0),
      isOwn: row.querySelector('.reaction[aria-pressed="true"]') !== null,
      votes: [...row.querySelectorAll('.poll-count')].reduce(
        (sum, { textContent }) => sum + Number.parseInt(textContent, 10),
        0,
      ),
    })),
  )

async function unreadCount(server: KillableServer, authorization: string, conversation: Conversation): Promise<number> {
  const state = { event_types: ['message', 'update_message_flags'] }
  const { pms, streams } = (await callServer(server, authorization, 'POST /register', state))['unread_msgs']
  const unread =
    conversation === 'direct' ? pms : streams.filter(({ topic }: { topic: string }) => topic === conversation)
  return unread.flatMap((of: { unread_message_ids: number[] }) => of.unread_message_ids).length
}

test('two people who chat over a network that is slow and drops lose nothing and double nothing', async () => {
  const folder = await temporaryFolder()
  const [ada, ben] = (await createLoggedInPeople(folder, ['ada', 'ben'])) as [LoggedInPerson, LoggedInPerson]
  const port = await freePort()
  const url = `http://localhost:${port}`
  const server = await startKillableServer(folder, { PORT: String(port), EXTERNAL_URL: url, LOG_LEVEL: 'error' })
  await fillChannel(server, [ada.authorization, ben.authorization])
  const browser = await sharedBrowser()
  const openWindow = async (token: string, size: { width: number; height: number }) => {
    const context = await browser.newContext({ baseURL: url, viewport: size, reducedMotion: 'reduce' })
    context.setDefaultTimeout(patience())
    await context.addCookies([{ name: sessionCookieName({ EXTERNAL_URL: url }), value: token, url }])
    const page = await context.newPage()
    await page.goto('/channels/1?topic=alpha')
    await page.getByLabel(/^Message /).waitFor()
    return page
  }
  const newChatter = async (name: Chatter['name'], token: string, width: number): Promise<Chatter> => ({
    name,
    other: name === 'ada' ? 'ben' : 'ada',
    page: await openWindow(token, { width, height: 800 }),
    sent: new Map(CONVERSATIONS.map((conversation) => [conversation, []])),
  })
  const desktop = await newChatter('ada', ada.token, 1440)
  const phone = await newChatter('ben', ben.token, 390)
  await becomes(() => isPageCached(phone.page), true)

  const end = performance.now() + DURATION
  const dropping = new AbortController()
  const session = await phone.page.context().newCDPSession(phone.page)
  await session.send('Network.enable')
  const network = drop(phone.page, session, dropping.signal)
  await Promise.all([chat(desktop, end), chat(phone, end)]).finally(() => dropping.abort())
  await network

  for (const { page } of [desktop, phone]) await becomes(() => page.locator('.outgoing').count(), 0)
  for (const conversation of CONVERSATIONS) {
    const all = await stored(server, ben.authorization, conversation)
    for (const { name, sent } of [desktop, phone]) {
      const own = all.filter((message) => message.sender_full_name === name).map(({ content }) => content)
      assert.deepEqual(
        own.filter((text) => text.startsWith(name)),
        sent.get(conversation),
      )
    }
    for (const [at, chatter] of [desktop, phone].entries()) {
      await open(chatter, conversation)
      // The last reactions and votes may still be on their way to the server.
      const findDifferent = async () => {
        const newest = (await stored(server, ben.authorization, conversation)).slice(-30)
        const shown = (await rowsOf(chatter.page)).slice(-newest.length)
        const expected = newest.map((message) => toRow(message, [ada, ben][at]!.id))
        return expected.flatMap((row, at) => (isDeepStrictEqual(row, shown[at]) ? [] : [[row, shown[at]]]))
      }
      await becomes(findDifferent, [])
      // A message counts as read once it has been shown for a while.
      await becomes(() => unreadCount(server, [ada, ben][at]!.authorization, conversation), 0)
    }
  }
  for (const { page } of [desktop, phone]) {
    await page.goto('/inbox')
    await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor()
    await page.context().close()
  }
  await server.kill()
})
