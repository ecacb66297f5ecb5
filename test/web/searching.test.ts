import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const fieldOf = (page: Page) => page.getByRole('combobox', { name: 'Search messages' })

// While suggestions are shown, the rest of the page is hidden from roles.
const filtersOf = (page: Page) => page.locator('.search-box .tag-label').allTextContents()

const queryOf = (page: Page) => page.evaluate(() => new URLSearchParams(location.search).get('q'))

async function startTalk() {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'engines' }, 'grey smoke', 'slow start')
  await sendToChannel(cleo, { name: 'design' }, 'Grey it is, see https://example.com', 'colours')
  return { stage, ada, ben, cleo }
}

test('filters are chosen with the keyboard, and results lead to their conversation and back', async () => {
  const { stage, ben, cleo } = await startTalk()
  const page = await stage.openAs(ben, '/inbox')
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.keyboard.press('/')
  await fieldOf(page).pressSequentially('grey')

  await page.getByRole('option', { name: 'Search for “grey”' }).waitFor()
  await page.keyboard.press('Enter')

  await becomes(() => page.locator('.highlight').allTextContents(), ['grey', 'grey', 'Grey'])
  assert.deepEqual(await inspect(page, 'search'), [])
  await fieldOf(page).pressSequentially(' from:cl')
  await page.getByRole('option', { name: 'from: Cleo Hopper' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await becomes(() => filtersOf(page), ['from: Cleo Hopper'])
  await becomes(() => page.locator('.highlight').allTextContents(), ['Grey'])
  assert.equal(await queryOf(page), `from:${cleo.id}-Cleo-Hopper grey`)
  await page.getByRole('heading', { level: 2 }).getByRole('link', { name: 'colours' }).click()
  await page.locator('.message[data-near]', { hasText: 'Grey it is' }).waitFor()
  await page.goBack()
  await page.locator('.highlight').waitFor()
  await becomes(() => filtersOf(page), ['from: Cleo Hopper'])
  await page.goBack()
  await becomes(() => page.locator('.highlight').count(), 3)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('words that match in a topic are marked in its bar', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, 'Anything', '✔ zebra & lion')
  const page = await stage.openAs(ben, '/search?q=zebra')

  const link = page.locator('.timeline-bar-title a', { hasText: 'zebra & lion' })
  await link.waitFor()
  await becomes(() => page.locator('.highlight').allTextContents(), ['zebra'])
  await link.getByRole('img', { name: 'Resolved' }).waitFor()
  assert.equal((await link.textContent())?.trim(), 'zebra & lion')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('results are ordered by relevance on request, and the address keeps the order', async () => {
  const { stage, ada, ben } = await startTalk()
  await sendToChannel(ada, { name: 'engines' }, `Violet ${'and so on '.repeat(30)}`, 'paint')
  await sendToChannel(ada, { name: 'engines' }, 'Violet it is, violet for all', 'paint')
  await sendToChannel(ada, { name: 'design' }, 'Is there any violet paint left in the cellar?', 'colours')
  const page = await stage.openAs(ben, '/search?q=violet')
  const starts = async () => (await page.locator('.message-content').allTextContents()).map((text) => text.slice(0, 9))
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await becomes(starts, ['Violet an', 'Violet it', 'Is there '])

  await button('Most relevant').click()

  await becomes(starts, ['Violet it', 'Is there ', 'Violet an'])
  assert.equal(await button('Most relevant').getAttribute('aria-pressed'), 'true')
  assert.deepEqual(await inspect(page, 'search-by-relevance'), [])
  await page.reload()
  await becomes(starts, ['Violet it', 'Is there ', 'Violet an'])
  await fieldOf(page).fill('violet paint')
  await page.keyboard.press('Enter')
  await becomes(() => queryOf(page), 'violet paint')
  assert.equal(new URL(page.url()).searchParams.get('order'), 'relevance')
  await page.getByRole('heading', { level: 2 }).getByRole('link', { name: 'colours' }).last().click()
  await page.locator('.message[data-near]', { hasText: 'Is there any' }).waitFor()
  await page.goBack()
  await button('By date').click()
  await becomes(async () => new URL(page.url()).searchParams.get('order'), null)
  await fieldOf(page).fill('nothingness')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'No messages found' }).waitFor()
  await button('Most relevant').click()
  await page.getByRole('heading', { name: 'No messages found' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a typed or pasted search finds the same as chosen filters, and filters are removed by key and click', async () => {
  const { stage, ben, cleo } = await startTalk()
  const page = await stage.openAs(ben, '/search')
  await fieldOf(page).fill('from:cleo -has:image after:yesterday has:link grey')
  await page.keyboard.press('Enter')

  await becomes(() => page.locator('.highlight').allTextContents(), ['Grey'])
  const day = (await queryOf(page))?.match(/after:(\d{4}-\d\d-\d\d)/)?.[1]
  await becomes(() => filtersOf(page), ['from: Cleo Hopper', '-has: image', `after: ${day}`, 'has: link'])
  await fieldOf(page).fill('')
  for (let left = 3; left > 0; left--) {
    await page.keyboard.press('Backspace')
    await becomes(async () => (await filtersOf(page)).length, left)
  }
  await becomes(() => filtersOf(page), ['from: Cleo Hopper'])
  assert.equal(await queryOf(page), `from:${cleo.id}-Cleo-Hopper`)
  await page.getByRole('row', { name: 'from: Cleo Hopper' }).getByRole('button').click()
  await page.getByRole('heading', { name: 'Recent searches' }).waitFor()
  assert.equal(await queryOf(page), null)
  await page.getByRole('button', { name: 'grey' }).click()
  await page.locator('.highlight').waitFor()
  await fieldOf(page).fill('grey is:unread ')
  await becomes(() => filtersOf(page), ['from: Cleo Hopper', '-has: image', `after: ${day}`, 'has: link', 'is: unread'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the search says which filter it does not understand, and what to try if nothing is found', async () => {
  const { stage, ben } = await startTalk()
  const page = await stage.openAs(ben, '/search')
  await fieldOf(page).fill('from:zelda has:wings channel:nowhere before:soon from: grey')
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Couldn’t understand part of the search' }).waitFor()
  await becomes(
    () => page.getByRole('alert').locator('p').allTextContents(),
    [
      'No one matches “zelda”.',
      '“has:wings” doesn’t exist. Try link, image, attachment, reaction.',
      'There is no channel “nowhere”, or you can’t see it.',
      '“soon” isn’t a date. Use a date such as 2026-01-31, or “yesterday”.',
      'Enter a value after “from:”.',
    ],
  )
  assert.deepEqual(await inspect(page, 'search-not-understood'), [])
  await page.goto('/search?q=is:dm topic:tea')
  await page.getByText('No message can be both a channel message and direct message').first().waitFor()
  await page.goto('/search?q=from:me zebr')
  await page.getByRole('heading', { name: 'No messages found' }).waitFor()
  assert.deepEqual(await inspect(page, 'search-nothing-found'), [])
  await page.getByRole('button', { name: 'Remove the filters' }).click()
  await becomes(() => queryOf(page), 'zebr')
  await page.getByRole('button', { name: 'Words that begin with “zebr”' }).click()
  await becomes(() => queryOf(page), 'zebr*')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('public channels that the user has not joined are searched on request', async () => {
  const { stage, ada, ben } = await startTalk()
  await stage.chat.channel('garage', [ada])
  await sendToChannel(ada, { name: 'garage' }, 'a zebra crossing', 'roads')
  const page = await stage.openAs(ben, '/search?q=zebra')
  await page.getByRole('heading', { name: 'No messages found' }).waitFor()

  await page.locator('.empty').getByRole('button', { name: 'Search all public channels' }).click()

  await becomes(() => page.locator('.highlight').allTextContents(), ['zebra'])
  const toggle = page.getByRole('button', { name: 'Search all public channels' })
  await becomes(() => toggle.getAttribute('aria-pressed'), 'true')
  await toggle.click()
  await page.getByRole('heading', { name: 'No messages found' }).waitFor()
  assert.equal(await queryOf(page), 'zebra')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('channels, topics and direct messages are searched from their pages', async () => {
  const { stage, ada, ben } = await startTalk()
  await sendDirect(ada, [ben], 'grey mail')
  const [engines] = (await ben.succeed('GET /users/me/subscriptions'))['subscriptions'].filter(
    ({ name }: { name: string }) => name === 'engines',
  )
  const page = await stage.openAs(ben, `/channels/${engines.stream_id}?topic=slow+start`)

  await page.getByRole('button', { name: 'Search this topic' }).click()
  await becomes(() => filtersOf(page), ['channel: engines', 'topic: slow start'])
  await fieldOf(page).fill('grey')
  await page.keyboard.press('Enter')
  await becomes(() => page.locator('.message', { hasText: 'smoke' }).count(), 1)

  await page.goto(`/dm/${ada.id}`)
  await page.getByRole('button', { name: 'Search these direct messages' }).click()
  await becomes(() => filtersOf(page), ['dm: Ada Lovelace'])
  await fieldOf(page).fill('gr*')
  await page.keyboard.press('Enter')
  await becomes(() => page.locator('.highlight').allTextContents(), ['grey'])

  await page.goto(`/channels/${engines.stream_id}`)
  await page.getByRole('button', { name: 'Search #engines' }).click()
  await fieldOf(page).fill('topic:')
  await page.getByRole('option', { name: 'slow start' }).click()
  await becomes(() => filtersOf(page), ['channel: engines', 'topic: slow start'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('recent searches are suggested, and removed when the user logs out', async () => {
  const { stage, ben } = await startTalk()
  const page = await stage.openAs(ben, '/search')
  await fieldOf(page).fill('grey')
  await page.keyboard.press('Enter')
  await page.locator('.highlight').first().waitFor()

  await page.getByRole('button', { name: 'Clear search' }).click()
  await becomes(() => queryOf(page), null)
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'grey' }).click()

  await becomes(() => queryOf(page), 'grey')
  const stored = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.endsWith('.searches')).length)
  assert.equal(await stored(), 1)
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.waitForURL(/\/login\//)
  await becomes(stored, 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('names with spaces are typed as they are read, and buttons start the filters used most', async () => {
  const { stage, ada, ben, cleo } = await startTalk()
  const page = await stage.openAs(ben, '/search?q=sender:Ada Lovelace grey')
  await becomes(() => filtersOf(page), ['from: Ada Lovelace'])
  await becomes(() => page.locator('.highlight').allTextContents(), ['grey'])
  assert.equal(await queryOf(page), `from:${ada.id}-Ada-Lovelace grey`)
  await page.getByText('1 message', { exact: true }).waitFor()

  await page.goto('/search')
  await fieldOf(page).pressSequentially('dm:Ada Lovelace, Cleo Hop')
  await page.getByRole('option', { name: 'dm: Cleo Hopper' }).waitFor()
  await fieldOf(page).pressSequentially('per')
  await page.keyboard.press('Enter')
  await becomes(() => filtersOf(page), ['dm: Ada Lovelace, Cleo Hopper'])

  await page.goto('/search?q=topic:slow%2Bstart')
  await becomes(() => filtersOf(page), ['topic: slow start'])
  await page.getByText('2 messages', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Person', exact: true }).click()
  await page.getByRole('option', { name: 'from: Ben Bitdiddle' }).waitFor()
  await page.keyboard.type('Ben Bit')
  await page.getByRole('option', { name: 'from: Ben Bitdiddle' }).click()
  await becomes(() => filtersOf(page), ['topic: slow start', 'from: Ben Bitdiddle'])
  await page.getByRole('button', { name: 'With files' }).click()
  await becomes(() => filtersOf(page), ['topic: slow start', 'from: Ben Bitdiddle', 'has: attachment'])
  assert.ok(cleo.id > 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('topics of all channels are suggested without a channel, and the empty page lists all filters', async () => {
  const { stage, ben } = await startTalk()
  const page = await stage.openAs(ben, '/search')
  await page.getByRole('heading', { name: 'All filters' }).waitFor()
  await page.locator('.search-reference').getByText('has:attachment').waitFor()

  await fieldOf(page).pressSequentially('topic:slo')
  await page.getByRole('option', { name: 'slow start' }).click()

  await becomes(() => filtersOf(page), ['topic: slow start'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
