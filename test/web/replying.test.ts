import assert from 'node:assert/strict'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { box, hasFocus, newestOf, placeholder, row, title } from './compose-box.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

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

test('a reply in a feed goes to the conversation of its message, and the text for another one becomes a draft', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendDirect(ada, [ben], 'between us')
  const page = await stage.openAs(ben, '/channels/2?topic=slow%20start')
  await box(page).fill('first idea')
  await page.getByRole('link', { name: 'Combined feed' }).first().click()
  await row(page, 'It is the cache').locator('.message-content').click()
  await becomes(() => placeholder(page), 'Message #engines › slow start')
  await box(page).fill('second idea')

  await row(page, 'Round, please').hover()
  await row(page, 'Round, please').getByRole('button', { name: 'Reply' }).click()
  await becomes(() => placeholder(page), 'Message #design › icons')
  await hasFocus(page, 'text')
  await becomes(() => box(page).inputValue(), '')
  await page.getByText('Saved as a draft: engines › slow start').waitFor()
  await page.keyboard.type('square')
  await row(page, 'The new icons').locator('.message-content').click()
  await page.keyboard.press('r')
  await hasFocus(page, 'text')
  await becomes(() => box(page).inputValue(), 'square')
  await row(page, 'between us').locator('.message-content').click()
  await page.keyboard.press('r')
  await becomes(() => placeholder(page), 'Message Ada Lovelace')
  await page.keyboard.type('alone')
  await row(page, 'warmer grey').locator('.message-content').click()
  await page.keyboard.press('@')
  await becomes(() => placeholder(page), 'Message #design › colours')
  await becomes(() => box(page).inputValue(), '@**Ben Bitdiddle** ')
  await row(page, 'Round, please').locator('.message-content').click()
  await page.keyboard.press('>')
  await becomes(async () => (await box(page).inputValue()).includes('border-radius'), true)
  await becomes(() => placeholder(page), 'Message #design › colours')
  await page.keyboard.press('Control+Enter')
  await becomes(async () => (await newestOf(ada)).subject, 'colours')

  await page.getByRole('link', { name: 'View' }).last().click()
  const drafts = page.locator('.unsent-row')
  await becomes(
    async () =>
      (await drafts.locator('.unsent-link').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')).toSorted(),
    ['Ada Lovelace alone', 'design › icons square', 'engines › slow start first idea second idea'],
  )
  await drafts.getByText('engines').click()
  await title(page, 'slow start')
  await becomes(() => box(page).inputValue(), 'first idea\n\nsecond idea')

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a reply in a topic or in direct messages goes there, even if the text there is for others', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendDirect(ada, [ben], 'between us')
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await box(page).fill('a new thought')
  await page.getByRole('combobox', { name: 'Topic' }).fill('thoughts')

  await row(page, 'Round, please')
    .locator('.message-content')
    .dblclick({ position: { x: 600, y: 5 } })
  await becomes(() => placeholder(page), 'Message #design › icons')
  await becomes(() => box(page).inputValue(), '')
  await page.getByText('Saved as a draft: design › thoughts').waitFor()
  await page.goto(`/dm/${ada.id}`)
  await box(page).fill('for all')
  await page.getByRole('combobox', { name: 'To', exact: true }).fill('cleo')
  await page.keyboard.press('Enter')
  await row(page, 'between us').locator('.message-content').click()
  await page.keyboard.press('r')
  await becomes(() => placeholder(page), 'Message Ada Lovelace')
  await becomes(() => box(page).inputValue(), '')
  await page.getByText('Saved as a draft: Ada Lovelace, Cleo Hopper').waitFor()

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
