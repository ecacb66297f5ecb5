import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { UNDO_SEND_TIME } from '../../web/messages/send-settings.ts'
import { START } from '../harness.ts'
import { becomes, settles } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const box = (page: Page) => page.getByLabel(/^Message/)

const heightOf = (page: Page) => page.locator('.composer').evaluate((form) => form.getBoundingClientRect().height)

test('the compose box is one line at rest, opens for writing, and closes after a click elsewhere', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  for (const [width, placeholder] of [
    [1280, 'Message #design › icons'],
    [390, 'Message'],
  ] as const) {
    const page = await stage.openAs(ben, '/channels/1?topic=icons', { width })
    await page.getByText('Round, please').waitFor()

    const atRest = await settles(() => heightOf(page))
    assert.ok(atRest <= 72, `${atRest} px at rest`)
    assert.equal(await box(page).getAttribute('placeholder'), placeholder)
    await box(page).click()
    await page.getByRole('combobox', { name: 'Topic' }).waitFor()
    const open = await settles(() => heightOf(page))
    assert.ok(open > atRest && open <= 190, `${open} px while writing`)
    await page.getByText('Round, please').click()
    await becomes(() => heightOf(page), atRest)
  }
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a double click on the closed compose box leaves the focus in its text', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const isInText = () => box(page).evaluate((text) => text === document.activeElement)
  const { x: start, y, height } = (await box(page).boundingBox())!

  for (const x of [start + 10, 345, 412, 500, 560, 640, 700, 745]) {
    await page.mouse.dblclick(x, y + height / 2)
    await page.getByRole('combobox', { name: 'Topic' }).waitFor()
    assert.equal(await isInText(), true, `at ${x}`)
    assert.equal(await page.evaluate(() => String(getSelection())), '', `selected at ${x}`)
    assert.equal(await page.getByRole('dialog').count(), 0, `a dialog at ${x}`)
    await page.keyboard.type('hm')
    assert.equal(await box(page).inputValue(), 'hm')
    await box(page).fill('')
    await page.getByText('Round, please').click()
    await page.getByRole('combobox', { name: 'Topic' }).waitFor({ state: 'detached' })
  }
  await box(page).click()
  await page.getByRole('button', { name: 'Emoji', exact: true }).first().click()
  await page.getByRole('dialog').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a pasted topic that is too long is kept, with an error until it is shortened', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await box(page).fill('Which one?')
  const topic = page.getByRole('combobox', { name: 'Topic' })
  const long = 'a'.repeat(61)
  const error = page.getByText('Use at most 60 characters.', { exact: true })

  await topic.focus()
  await page.evaluate((text) => navigator.clipboard.writeText(text), long)
  await page.keyboard.press('Control+v')
  await error.waitFor()
  await becomes(() => topic.inputValue(), long)
  await becomes(() => topic.getAttribute('aria-invalid'), 'true')
  await box(page).press('Control+Enter')
  await becomes(() => topic.evaluate((field) => field === document.activeElement), true)
  assert.deepEqual(await inspect(page, 'long-topic'), [])
  await page.keyboard.press('End')
  await page.keyboard.press('Backspace')
  await error.waitFor({ state: 'detached' })
  await box(page).press('Control+Enter')

  await page.locator('[data-message]', { hasText: 'Which one?' }).waitFor()
  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.deepEqual([messages[0].subject, messages[0].content], ['a'.repeat(60), '<p>Which one?</p>'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the up arrow in the empty box edits the last own message', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours')
  await page.getByText('warmer grey').waitFor()

  await box(page).press('ArrowUp')
  const form = page.getByRole('form', { name: 'Edit message' })
  const field = form.getByRole('textbox', { name: 'Message', exact: true })
  await becomes(() => field.inputValue(), '@**Ada Lovelace** could we try a warmer grey?')
  await field.fill('a colder grey, ')
  await field.pressSequentially('@cle')
  await page.getByRole('option', { name: 'Cleo Hopper' }).waitFor()
  await page.keyboard.press('Enter')
  await field.press('Control+Enter')

  await page.locator('.message-content', { hasText: 'a colder grey, @Cleo Hopper' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a failed upload can be tried again, and a running one cancelled', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const files = page.locator('input[type=file]')
  const refused = { status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Your quota is used up' } }
  await page.route('**/json/user_uploads', (route) => route.fulfill(refused))

  await files.setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('one') })
  await page.getByText('Your quota is used up').waitFor()
  await page.unroute('**/json/user_uploads')
  await page.getByRole('button', { name: 'Retry upload of plan.txt' }).click()
  const tray = page.getByRole('list', { name: 'Attachments' })
  await tray.getByRole('button', { name: 'Remove plan.txt' }).click()

  const gate = Promise.withResolvers<void>()
  await page.route('**/json/user_uploads', (route) => gate.promise.then(() => route.abort()))
  await box(page).fill('no file')
  await files.setInputFiles({ name: 'big.bin', mimeType: 'text/plain', buffer: Buffer.from('two') })
  await page.getByRole('button', { name: 'Cancel upload of big.bin' }).click()
  gate.resolve()
  await becomes(() => tray.count(), 0)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.message-content', { hasText: /^no file$/ }).waitFor()
  await stage.close()
})

test('an address that is pasted over a selection becomes its link', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  await box(page).fill('see the plan')
  await page.evaluate(() => navigator.clipboard.writeText('https://example.com/plan'))

  await box(page).press('Shift+Control+ArrowLeft')
  await page.keyboard.press('Control+v')

  await becomes(() => box(page).inputValue(), 'see the [plan](https://example.com/plan)')
  await stage.close()
})

