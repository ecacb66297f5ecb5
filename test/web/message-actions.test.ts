import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { fetchMessage, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { untilFocusIn } from './by-keyboard.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { choose, openMenu, rowOf } from './message-row.ts'
import { openStage } from './stage.ts'

const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

test('a reminder of a message is set with a natural time and a note, undone, and listed with scheduled messages', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const reminders = async () => (await ben.succeed('GET /reminders'))['reminders']
  const start = Math.floor((await page.evaluate(() => Date.now())) / 1000)
  await rowOf(page, 'Round, please').waitFor()

  await choose(page, 'Round, please', 'Remind me…')
  const menu = page.getByRole('menu', { name: 'Remind me' })
  await menu.getByRole('menuitem', { name: 'In 20 minutes' }).waitFor()
  assert.deepEqual(await inspect(page, 'message-reminder'), [])
  await menu.getByRole('menuitem', { name: 'In 20 minutes' }).click()
  const toast = page.locator('.toast', { hasText: 'Reminder set for' })
  await toast.waitFor()
  assert.partialDeepStrictEqual(await reminders(), [
    { reminder_target_message_id: 2, content: '', scheduled_delivery_timestamp: start + 20 * 60 },
  ])
  await toast.getByRole('button', { name: 'Undo' }).click()
  await becomes(async () => (await reminders()).length, 0)

  await choose(page, 'Round, please', 'Remind me…')
  await menu.getByRole('menuitem', { name: 'Custom time…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remind me' })
  await dialog.getByLabel('Describe the time').fill('tomorrow 9')
  await becomes(async () => /T09:00$/.test(await dialog.getByLabel('When').inputValue()), true)
  await dialog.getByLabel('Note').fill('Ask Cleo')
  assert.deepEqual(await inspect(page, 'reminder-dialog'), [])
  await dialog.getByRole('button', { name: 'Remind me' }).click()
  await toast.waitFor()

  await page.goto(new URL('/scheduled', page.url()).href)
  const row = page.getByRole('listitem').filter({ hasText: 'Ask Cleo' })
  await row.getByText('Reminder', { exact: true }).waitFor()
  assert.deepEqual(await inspect(page, 'reminders'), [])
  await row.getByRole('button', { name: /^Edit reminder: / }).click()
  const edit = page.getByRole('dialog', { name: 'Edit reminder' })
  await edit.getByLabel('Note').fill('Ask Ada')
  await edit.getByRole('button', { name: 'Save' }).click()
  const changed = page.getByRole('listitem').filter({ hasText: 'Ask Ada' })
  await changed.getByRole('button', { name: /^Delete reminder: / }).click()
  await page.getByText('No scheduled messages').waitFor()
  await page.locator('.toast', { hasText: 'Reminder deleted' }).getByRole('button', { name: 'Undo' }).click()
  await changed.waitFor()
  await becomes(
    async () =>
      (await reminders()).map((one: Record<string, unknown>) => [one['reminder_target_message_id'], one['content']]),
    [[2, 'Ask Ada']],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the menu of a message copies, quotes and stars it, and shows its source', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  await openMenu(page, 'Round, please')
  await page.getByRole('menuitem', { name: 'Copy link' }).waitFor()
  assert.deepEqual(await inspect(page, 'message-menu'), [])
  await becomes(() => page.getByRole('menuitem', { name: 'Delete' }).count(), 0)
  await page.keyboard.press('Escape')

  await choose(page, 'Round, please', 'Copy link to message')
  await page.getByText('Link copied').waitFor()
  assert.equal(await copied(page), `${stage.url}/#narrow/channel/1-design/topic/icons/near/2`)
  await choose(page, 'Round, please', 'Copy as Markdown')
  await page.getByText('Markdown copied').waitFor()
  assert.equal(await copied(page), 'Round, please. `border-radius: 50%` and be done :tada:')
  await choose(page, 'Round, please', 'Copy text')
  await page.getByText('Text copied').waitFor()
  assert.equal(await copied(page), 'Round, please. border-radius: 50% and be done 🎉')

  await choose(page, 'Round, please', 'Star')
  await rowOf(page, 'Round, please').getByText('Starred').waitFor()
  await becomes(async () => (await fetchMessage(ben, 2)).flags.includes('starred'), true)

  await choose(page, 'Round, please', 'View source')
  await page.getByRole('dialog').getByText('be done :tada:').waitFor()
  assert.deepEqual(await inspect(page, 'message-source'), [])
  await page.getByRole('tab', { name: 'JSON' }).click()
  await page.getByText('"sender_full_name": "Cleo Hopper"').waitFor()
  await page.keyboard.press('Escape')

  await choose(page, 'Round, please', 'Quote message')
  const field = page.getByLabel('Message design')
  await page.waitForFunction(() => document.querySelector('textarea')?.value.startsWith('@_**Cleo'))
  assert.match(await field.inputValue(), /^@_\*\*Cleo Hopper\|\d+\*\* \[said\]\(.*near\/2\):\n```quote\nRound, please/)
  await becomes(() => page.getByRole('combobox', { name: 'Topic' }).inputValue(), 'icons')
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')

  await page.goto('/settings/profile')
  await page.goto(`${stage.url}/#narrow/channel/1-design/topic/icons/near/2`)
  await rowOf(page, 'Round, please').waitFor()
  assert.match(page.url(), /\/channels\/1\?topic=icons&near=2$/)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message is forwarded to a channel or to a user, with a comment', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  const dialog = page.getByRole('dialog')
  await rowOf(page, 'Round, please').focus()

  await page.keyboard.press('<')
  await dialog.getByText('border-radius').waitFor()
  await dialog.getByRole('button', { name: 'Forward' }).click()
  await dialog.getByText('Choose a channel or a person.').waitFor()
  assert.deepEqual(await inspect(page, 'forward'), [])
  await dialog.getByRole('combobox', { name: 'To' }).fill('engi')
  await page.getByRole('option', { name: '#engines' }).click()
  await dialog.getByLabel('Topic').fill('round things')
  await dialog.getByLabel('Add a message').fill('Like this:')
  await dialog.getByRole('button', { name: 'Forward' }).click()
  await page.getByText('Forwarded to #engines').waitFor()
  await choose(page, 'Round, please', 'Forward message')
  await dialog.getByRole('combobox', { name: 'To' }).fill('lovel')
  await page.getByRole('option', { name: 'Ada Lovelace', exact: true }).click()
  await dialog.getByRole('button', { name: 'Forward' }).click()
  await page.getByText('Forwarded to Ada Lovelace').waitFor()

  const { messages } = await ada.succeed('GET /messages', {
    anchor: 'newest',
    num_before: 2,
    num_after: 0,
    apply_markdown: false,
  })
  const [first, second] = messages.slice(-2)
  assert.deepEqual([first.display_recipient, first.subject, second.type], ['engines', 'round things', 'private'])
  assert.match(first.content, /^Like this:\n\n@_\*\*Cleo Hopper\|\d+\*\* \[said\]\(.*\):\n```quote\nRound, please/)
  assert.match(second.content, /^@_\*\*Cleo Hopper/)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('reactions are labeled toggle buttons, and update live for everyone', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const thumb = { message_id: 2, emoji_name: '+1' }
  await ada.succeed('POST /messages/2/reactions', thumb)
  const [adas, bens] = [await stage.openAs(ada, '/channels/1'), await stage.openAs(ben, '/channels/1')]

  await bens.getByRole('button', { name: '+1 1, Ada Lovelace; add this reaction' }).click()
  const both = adas.getByRole('button', { name: '+1 2, you and Ben Bitdiddle; remove your reaction' })
  await both.waitFor()
  await cleo.succeed('POST /messages/2/reactions', { emoji_name: 'heart' })
  await adas.getByRole('button', { name: /^heart 1, Cleo Hopper/ }).waitFor()
  assert.deepEqual(await inspect(adas, 'message-reactions'), [])
  await both.click()

  await bens.getByRole('button', { name: '+1 1, you; remove your reaction' }).waitFor()
  await rowOf(bens, 'Round, please').getByRole('button', { name: /^\+1/ }).focus()
  await bens.keyboard.press('+')
  await bens.getByRole('button', { name: /^\+1/ }).waitFor({ state: 'detached' })
  await choose(bens, 'Round, please', 'View reactions')
  await bens.getByRole('dialog').getByText('Cleo Hopper').waitFor()
  assert.deepEqual(await inspect(bens, 'message-reactions-dialog'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('reactions name people in a tooltip, and the button behind them adds another one', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  for (const person of [ada, ben, cleo]) await person.succeed('POST /messages/2/reactions', { emoji_name: 'tada' })
  const page = await stage.openAs(ben, '/channels/1')
  const row = rowOf(page, 'Round, please')

  await row.getByRole('button', { name: /^tada/ }).hover()
  await page.locator('.tooltip', { hasText: 'You, Ada Lovelace, and Cleo Hopper reacted with :tada:' }).waitFor()
  const add = row.getByRole('list', { name: 'Reactions' }).getByRole('button', { name: 'Add reaction' })
  await add.click()
  const picker = page.getByRole('dialog', { name: 'Add reaction' })
  await picker.getByRole('option', { name: 'grinning', exact: true }).waitFor()
  const isBeside = async () => {
    const [button, popover] = [await add.boundingBox(), await page.locator('.emoji-popover').boundingBox()]
    return button !== null && popover !== null && Math.abs(popover.x - button.x) < popover.width
  }
  await becomes(isBeside, true)
  await picker.getByRole('option', { name: 'grinning', exact: true }).click()

  await row.getByRole('button', { name: /^grinning 1, you/ }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the toolbar of the first unread message leaves the label above it visible, and the selected message has a mark', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const later = await sendToChannel(ada, { name: 'design' }, 'and one more', 'icons')
  await ben.succeed('POST /messages/flags', { messages: [1, 2], op: 'add', flag: 'read' })
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const row = rowOf(page, 'and one more')
  const label = page.locator('.timeline-unread span')
  await label.waitFor()

  await row.hover()
  await row.getByRole('button', { name: 'Reply' }).waitFor()
  const isBelow = async () => {
    const [tools, word] = [await row.locator('.message-tools').boundingBox(), await label.boundingBox()]
    return tools !== null && word !== null && tools.y >= word.y + word.height - 1
  }
  await becomes(isBelow, true)
  await page.mouse.move(0, 0)
  await page.keyboard.press('j')
  await page.keyboard.press('G')
  await page.waitForFunction((id) => document.activeElement?.matches(`[data-message="${id}"]`), later)

  const style = () =>
    row.evaluate((element) => {
      const { outlineColor, boxShadow } = getComputedStyle(element)
      return { outlineColor, isMarked: boxShadow.includes('inset') }
    })
  await becomes(style, { outlineColor: 'rgba(0, 0, 0, 0)', isMarked: true })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an emoji is found by its name or in its category, and added with the keyboard alone', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  await rowOf(page, 'Round, please').focus()
  await page.keyboard.press(':')
  const picker = page.getByRole('dialog', { name: 'Add reaction' })
  await picker.getByRole('option', { name: 'grinning', exact: true }).waitFor()
  assert.deepEqual(await inspect(page, 'message-emoji'), [])
  await page.keyboard.type('rocket')
  await picker.getByRole('option', { name: 'grinning', exact: true }).waitFor({ state: 'detached' })
  await page.keyboard.press('Shift+Enter')
  await page.getByRole('button', { name: /^rocket 1, you/ }).waitFor({ state: 'attached' })
  // The first Escape clears the search.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await picker.waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement?.closest('.message') !== null)

  await page.keyboard.press(':')
  await picker.getByRole('option', { name: 'rocket' }).waitFor()
  await picker.getByTitle('Food & drink').click()
  await picker.getByRole('option', { name: 'pizza' }).waitFor()
  await picker.getByRole('searchbox').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await picker.waitFor({ state: 'detached' })

  const names = async (): Promise<string[]> =>
    (await fetchMessage(ben, 2)).reactions.map(({ emoji_name }: { emoji_name: string }) => emoji_name)
  await becomes(async () => (await names()).length, 2)
  assert.equal((await names())[0], 'rocket')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message is deleted after a confirmation, for others immediately', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [adas, bens] = [await stage.openAs(ada, '/channels/1'), await stage.openAs(ben, '/channels/1')]
  await adas.getByText('warmer grey').waitFor()

  await choose(bens, 'warmer grey', 'Delete message')
  await bens.getByRole('alertdialog').waitFor()
  assert.deepEqual(await inspect(bens, 'message-delete'), [])
  await stage.chat.change({ can_delete_own_message_group: 'role:nobody' })
  await bens.getByRole('button', { name: 'Delete', exact: true }).click()
  await bens.getByText("You don't have permission to delete this message").first().waitFor()
  await stage.chat.change({ can_delete_own_message_group: 'role:everyone' })
  await bens.getByRole('button', { name: 'Delete', exact: true }).click()

  await adas.getByText('warmer grey').waitFor({ state: 'detached' })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a long press opens the menu on phones, and a key opens it from the row', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1', { width: 320, height: 720 })
  await page.getByText('warmer grey').waitFor()

  await page
    .locator('[data-message="2"] .message-content')
    .evaluate((element) =>
      element.dispatchEvent(new PointerEvent('pointerdown', { pointerType: 'touch', bubbles: true })),
    )
  await page.getByRole('menuitem', { name: 'Copy text' }).waitFor()
  await page.keyboard.press('Escape')
  await untilFocusIn(page, '[data-message]')
  await page.keyboard.press('Control+s')
  await rowOf(page, 'Round, please').getByText('Starred').waitFor()
  await page.keyboard.press('i')
  await page.getByRole('menuitem', { name: 'Unstar' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('messages are marked as unread from a given one', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const later = await sendToChannel(ada, { name: 'design' }, 'and one more', 'icons')
  await ben.succeed('POST /messages/flags', { messages: [1, 2, 3, later], op: 'add', flag: 'read' })
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  await choose(page, 'Round, please', 'Mark as unread from here')
  const areRead = () =>
    Promise.all([1, 2, 3, later].map(async (id) => (await fetchMessage(ben, id)).flags.includes('read')))
  await page.getByText('New').first().waitFor()
  await becomes(areRead, [true, false, true, false])
  // Longer than the delay after which visible messages are marked as read.
  await page.waitForTimeout(1000)

  assert.deepEqual(await areRead(), [true, false, true, false])
  await stage.close()
})
