import assert from 'node:assert/strict'
import { fetchMessage, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { choose, openMenu, rowOf } from './message-row.ts'
import { openStage } from './stage.ts'

test('a message is edited in place; errors are shown at the field, nothing typed is lost, and others see the change', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [adas, bens] = [await stage.openAs(ada, '/channels/1'), await stage.openAs(ben, '/channels/1')]
  await adas.getByText('warmer grey').waitFor()

  await choose(bens, 'warmer grey', 'Edit message')
  const form = bens.getByRole('form', { name: 'Edit message' })
  const field = form.getByLabel('Message')
  await field.waitFor()
  await becomes(() => field.inputValue(), '@**Ada Lovelace** could we try a warmer grey?')
  await field.fill('What about a **cooler** grey?')
  assert.deepEqual(await inspect(bens, 'message-edit'), [])
  await bens.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await bens.reload()
  await bens.getByText('warmer grey').waitFor()
  await rowOf(bens, 'warmer grey').focus()
  await bens.keyboard.press('e')
  await becomes(() => field.inputValue(), 'What about a **cooler** grey?')

  await stage.chat.change({ allow_message_editing: false })
  await bens.keyboard.press('Control+Enter')
  await form.getByText('Your organization has turned off message editing').waitFor()
  await stage.chat.change({ allow_message_editing: true })
  await field.press('Control+Enter')

  await adas.getByText('cooler', { exact: true }).waitFor()
  await bens.getByText('cooler', { exact: true }).waitFor()
  await becomes(() => rowOf(bens, 'cooler').evaluate((row) => row === document.activeElement), true)
  await openMenu(adas, 'cooler')
  await becomes(() => adas.getByRole('menuitem', { name: 'Edit message' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an unsaved edit is marked below its message, where it can be continued and discarded', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()
  const row = rowOf(page, 'warmer grey')
  const field = page.getByRole('form', { name: 'Edit message' }).getByLabel('Message')
  const mark = row.getByText('Unsaved edit', { exact: true })

  await choose(page, 'warmer grey', 'Edit message')
  await field.press('!')
  await field.press('Backspace')
  await page.keyboard.press('Escape')
  await becomes(() => field.count(), 0)
  assert.equal(await mark.count(), 0)
  await choose(page, 'warmer grey', 'Edit message')
  await field.fill('a cooler one')
  await page.getByRole('link', { name: 'icons' }).first().click()
  await page.getByText('Round, please').waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Drafts and scheduled' }).first().click()
  const listed = page.locator('.unsent-row', { hasText: 'a cooler one' })
  await listed.getByText('design › colours').waitFor()
  assert.deepEqual(await inspect(page, 'drafts-edit'), [])
  await listed.getByRole('button', { name: 'Discard edit: design › colours' }).click()
  await page.getByRole('heading', { name: 'No drafts' }).waitFor()
  await page.locator('.toast', { hasText: 'Edit discarded' }).getByRole('button', { name: 'Undo' }).click()
  await listed.getByRole('link').click()
  await becomes(() => field.inputValue(), 'a cooler one')
  await page.keyboard.press('Escape')
  await mark.waitFor()
  assert.deepEqual(await inspect(page, 'message-unsaved'), [])
  await row.getByRole('button', { name: 'Continue editing' }).click()
  await becomes(() => field.inputValue(), 'a cooler one')
  assert.equal(await mark.count(), 0)
  await page.keyboard.press('Escape')
  await row.getByRole('button', { name: 'Discard' }).click()
  await becomes(() => mark.count(), 0)
  await becomes(() => row.evaluate((element) => element === document.activeElement), true)
  await page.locator('.toast', { hasText: 'Edit discarded' }).getByRole('button', { name: 'Undo' }).click()
  await mark.waitFor()
  await row.getByRole('button', { name: 'Discard' }).click()
  await choose(page, 'warmer grey', 'Edit message')

  await becomes(() => field.inputValue(), '@**Ada Lovelace** could we try a warmer grey?')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a toast tells a user whose message is deleted while they edit it where their text is', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const second = await sendToChannel(ben, { name: 'design' }, 'Or a paler one?', 'colours')
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  const field = page.getByRole('form', { name: 'Edit message' }).getByLabel('Message')
  const toast = page.locator('.toast', { hasText: 'The message you were editing was deleted.' })

  await choose(page, 'Or a paler one?', 'Edit message')
  await field.waitFor()
  await ada.succeed(`DELETE /messages/${second}`)
  await toast.waitFor()
  assert.equal(await toast.getByRole('link').count(), 0)
  await toast.getByRole('button', { name: 'Dismiss' }).click()
  await choose(page, 'warmer grey', 'Edit message')
  await field.fill('What about a cooler grey?')
  await ada.succeed('DELETE /messages/3')

  await toast.getByText('Your text is kept as a draft.').waitFor()
  const other = await stage.openAs(ben, '/drafts')
  await other.locator('.unsent-row', { hasText: 'What about a cooler grey?' }).waitFor()
  await toast.getByRole('link', { name: 'View draft' }).click()
  const draft = page.locator('.unsent-row', { hasText: 'What about a cooler grey?' })
  await draft.getByText('design › colours').waitFor()
  await draft.getByRole('link').click()
  await becomes(() => page.getByRole('textbox', { name: /^Message/ }).inputValue(), 'What about a cooler grey?')
  await page.getByRole('link', { name: /^Drafts/ }).click()
  await becomes(() => page.locator('.unsent-row').count(), 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the form that edits a message names the end of the time for it, until that is over', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ada.succeed('PATCH /realm', { message_content_edit_limit_seconds: 3600 })
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await choose(page, 'warmer grey', 'Edit message')
  const form = page.getByRole('form', { name: 'Edit message' })
  await form.getByText('You can edit until').waitFor()

  await page.clock.setFixedTime((await page.evaluate(() => Date.now())) + 3_700_000)
  await form.getByLabel('Message').press('End')
  await page.keyboard.type(' paper')

  await becomes(() => form.getByText('You can edit until').count(), 0)
  await form.getByText('Escape closes and keeps your changes.').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("messages are moved to another topic or channel, alone or with later ones, within the user's permissions", async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const later = await sendToChannel(ada, { name: 'design' }, 'the square ones', 'icons')
  const page = await stage.openAs(ada, '/channels/1')
  await page.getByText('warmer grey').waitFor()

  await choose(page, 'Round, please', 'Move messages')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await dialog.getByText('Choose a different topic or channel.').waitFor()
  assert.deepEqual(await inspect(page, 'message-move'), [])
  const topic = dialog.getByRole('combobox', { name: 'Topic' })
  const warning = dialog.getByText('The topic “colours” already exists. The two topics will be combined.')
  await topic.fill('colours')
  assert.equal(await warning.count(), 0)
  await dialog.getByRole('button', { name: /Messages to move/ }).click()
  await page.getByRole('option', { name: 'The whole topic' }).click()
  await warning.waitFor()
  assert.deepEqual(await inspect(page, 'message-move-merge'), [])
  await topic.fill('shapes')
  await becomes(() => warning.count(), 0)
  await dialog.getByRole('button', { name: /Messages to move/ }).click()
  await page.getByRole('option', { name: 'This message and all later ones' }).click()
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('heading', { name: 'shapes' }).first().waitFor()
  assert.deepEqual(await Promise.all([1, 2, later].map(async (id) => (await fetchMessage(ben, id)).subject)), [
    'icons',
    'shapes',
    'shapes',
  ])

  await choose(page, 'Round, please', 'Move messages')
  await dialog.getByRole('button', { name: /Channel/ }).click()
  await page.getByRole('option', { name: 'engines' }).click()
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await rowOf(page, 'Round, please').waitFor({ state: 'detached' })
  assert.equal((await fetchMessage(ben, 2)).display_recipient, 'engines')

  await stage.chat.change({
    can_move_messages_between_topics_group: 'role:nobody',
    can_move_messages_between_channels_group: 'role:nobody',
  })
  const bens = await stage.openAs(ben, '/channels/1')
  await openMenu(bens, 'warmer grey')
  await becomes(() => bens.getByRole('menuitem', { name: 'Move' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the edit history shows changes, newest first, with users and locations', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ben.succeed('PATCH /messages/3', { content: 'could we try a darker grey?' })
  await ada.succeed('PATCH /messages/3', { topic: 'paint', stream_id: 2 })
  const page = await stage.openAs(ben, '/channels/2')
  await page.getByText('darker').waitFor()

  await rowOf(page, 'darker').focus()
  await page.keyboard.press('Shift+H')
  const entries = page.getByRole('dialog').getByRole('listitem')
  await page.getByRole('heading', { name: /sent the message/ }).waitFor()
  const texts = await entries.allTextContents()

  assert.match(
    texts[0]!,
    /^Ada Lovelace moved the message to another channel and topic.*From design › colours to engines › paint$/,
  )
  assert.match(texts[1]!, /^Ben Bitdiddle edited the message.*inserted: .*darker.* deleted: .*warmer/)
  assert.match(texts[2]!, /^Ben Bitdiddle sent the message.*warmer grey/)
  assert.deepEqual(await inspect(page, 'message-history'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