/**
 * Gives users of later pages a minute to undo sending a message, since slow machines may need more than five seconds.
 * Returns a function that restores the usual time.
 */
async function lengthenUndo(page: Page): Promise<() => Promise<unknown>> {
  await page.addInitScript((usual) => {
    const start = globalThis.setTimeout
    const isLong = (delay?: number) => delay === usual && !('isUndoShort' in globalThis)
    const wait = (run: () => void, delay?: number, ...rest: []) => start(run, isLong(delay) ? 60_000 : delay, ...rest)
    Object.assign(globalThis, { setTimeout: wait })
  }, UNDO_SEND_TIME)
  return () => page.evaluate(() => Object.assign(globalThis, { isUndoShort: true }))
}

test('a message can be taken back for a moment, if the user wants that', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/preferences')
  await page.getByText('Undo send', { exact: true }).click()
  await becomes(() => page.getByRole('checkbox', { name: /Undo send/ }).isChecked(), true)
  const shortenUndo = await lengthenUndo(page)
  await page.goto('/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()

  await box(page).fill('too early')
  await box(page).press('Control+Enter')
  await page.getByText('Sending in a moment…').waitFor()
  await page.locator('.composer').getByRole('button', { name: 'Undo' }).click()
  await becomes(() => page.getByText('Sending in a moment…').count(), 0)
  await shortenUndo()
  await box(page).fill('now')
  await box(page).press('Control+Enter')
  await page.locator('[data-message] .message-content', { hasText: /^now$/ }).waitFor()

  const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.equal(messages[0].content, '<p>now</p>')
  await becomes(() => page.locator('.message-content', { hasText: 'too early' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a reply to another conversation sends a message that can still be taken back', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', { web_navigate_to_sent_message: false })
  const page = await stage.openAs(ben, '/settings/preferences')
  await page.getByText('Undo send', { exact: true }).click()
  await becomes(() => page.getByRole('checkbox', { name: /Undo send/ }).isChecked(), true)
  await lengthenUndo(page)
  await page.goto('/combined')
  await page.getByText('It is the cache').click()
  await page.keyboard.press('r')
  await box(page).fill('warm it up')
  await box(page).press('Control+Enter')
  await page.getByText('Sending in a moment…').waitFor()

  await page.getByText('Round, please').click()
  await page.keyboard.press('r')
  await becomes(() => box(page).getAttribute('placeholder'), 'Message #design › icons')
  await page.keyboard.type('square')
  await page.locator('[data-message] .message-content', { hasText: 'warm it up' }).waitFor()
  await becomes(() => box(page).inputValue(), 'square')
  await becomes(() => box(page).getAttribute('placeholder'), 'Message #design › icons')
  const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.deepEqual([messages[0].subject, messages[0].content], ['slow start', '<p>warm it up</p>'])

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('/remind sends the user a message at the time that it names, and says what is missing', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const toast = (text: string | RegExp) => page.locator('.toast', { hasText: text })
  const scheduled = async () => (await ben.succeed('GET /scheduled_messages')).scheduled_messages
  await page.getByText('Round, please').waitFor()

  await box(page).fill('/remind call Ada')
  await box(page).press('Control+Enter')
  await toast('“call” is not a time. Add a time').waitFor()
  await box(page).fill('/remind in 2 hours')
  await box(page).press('Control+Enter')
  await toast('Add a message').waitFor()
  await becomes(() => box(page).inputValue(), '/remind in 2 hours')
  for (const [command, reason] of [
    ['/remind #design tomorrow at 9 to call Ada', 'Reminders are for you alone.'],
    ['/remind @cleo to call Ada in 2 hours', 'Reminders are for you alone.'],
    ['/remind me every day at 9 to call Ada', 'Reminders can’t repeat.'],
  ] as const) {
    await box(page).fill(command)
    await box(page).press('Control+Enter')
    await toast(reason).last().waitFor()
    await becomes(() => box(page).inputValue(), command)
  }
  await box(page).fill('/remind me in 2 hours to call Ada')
  await box(page).press('Control+Enter')
  await box(page).press('Control+Enter')
  await toast('Reminder set for').waitFor()
  await becomes(() => box(page).inputValue(), '')

  const [one, ...others] = await scheduled()
  assert.deepEqual(
    [one.type, one.to, one.content, one.scheduled_delivery_timestamp - START],
    ['private', [ben.id], 'Reminder: call Ada', 7200],
  )
  assert.deepEqual(others, [])
  await stage.chat.clock.advance(7300)
  await becomes(() => page.getByRole('link', { name: /Ben.* 1 unread/ }).count(), 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
