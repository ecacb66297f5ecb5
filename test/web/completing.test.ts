import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Chat } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { type Cast, fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const box = (page: Page) => page.getByLabel(/^Message/)
const options = (page: Page) => page.getByRole('listbox').getByRole('option')
const text = (page: Page) => box(page).inputValue()

/** Returns the names of the suggestions, without their details. */
const names = (page: Page) => options(page).locator('.suggestion-label').allInnerTexts()

async function fillWithMore(chat: Chat): Promise<Cast> {
  const cast = await fillExample(chat)
  await chat.user('carl', { fullName: 'Carl Outsider' })
  await chat.user('olga', { fullName: 'Olga Petrova', email: 'zq.desk@example.com' })
  await chat.user('grace1', { fullName: 'Grace Same' })
  await chat.user('grace2', { fullName: 'Grace Same' })
  await cast.ada.succeed('POST /user_groups/create', {
    name: 'cartography',
    description: 'Maps',
    members: [cast.ada.id, cast.ben.id],
  })
  return cast
}

test('people, groups and everyone are mentioned by keyboard and mouse', async () => {
  const stage = await openStage()
  const { ben } = await fillWithMore(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/streams/*/members', async (route) => {
    await gate.promise
    await route.continue()
  })
  await page.reload()

  await box(page).pressSequentially('Hello @c')
  await options(page).first().waitFor()
  await becomes(() => names(page), ['Cleo Hopper', 'Carl Outsider', 'cartography'])
  // The list learns later who is in the channel.
  gate.resolve()
  await options(page).filter({ hasText: 'Carl' }).getByText('not in #design').waitFor()
  assert.deepEqual(await inspect(page, 'completion'), [])
  const first = await options(page).first().getAttribute('id')
  await becomes(() => box(page).getAttribute('aria-activedescendant'), first)
  await page.keyboard.press('ArrowDown')
  await becomes(() => page.locator('[aria-selected="true"]').innerText(), 'CO\nCarl Outsider\nnot in #design')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await becomes(() => text(page), 'Hello @**Cleo Hopper** ')
  await page.keyboard.type('and @cart')
  await options(page).filter({ hasText: 'cartography' }).click()
  await becomes(() => text(page), 'Hello @**Cleo Hopper** and @*cartography* ')
  await page.keyboard.type('@_ada')
  await options(page).first().waitFor()
  await page.keyboard.press('Tab')
  await becomes(() => text(page), 'Hello @**Cleo Hopper** and @*cartography* @_**Ada Lovelace** ')
  await box(page).fill('@all')
  await options(page).first().waitFor()
  await page.keyboard.press('Enter')
  await becomes(() => text(page), '@**all** ')
  await box(page).fill('@zq.d')
  await becomes(() => names(page), ['Olga Petrova'])
  await box(page).pressSequentially('esk@')
  await becomes(() => names(page), ['Olga Petrova'])
  await page.keyboard.press('Enter')
  await becomes(() => text(page), '@**Olga Petrova** ')
  await box(page).fill('@grace')
  await becomes(() => options(page).count(), 2)
  const details = await options(page).locator('.suggestion-detail').allInnerTexts()
  assert.deepEqual(details.map((detail) => detail.split(' · ')[0]).sort(), ['grace1@example.com', 'grace2@example.com'])
  await page.keyboard.press('Enter')
  await becomes(async () => /^@\*\*Grace Same\|\d+\*\* $/.test(await text(page)), true)
  await box(page).fill('@ada')
  await options(page).first().waitFor()
  await page.keyboard.press('Escape')
  await becomes(() => options(page).count(), 0)
  await becomes(() => text(page), '@ada')
  await becomes(() => box(page).evaluate((area) => area === document.activeElement), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('channels are linked, and > continues to their topics', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/2?topic=slow%20start')
  await page.getByText('It is the cache').waitFor()

  await box(page).pressSequentially('see #des')
  await options(page).filter({ hasText: 'design' }).waitFor()
  await page.keyboard.press('>')
  await options(page).filter({ hasText: 'icons' }).waitFor()
  await becomes(() => text(page), 'see #**design>')
  await page.keyboard.type('ico')
  await becomes(() => names(page), ['icons'])
  await page.keyboard.press('Enter')
  await becomes(() => text(page), 'see #**design>icons** ')
  await page.keyboard.type('and #eng')
  await options(page).filter({ hasText: 'engines' }).click()

  await becomes(() => text(page), 'see #**design>icons** and #**engines** ')
  await page.keyboard.press('Control+Enter')
  await page.locator('.message-content a', { hasText: 'icons' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('emoji are completed by name and keyword, and keep a skin tone', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()

  await box(page).pressSequentially('done :tad')
  await options(page).filter({ hasText: 'tada' }).waitFor()
  await page.keyboard.press('Enter')
  await becomes(() => text(page), 'done :tada: ')
  await box(page).fill(':bye')
  await options(page).filter({ hasText: 'wave' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Emoji', exact: true }).click()
  await page.locator('.tone').last().click()
  await becomes(() => page.getByRole('radio', { name: 'Dark', exact: true }).isChecked(), true)
  await page.getByLabel('Search emoji').fill('thumbs up')
  await page.getByRole('option', { name: '+1' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await box(page).fill(':+1')
  await options(page).first().waitFor()
  await page.keyboard.press('Enter')
  await becomes(() => text(page), '👍🏿 ')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('commands, languages, times and topics are completed', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  await box(page).pressSequentially('/da')
  await options(page).filter({ hasText: '/dark' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Dark theme on').waitFor()
  await becomes(() => page.evaluate(() => document.documentElement.dataset['theme']), 'dark')
  await becomes(() => text(page), '')
  await box(page).pressSequentially('```pyth')
  await options(page).filter({ hasText: 'python' }).waitFor()
  await page.keyboard.press('Enter')
  await becomes(() => text(page), '```python\n')
  await box(page).fill('')
  await box(page).pressSequentially('at <time')
  await options(page).first().click()
  await page.getByRole('dialog').getByLabel('When').fill('2026-12-31T18:00')
  await page.getByRole('dialog').getByRole('button', { name: 'Insert' }).click()
  await becomes(() => text(page), 'at <time:2026-12-31T18:00:00Z> ')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await becomes(() => box(page).evaluate((area) => area === document.activeElement), true)
  const topic = page.getByRole('combobox', { name: 'Topic' })
  await topic.fill('ico')
  await page.getByText('↑↓ choose   Tab or Enter keep your text   Esc close').waitFor()
  await topic.press('ArrowDown')
  await page.getByText('↑↓ choose   Tab or Enter insert   Esc close').waitFor()
  await options(page).filter({ hasText: 'icons' }).click()
  await becomes(() => topic.inputValue(), 'icons')
  await becomes(() => box(page).evaluate((area) => area === document.activeElement), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('suggestions follow the text before the next key is handled', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  await box(page).pressSequentially('```p')
  await options(page).filter({ hasText: 'perl' }).waitFor()
  const offered = await box(page).evaluate(async (area: HTMLTextAreaElement) => {
    area.setRangeText('yth', area.value.length, area.value.length, 'end')
    area.dispatchEvent(new InputEvent('input', { bubbles: true }))
    for (let turn = 0; turn < 100; turn += 1) await null
    return [...document.querySelectorAll('[role=option]')].map(({ textContent }) => textContent)
  })
  assert.deepEqual(offered, ['python'])
  await page.keyboard.press('Enter')
  await becomes(() => text(page), '```python\n')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('warnings name who misses the message, and offer to add them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillWithMore(stage.chat)
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()

  await box(page).fill('@**Carl Outsider** look')
  await page.getByText('Carl Outsider isn’t in #design and won’t see this.').waitFor()
  assert.deepEqual(await inspect(page, 'composer-warning'), [])
  await page.getByRole('button', { name: 'Add to channel' }).click()
  await page.getByText('Carl Outsider is not in').waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Topic' }).fill('sounds')
  await page.getByText('“sounds” is a new topic.').waitFor()

  await sendToChannel(ben, { name: 'design' }, 'Settled.', '✔ logo')
  await page.goto('/channels/1?topic=%E2%9C%94%20logo')
  await page.getByText('Settled.').waitFor()
  await box(page).fill('Once more')
  await page.locator('.warnings').getByRole('button', { name: 'Unresolve topic' }).click()
  await page.locator('.warnings').getByRole('button', { name: 'Unresolve topic' }).waitFor({ state: 'detached' })
  await box(page).press('Control+Enter')
  await page.waitForURL('**/channels/1?topic=logo*')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('mentioning many people asks for confirmation, and a channel closed to posting gives the reason', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const crowd = []
  for (let number = 0; number < 14; number++) crowd.push(await stage.chat.user(`extra${number}`))
  await stage.chat.channel('hall', [ada, ben, ...crowd])
  const { streams } = await ada.succeed('GET /streams')
  const hall = streams.find(({ name }: { name: string }) => name === 'hall')
  const page = await stage.openAs(ada, `/channels/${hall.stream_id}?topic=party`)

  await box(page).fill('@**all** come')
  await page.getByText('This message notifies all 16 people in #hall.').waitFor()
  await box(page).press('Control+Enter')
  await page.getByRole('alertdialog', { name: 'Notify 16 people?' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await becomes(() => text(page), '@**all** come')
  await box(page).press('Control+Enter')
  await page.getByRole('button', { name: 'Notify and send' }).click()
  await page.locator('.message-content', { hasText: 'come' }).waitFor()

  await ada.succeed(`PATCH /streams/${hall.stream_id}`, {
    can_send_message_group: { new: { direct_members: [ada.id], direct_subgroups: [] } },
  })
  const bens = await stage.openAs(ben, `/channels/${hall.stream_id}?topic=party`)
  await bens.getByText('You don’t have permission to post in #hall.').waitFor()
  await becomes(() => bens.locator('textarea').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
