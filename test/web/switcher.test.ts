import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const rowsOf = (page: Page) => page.locator('.switcher-row')

async function open(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await rowsOf(page).first().waitFor()
}

test('the switcher opens with the unread conversations, and Enter opens the first of them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ben.succeed('POST /mark_all_as_read')
  await sendToChannel(ada, { name: 'engines' }, 'is it warm?', 'slow start')
  await sendToChannel(ada, { name: 'engines' }, 'it is', 'slow start')
  await ada.succeed('POST /messages', { type: 'direct', to: [ada.id], content: 'a note' })
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.locator('.message-content').first().waitFor()

  await open(page)
  await becomes(
    async () => (await page.locator('.switcher-row[data-focused]').textContent()) ?? '',
    'engines › slow start2 unread',
  )
  const recent = page.getByRole('group', { name: 'Recent' }).locator('.switcher-name')
  const names = await recent.allTextContents()
  assert.equal(names.includes('design › icons'), false, 'the current conversation is not listed')
  const all = await page.locator('.switcher-name').allTextContents()
  const pages = all.slice(names.length)
  assert.deepEqual(pages.toSorted(), [...new Set(pages)].toSorted(), 'no page is listed twice')

  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'slow start' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('keys that are pressed before the switcher appears are typed into it, and not into the message', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', { enter_sends: true })
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const box = page.getByLabel(/^Message /)
  await box.click()
  const gate = Promise.withResolvers<void>()
  await page.route('**/switcher*.js', (route) => gate.promise.then(() => route.continue()))

  await page.keyboard.press('Control+k')
  await page.keyboard.type('colo', { delay: 20 })
  await page.keyboard.press('Enter')
  gate.resolve()

  const field = page.locator('.switcher-input')
  await becomes(() => field.inputValue(), 'colo')
  assert.equal(await box.inputValue(), '')
  await page.keyboard.type('urs')
  await becomes(() => page.locator('.switcher-row[data-focused]').count(), 1)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'colours' }).waitFor()
  const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.doesNotMatch(messages[0].content, /colo/)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('resolved topics are found by their title, and have a mark in the switcher and in the suggestions', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, 'It has zebras.', '✔ logo')
  const page = await stage.openAs(ben, '/search')
  const markOf = (row: Locator) => row.getByRole('img', { name: 'Resolved' })

  await page.getByRole('combobox', { name: 'Search messages' }).pressSequentially('topic:log')
  const option = page.getByRole('option', { name: 'logo' })
  await markOf(option).waitFor()
  assert.doesNotMatch((await option.textContent()) ?? '', /✔/)
  await option.click()
  await becomes(() => page.locator('.search-box .tag-label').allTextContents(), ['topic: logo'])
  await page.getByText('It has zebras.').waitFor()

  await page.goto('/channels/1?topic=icons')
  await page.getByRole('textbox', { name: /^Message / }).fill('#**design>lo')
  const link = page.getByRole('option', { name: 'logo' })
  await markOf(link).waitFor()
  assert.doesNotMatch((await link.textContent()) ?? '', /✔/)

  await open(page)
  await page.keyboard.type('logo')
  const topic = rowsOf(page).filter({ hasText: 'design › ' })
  await markOf(topic).waitFor()
  assert.match((await topic.textContent()) ?? '', /^design ›\s*logo/)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('zebras')
  const message = rowsOf(page).filter({ hasText: 'It has zebras.' })
  await markOf(message).waitFor()
  assert.match((await message.textContent()) ?? '', /logo ›/)
  assert.doesNotMatch((await message.textContent()) ?? '', /✔/)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the name of a person opens the conversation with them rather than with a group, and their last name does, too', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const zoe = await stage.chat.user('zoe', { fullName: 'Zoe Ray' })
  await sendDirect(zoe, [cleo, ben], 'all of us')
  await sendToChannel(ada, { name: 'design' }, 'cake?', 'hopper')
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()

  await open(page)
  await page.keyboard.type('cleo')
  await page.locator('.switcher-row[data-focused]', { hasText: 'Cleo Hopper' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: /^Cleo Hopper/ }).waitFor()
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Cleo Hopper')

  await open(page)
  await page.keyboard.type('cleo')
  const people = page.getByRole('group', { name: 'People' }).locator('.switcher-name')
  await becomes(() => people.allTextContents(), ['Cleo Hopper', 'Cleo Hopper, Zoe Ray'])
  await page.keyboard.press('Control+a')
  await page.keyboard.type('#cleo')
  await becomes(() => rowsOf(page).locator('.switcher-name').allTextContents(), ['Cleo Hopper, Zoe Ray'])
  await page.keyboard.press('Control+a')
  await page.keyboard.type('hopper')
  await page.locator('.switcher-row[data-focused]', { hasText: 'design › hopper' }).waitFor()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('hop')
  await page.locator('.switcher-row[data-focused]', { hasText: 'Cleo Hopper' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('after a person is chosen, the user can type at once, and a draft keeps its recipients', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, `/dm/${ada.id}`)
  const box = page.locator('.composer textarea')
  const choose = async (name: string) => {
    await open(page)
    await page.keyboard.type(name)
    await page.locator('.switcher-row[data-focused]', { hasText: name }).waitFor()
    await page.keyboard.press('Enter')
  }
  const hasFocus = (selector: string) =>
    becomes(() => page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector), true)
  await box.fill('for both')
  await page.getByRole('combobox', { name: 'To', exact: true }).fill('cleo')
  await page.keyboard.press('Enter')

  await choose('Cleo Hopper')
  await page.getByRole('heading', { level: 1, name: 'Cleo Hopper', exact: true }).waitFor()
  await hasFocus('.composer textarea')
  await page.keyboard.type('hello')
  await becomes(() => box.inputValue(), 'hello')
  await choose('Ada Lovelace')
  await page.getByRole('heading', { level: 1, name: 'Ada Lovelace', exact: true }).waitFor()
  await hasFocus('.composer textarea')
  await becomes(() => box.inputValue(), 'for both')
  await becomes(() => page.locator('.recipient-person').count(), 2)
  await page.locator('main').focus()
  await choose('Ada Lovelace')
  await hasFocus('.composer textarea')

  await choose('colours')
  await page.getByRole('heading', { level: 1, name: 'colours' }).waitFor()
  await hasFocus('main')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a word that names a command runs it, before messages are searched', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()

  await open(page)
  await page.keyboard.type('dark')
  await page.locator('.switcher-row[data-focused]', { hasText: 'light and dark theme' }).waitFor()
  await page.keyboard.press('Enter')

  await becomes(() => page.evaluate(() => document.documentElement.dataset['theme']), 'dark')
  assert.equal(new URL(page.url()).pathname, '/inbox')
  await open(page)
  await page.keyboard.type('icon')
  await page.locator('.switcher-row mark').first().waitFor()
  const [mark, ground] = await page
    .locator('.switcher-row mark')
    .first()
    .evaluate((element) => [
      getComputedStyle(element).backgroundColor,
      getComputedStyle(element.closest('.modal')!).backgroundColor,
    ])
  assert.notEqual(mark, ground)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the status, log out, create channel and invite people are found as commands', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/inbox')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  const run = async (words: string, found: string) => {
    await open(page)
    await page.keyboard.type(words)
    await page.locator('.switcher-row[data-focused]', { hasText: found }).waitFor()
    await page.keyboard.press('Enter')
  }

  await run('status', 'Set status…')
  await page.getByRole('dialog', { name: 'Set status' }).waitFor()
  await page.keyboard.press('Escape')
  await run('invite people', 'Invite people')
  await page.getByRole('dialog', { name: /^Invite people to/ }).waitFor()
  await page.keyboard.press('Escape')
  for (const words of ['create channel', 'new channel']) {
    await run(words, 'Create channel')
    await page.getByRole('heading', { level: 1, name: 'Create channel' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  }
  await run('log out', 'Log out')
  await page.waitForURL('**/login/')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
