import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const box = (page: Page) => page.locator('.composer textarea')
const placeholder = (page: Page) => box(page).getAttribute('placeholder')
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const row = (page: Page, text: string) => page.locator('[data-message]', { hasText: text })
const to = (page: Page) => page.getByRole('combobox', { name: 'To', exact: true })
const hasFocus = (page: Page, name: string) =>
  becomes(() => page.evaluate(() => document.activeElement?.getAttribute('name') ?? null), name)

async function newestOf(person: Person) {
  const { messages } = await person.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  const { display_recipient: to, subject, content } = messages[0]
  return {
    to: typeof to === 'string' ? to : to.map(({ full_name }: { full_name: string }) => full_name),
    subject,
    content,
  }
}

test('below a channel’s messages, the compose box aims at the topic in view, and keeps it while it is open', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (let at = 1; at <= 25; at++) await sendToChannel(ada, { name: 'design' }, `line ${at}`, 'older')
  await ben.succeed('POST /mark_all_as_read')
  for (let at = 1; at <= 25; at++) await sendToChannel(ada, { name: 'design' }, `unread ${at}`, 'code')
  for (let at = 1; at <= 25; at++) await sendToChannel(ada, { name: 'design' }, `poll ${at}`, 'polls')
  const page = await stage.openAs(ben, '/channels/1')

  await row(page, 'unread 1').first().waitFor()
  await becomes(() => placeholder(page), 'Message #design › code')
  await row(page, 'line 20').scrollIntoViewIfNeeded()
  await row(page, 'line 20').locator('.message-content').click()
  await becomes(() => placeholder(page), 'Message #design › older')
  await box(page).click()
  await becomes(() => page.getByRole('combobox', { name: 'Topic' }).inputValue(), 'older')
  await page.locator('.timeline').evaluate((list) => list.scrollTo(0, list.scrollHeight))
  await sendToChannel(ada, { name: 'design' }, 'Who comes to lunch?', 'lunch')
  await row(page, 'Who comes to lunch?').waitFor()
  await becomes(() => page.getByRole('combobox', { name: 'Topic' }).inputValue(), 'older')
  await page.keyboard.type('to the older one')
  await page.keyboard.press('Control+Enter')
  await row(page, 'to the older one').waitFor()
  await becomes(async () => (await newestOf(ada)).subject, 'older')
  await page.locator('.chat-header').click()
  await becomes(() => placeholder(page), 'Message #design › older')

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the compose box of a feed replies to the conversation in view, and is absent where there is none', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendDirect(ada, [ben], 'between us')
  const page = await stage.openAs(ben, '/combined')

  await row(page, 'between us').waitFor()
  await becomes(() => placeholder(page), 'Message Ada Lovelace')
  await row(page, 'Round, please').locator('.message-content').click()
  await becomes(() => placeholder(page), 'Message #design › icons')
  await ada.succeed('PATCH /streams/1', {
    can_send_message_group: { new: { direct_members: [ada.id], direct_subgroups: [] } },
  })
  await becomes(() => placeholder(page), 'Write a message')
  await page.goto('/starred')
  await page.getByText('No starred messages').waitFor()
  await becomes(() => box(page).count(), 0)
  await page.keyboard.press('c')
  await title(page, 'Combined feed')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/channels/2')
  await becomes(() => placeholder(page), 'Message #engines › slow start')

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a new message starts with its recipients, and no key that is typed meanwhile gets lost', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await row(page, 'Round, please').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/direct-list-*.js', (route) => gate.promise.then(() => route.continue()))

  await page.getByRole('link', { name: 'New message' }).click()
  await page.keyboard.type('adx')
  await page.keyboard.press('Backspace')
  gate.resolve()
  await becomes(() => to(page).inputValue(), 'ad')
  await page.locator('[aria-selected="true"]', { hasText: 'Ada Lovelace' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('zzz')
  await page.getByText('No matches').waitFor()
  await page.keyboard.press('Enter')
  await becomes(() => to(page).inputValue(), 'zzz')
  await to(page).fill('cleo@')
  await page.locator('[aria-selected="true"]', { hasText: 'Cleo Hopper' }).waitFor()
  await page.keyboard.press('Enter')
  await becomes(() => page.locator('.recipient-person .avatar').count(), 2)
  assert.deepEqual(await inspect(page, 'new-message'), [])
  await page.keyboard.press('Enter')
  await hasFocus(page, 'text')
  await page.keyboard.type('among us')
  await page.keyboard.press('Control+Enter')

  await title(page, 'Ada Lovelace, Cleo Hopper')
  await row(page, 'among us').waitFor()
  await hasFocus(page, 'text')
  await becomes(() => newestOf(ada), {
    to: ['Ada Lovelace', 'Ben Bitdiddle', 'Cleo Hopper'],
    subject: '',
    content: '<p>among us</p>',
  })
  await page.keyboard.press('Escape')
  await page.locator('main').focus()
  await page.keyboard.press('x')
  await hasFocus(page, 'people')
  await page.keyboard.type('#eng')
  await page.locator('[aria-selected="true"]', { hasText: 'engines' }).waitFor()
  await page.keyboard.press('Enter')
  await hasFocus(page, 'topic')
  await page.keyboard.type('plans')
  await page.keyboard.press('Tab')
  await hasFocus(page, 'text')
  await page.keyboard.type('to all')
  await page.keyboard.press('Control+Enter')
  await title(page, 'plans')
  await becomes(() => newestOf(ada), { to: 'engines', subject: 'plans', content: '<p>to all</p>' })

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('going to the page of a new message again focuses its recipients', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/dm')
  await hasFocus(page, 'people')

  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1, name: 'New message' }).click()
  await page.locator('main').focus()
  await page.keyboard.press('x')
  await hasFocus(page, 'people')
  await page.keyboard.type('ada')
  await page.locator('[aria-selected="true"]', { hasText: 'Ada Lovelace' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await hasFocus(page, 'text')
  await page.keyboard.type('see you')

  await page.getByRole('link', { name: 'New message' }).click()
  await hasFocus(page, 'people')
  await page.getByRole('button', { name: 'Remove Ada Lovelace' }).click()
  await page.keyboard.type('#eng')
  await page.locator('[aria-selected="true"]', { hasText: 'engines' }).waitFor()
  await page.keyboard.press('Enter')
  await hasFocus(page, 'topic')
  await page.locator('main').focus()
  await page.keyboard.press('x')
  await hasFocus(page, 'channel')
  await becomes(() => box(page).inputValue(), 'see you')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users who go elsewhere while the page of a new message loads can write there', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await row(page, 'Round, please').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/direct-list-*.js', (route) => gate.promise.then(() => route.continue()))

  await page.getByRole('link', { name: 'New message' }).click()
  await page.locator('.pane-channel', { hasText: 'engines' }).getByRole('link').first().click()
  await row(page, 'It is the cache').waitFor()
  await box(page).click()
  await page.keyboard.type('a bit')
  await becomes(() => box(page).inputValue(), 'a bit')

  gate.resolve()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message moves on with its text to another topic, to a person and to a group', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await row(page, 'warmer grey').waitFor()
  const channel = page.getByRole('combobox', { name: 'Channel' })
  await box(page).fill('which one?')

  await page.getByRole('combobox', { name: 'Topic' }).fill('icons')
  await box(page).press('Control+.')
  await title(page, 'icons')
  await becomes(() => box(page).inputValue(), 'which one?')
  await channel.click()
  await page.getByRole('option', { name: 'Direct message' }).click()
  await hasFocus(page, 'people')
  await page.keyboard.type('cle')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Go to conversation' }).click()
  await title(page, 'Cleo Hopper')
  await becomes(() => box(page).inputValue(), 'which one?')
  await becomes(() => page.getByRole('button', { name: 'Go to conversation' }).count(), 0)
  await to(page).fill('ada')
  await page.keyboard.press('Enter')
  await box(page).press('Control+.')
  await title(page, 'Ada Lovelace, Cleo Hopper')
  await becomes(() => box(page).inputValue(), 'which one?')
  await page.reload()
  await title(page, 'Ada Lovelace, Cleo Hopper')
  await becomes(() => box(page).inputValue(), 'which one?')
  await page.goto('/drafts')
  await becomes(() => page.locator('.unsent-row b').allTextContents(), ['Ada Lovelace, Cleo Hopper'])

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('Tab, Shift+Tab and Enter keep recipients that the user has not changed', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (const topic of ['slow start, again', 'plans']) await sendToChannel(ada, { name: 'engines' }, 'later', topic)
  const page = await stage.openAs(ben, '/channels/2?topic=slow%20start')
  await row(page, 'It is the cache').waitFor()
  await box(page).fill('warm it up')
  const [channel, topic] = [
    page.getByRole('combobox', { name: 'Channel' }),
    page.getByRole('combobox', { name: 'Topic' }),
  ]
  const selected = page.locator('.suggestions [aria-selected="true"]')

  await channel.click()
  await becomes(() => selected.textContent(), 'engines')
  await page.getByRole('option', { name: 'design' }).hover()
  await page.keyboard.press('Tab')
  await hasFocus(page, 'topic')
  assert.equal(await channel.inputValue(), 'engines')
  await topic.click()
  await becomes(() => selected.textContent(), 'slow start')
  await page.keyboard.press('Tab')
  await hasFocus(page, 'text')
  assert.equal(await topic.inputValue(), 'slow start')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('ArrowDown')
  await selected.waitFor()
  await page.keyboard.press('Enter')
  await hasFocus(page, 'text')
  assert.equal(await topic.inputValue(), 'slow start')
  await topic.click()
  await selected.waitFor()
  await page.keyboard.press('Shift+Tab')
  await hasFocus(page, 'channel')
  await page.keyboard.press('ArrowDown')
  await selected.waitFor()
  await page.keyboard.press('Enter')
  await hasFocus(page, 'text')
  await topic.fill('slow star')
  await topic.press('t')
  await selected.waitFor()
  await page.keyboard.press('Tab')
  await hasFocus(page, 'text')
  await page.keyboard.press('Control+Enter')
  await becomes(() => newestOf(ada), { to: 'engines', subject: 'slow start', content: '<p>warm it up</p>' })

  await channel.fill('desi')
  await becomes(() => selected.textContent(), 'design')
  await page.keyboard.press('Tab')
  await becomes(() => channel.inputValue(), 'design')
  await topic.click()
  await page.getByRole('option', { name: 'icons' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await hasFocus(page, 'text')
  assert.notEqual(await topic.inputValue(), 'slow start')

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
