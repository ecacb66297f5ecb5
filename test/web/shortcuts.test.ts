import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Role } from '#rules/role.ts'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { untilFocusIn } from './by-keyboard.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

const untilFocused = (page: Page, text: string) =>
  page.waitForFunction((text) => document.activeElement?.querySelector('.message-content')?.textContent === text, text)

test('shortcuts move between messages, to unread conversations and to the compose box', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await ben.succeed('POST /mark_all_as_read')
  for (const text of ['one', 'two', 'three']) await sendToChannel(ada, { name: 'engines' }, text, 'numbers')
  await sendDirect(cleo, [ben], 'just you')
  const page = await stage.openAs(ben, '/')
  const { keyboard } = page
  await title(page, 'Inbox')

  await keyboard.press('n')
  await title(page, 'numbers')
  await page.locator('.message-content', { hasText: 'three' }).waitFor()
  await keyboard.press('j')
  await untilFocused(page, 'one')
  await keyboard.press('j')
  await keyboard.press('ArrowDown')
  await untilFocused(page, 'three')
  await keyboard.press('k')
  await untilFocused(page, 'two')
  await keyboard.press('r')
  await keyboard.type('j and k')
  await becomes(() => page.getByLabel('Message engines').inputValue(), 'j and k')
  await keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.matches('[data-message]'))
  await keyboard.press('s')
  await title(page, 'engines')
  await page.locator('.message[data-near]', { hasText: 'two' }).focus()
  await keyboard.press('s')
  await title(page, 'numbers')
  await keyboard.press('p')
  await title(page, 'Cleo Hopper')
  await keyboard.press('Shift+I')
  await title(page, 'Inbox')
  await keyboard.press('a')
  await title(page, 'Combined')
  await page.getByRole('article').filter({ hasText: 'just you' }).focus()
  await keyboard.press('z')
  await title(page, 'Cleo Hopper')
  await page.locator('.message[data-near]', { hasText: 'just you' }).focus()
  await keyboard.press('Escape')
  await title(page, 'Inbox')
  await keyboard.press('/')
  await title(page, 'Search')
  await page.waitForFunction(() => document.activeElement?.matches('.search-input'))
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('shortcuts are listed, and single-key shortcuts can be turned off', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/inbox')
  await title(page, 'Inbox')

  await page.keyboard.press('?')
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  assert.deepEqual(await inspect(page, 'shortcuts'), [])
  await page.getByText('Single-key shortcuts').click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('a')
  await page.keyboard.press('Control+k')

  await page.getByRole('dialog', { name: 'Search or jump to…' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await title(page, 'Inbox')
  await stage.close()
})

test('a user changes shortcuts, no key twice, and the list shows them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/keyboard')
  const combined = page.getByLabel('Combined feed', { exact: true })
  await combined.focus()

  await page.keyboard.type('q')
  await page.getByText('Q is already used for “Filter channels”').waitFor()
  await becomes(() => combined.inputValue(), 'a')
  await page.keyboard.type('o')
  await page.getByRole('status').filter({ hasText: 'Saved: O' }).waitFor()
  await becomes(() => combined.inputValue(), 'o')
  assert.deepEqual(await inspect(page, 'settings-keyboard'), [])
  await page.reload()
  await page.getByRole('button', { name: 'Reset to default' }).focus()
  await page.keyboard.press('?')
  const list = page.getByRole('dialog')
  await list.locator('div', { hasText: /^Combined feedO$/ }).waitFor()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.press('a')
  await page.keyboard.press('o')

  await title(page, 'Combined')
  await stage.signIn(page, ada)
  await page.goto('/inbox')
  await title(page, 'Inbox')
  await page.keyboard.press('a')
  await title(page, 'Combined')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the quick switcher finds conversations, people, messages, pages and commands', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/profile')
  await title(page, 'Profile')

  await page.keyboard.press('Control+k')
  await page.getByRole('menuitem', { name: 'Next channel' }).waitFor()
  assert.deepEqual(await inspect(page, 'switcher'), [])
  await page.keyboard.type('engi')
  await page.getByRole('menuitem', { name: 'Next channel' }).waitFor({ state: 'detached' })
  await page.getByRole('menuitem', { name: 'Search messages for “engi”' }).waitFor()
  await page.keyboard.press('Enter')
  await title(page, 'engines')

  const open = async (typed: string, row: string) => {
    await page.keyboard.press('Control+k')
    await untilFocusIn(page, '.switcher')
    await page.keyboard.type(typed)
    await page.getByRole('menuitem', { name: row }).click()
  }
  await open('warmer', 'could we try a warmer grey?')
  await page.locator('.message[data-near]', { hasText: 'a warmer grey' }).waitFor()
  await open('@cleo', 'Cleo Hopper')
  await title(page, 'Cleo Hopper')
  await open('design col', 'design › colours')
  await title(page, 'colours')
  await open('>keyb', 'Settings › Keyboard')
  await title(page, 'Keyboard')
  await page.keyboard.press('Control+k')
  await untilFocusIn(page, '.switcher')
  await page.keyboard.type('#zzz')
  await page.getByText('No matches.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 360, height: 720 })
  await page.goto('/settings/profile')
  await title(page, 'Profile')
  await page.keyboard.press('q')

  await page.waitForFunction(() => document.activeElement?.closest('search.pane-filter') != null)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the quick switcher offers guests no pages that they may not open', async () => {
  const stage = await openStage()
  await fillExample(stage.chat)
  const guest = await stage.chat.user('gus', { role: Role.guest })
  const page = await stage.openAs(guest, '/inbox')
  await title(page, 'Inbox')

  await page.keyboard.press('Control+k')
  await untilFocusIn(page, '.switcher')
  await page.keyboard.type('>')
  await page.getByRole('menuitem', { name: 'Starred' }).waitFor()
  for (const name of ['Create channel', 'Invitations', 'Outbox', 'Integrations'])
    assert.equal(await page.getByRole('menuitem', { name, exact: true }).count(), 0, name)
  await page.keyboard.type('emoji')
  await page.getByRole('menuitem', { name: 'Starred' }).waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('menuitem', { name: 'Custom emoji' }).count(), 0)

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('links of other Zulip clients open their message', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const id = await sendToChannel(ada, { name: 'engines' }, 'meant', 'a/b')
  await sendToChannel(ada, { name: 'design' }, 'see #**engines>a/b**', 'colours')
  const page = await stage.openAs(ben, `/#narrow/channel/2-engines/topic/a.2Fb/near/${id}`)
  await title(page, 'a/b')
  await page.locator('.message[data-near]', { hasText: 'meant' }).waitFor()

  await page.goto('/channels/1')
  await page.getByRole('link', { name: /engines.*a\/b/ }).click()

  await title(page, 'a/b')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
