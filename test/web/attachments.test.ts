import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { box } from './compose-box.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const tray = (page: Page) => page.getByRole('list', { name: 'Attachments' })
const names = (page: Page) => tray(page).locator('.tray-name').allTextContents()

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEElEQVR4nGNgaGjAjoaWBADiMEABWMSWggAAAABJRU5ErkJggg==',
  'base64',
)
const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: PNG })
const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('x'.repeat(1200)) })

/** Chooses files as a person does: with the menu and the dialog of the browser. */
async function attach(page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]): Promise<void> {
  await page.locator('.composer').getByRole('button', { name: 'Add', exact: true }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Attach files' }).click()
  await (await chooser).setFiles(files)
}

/** Returns the files of a sent message as they are shown, from top to bottom. */
const filesOf = (page: Page, text: string) =>
  page
    .locator('[data-message]', { hasText: text })
    .locator('.picture, .file-name')
    .evaluateAll((all) => all.map((one) => one.getAttribute('title') ?? one.textContent))

test('attached files are shown in small, arranged, kept across a reload, and sent with Ctrl+Enter', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  await box(page).fill('in three steps')

  await attach(page, picture('one.png'), file('legend.txt'), picture('two.png'))
  await becomes(() => names(page), ['one.png', 'legend.txt', 'two.png'])
  await becomes(() => tray(page).locator('.tray-size').allTextContents(), ['73 bytes', '1.2 kB', '73 bytes'])
  await becomes(() => tray(page).locator('img').count(), 2)
  await becomes(() => box(page).inputValue(), 'in three steps')
  assert.deepEqual(await inspect(page, 'attachments'), [])
  await page.keyboard.type(', at last')
  await becomes(() => box(page).inputValue(), 'in three steps, at last')
  await tray(page).getByRole('button', { name: 'Move two.png earlier' }).click()
  await becomes(() => names(page), ['one.png', 'two.png', 'legend.txt'])
  await tray(page)
    .locator('.tray-file', { hasText: 'legend' })
    .dragTo(tray(page).locator('.tray-file', { hasText: 'one' }))
  await becomes(() => names(page), ['legend.txt', 'one.png', 'two.png'])
  await becomes(() => box(page).inputValue(), 'in three steps, at last')
  await page.reload()
  await becomes(() => names(page), ['legend.txt', 'one.png', 'two.png'])
  await becomes(
    () =>
      tray(page)
        .locator('img')
        .evaluateAll((all) => all.every((one) => 'naturalWidth' in one && one.naturalWidth === 8)),
    true,
  )
  await tray(page).getByRole('button', { name: 'Remove two.png' }).click()
  await page.keyboard.press('Control+Enter')

  await page.locator('.message-content', { hasText: 'in three steps, at last' }).waitFor()
  await becomes(() => tray(page).count(), 0)
  await becomes(() => filesOf(page, 'in three steps'), ['legend.txt', 'one.png'])
  const { messages } = await ada.succeed('GET /messages', {
    ...{ anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false },
  })
  assert.match(
    messages[0].content,
    /^in three steps, at last\n\[legend\.txt\]\(\/user_uploads\/\S+\)\n\[one\.png\]\(\/user_uploads\/\S+\)$/,
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a file whose upload failed keeps its place, and the message waits for it', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  let count = 0
  await page.route('**/json/user_uploads', (route) => {
    count += 1
    if (count !== 2) return route.continue()
    return route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Try again later' } })
  })

  await attach(page, file('a.txt'), picture('b.png'), file('c.txt'))
  await page.getByText('Try again later').waitFor()
  await becomes(() => names(page), ['a.txt', 'b.png', 'c.txt'])
  await becomes(() => tray(page).getByRole('progressbar').count(), 0)
  await page.keyboard.press('Control+Enter')
  await page.getByText('Retry or remove the files that couldn’t be uploaded.').waitFor()
  await page.getByRole('button', { name: 'Retry upload of b.png' }).click()
  await page.getByRole('button', { name: 'Move b.png later' }).waitFor()
  await becomes(() => names(page), ['a.txt', 'b.png', 'c.txt'])
  await box(page).press('Control+Enter')

  await becomes(() => tray(page).count(), 0)
  await becomes(() => filesOf(page, 'a.txt'), ['a.txt', 'b.png', 'c.txt'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a file is attached even if the user types at the moment when its upload ends', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/json/user_uploads', (route) => gate.promise.then(() => route.continue()))
  await attach(page, file('legend.txt'))
  await tray(page).getByRole('progressbar').waitFor()
  await box(page).click()
  // Without this delay, the page would hardly ever be busy at that moment.
  await page.evaluate(() => {
    const { postMessage } = MessagePort.prototype
    MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown) {
      setTimeout(() => Reflect.apply(postMessage, this, [message]), 300)
    }
  })

  const uploaded = page.waitForResponse('**/json/user_uploads')
  gate.resolve()
  await uploaded
  await page.keyboard.type('see the legend, in which all of it is explained', { delay: 10 })
  await page.getByRole('button', { name: 'Remove legend.txt' }).waitFor()

  await becomes(() => names(page), ['legend.txt'])
  await becomes(() => box(page).inputValue(), 'see the legend, in which all of it is explained')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('text that is too long is pointed out while it is written, and becomes a file', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()

  await box(page).fill('word '.repeat(2001))
  await page.getByText('The message is too long: 10,005 of 10,000 characters.').waitFor()
  await page.getByText('10,005 of 10,000 characters', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Attach the text as a file' }).click()
  await becomes(() => names(page), ['message.txt'])
  await becomes(() => box(page).inputValue(), '')
  await becomes(() => tray(page).locator('.tray-size').allTextContents(), ['10 kB'])
  await box(page).fill('the log')
  await box(page).press('Control+Enter')

  await becomes(() => filesOf(page, 'the log'), ['message.txt'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message with files is edited with its files, and a quote comes before them', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  await box(page).fill('the sketch')
  await attach(page, picture('sketch.png'))
  await page.getByRole('button', { name: 'Remove sketch.png' }).waitFor()
  await box(page).press('Control+Enter')
  await becomes(() => filesOf(page, 'the sketch'), ['sketch.png'])

  await box(page).press('ArrowUp')
  const form = page.getByRole('form', { name: 'Edit message' })
  await becomes(() => form.getByRole('textbox').inputValue(), 'the sketch')
  await form.locator('input[type=file]').setInputFiles(file('notes.txt'))
  await becomes(() => form.locator('.tray-name').allTextContents(), ['sketch.png', 'notes.txt'])
  await form.getByRole('button', { name: 'Remove notes.txt' }).waitFor()
  await form.getByRole('button', { name: 'Remove sketch.png' }).click()
  await form.getByRole('textbox').press('Control+Enter')
  await form.waitFor({ state: 'detached' })
  await becomes(() => filesOf(page, 'the sketch'), ['notes.txt'])
  await attach(page, file('more.txt'))
  await page.locator('.composer').getByRole('button', { name: 'Remove more.txt' }).waitFor()
  await page.locator('[data-message]', { hasText: 'Round, please' }).focus()
  await page.keyboard.press('>')
  await becomes(async () => /^```quote|said/.test(await box(page).inputValue()), true)
  await becomes(async () => (await box(page).inputValue()).includes('user_uploads'), false)
  await becomes(() => names(page), ['more.txt'])
  await page.goto('/drafts')
  await page.locator('.unsent-files', { hasText: 'more.txt' }).waitFor()
  await becomes(() => page.locator('.unsent-row', { hasText: 'user_uploads' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an upload goes on in another conversation, and the file joins the draft where it was chosen', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/json/user_uploads', (route) => gate.promise.then(() => route.continue()))
  const questions: string[] = []
  page.on('dialog', async (dialog) => {
    questions.push(dialog.type())
    await dialog.dismiss()
  })

  await box(page).fill('the key')
  await attach(page, file('legend.txt'), file('notes.txt'))
  await becomes(() => tray(page).getByRole('progressbar').count(), 2)
  await page.setViewportSize({ width: 1024, height: 768 })
  const status = page.getByText('The message can be sent when the upload is done.')
  await becomes(() => status.evaluate((line) => line.getClientRects().length === 1 && line.clientHeight < 24), true)
  await page.getByRole('link', { name: 'colours' }).first().click()
  await page.getByText('warmer grey').waitFor()
  assert.equal(await tray(page).count(), 0)
  await page.getByRole('link', { name: 'icons' }).first().click()
  await becomes(() => tray(page).getByRole('progressbar').count(), 2)
  await page.getByRole('link', { name: 'colours' }).first().click()
  await page.getByText('warmer grey').waitFor()
  await box(page).fill('another text')
  await page.evaluate(() => location.reload())
  await becomes(async () => questions, ['beforeunload'])
  const uploaded = page.waitForResponse('**/json/user_uploads')
  gate.resolve()
  await uploaded
  await becomes(
    () => page.evaluate(() => Object.values(localStorage).some((value) => value.includes('notes.txt'))),
    true,
  )

  assert.equal(await box(page).inputValue(), 'another text')
  await page.reload()
  await page.getByText('warmer grey').waitFor()
  await page.getByRole('link', { name: 'icons' }).first().click()
  await becomes(() => names(page), ['legend.txt', 'notes.txt'])
  assert.equal(await box(page).inputValue(), 'the key')
  assert.deepEqual(questions, ['beforeunload'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users learn in other conversations that an upload failed', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  const gate = Promise.withResolvers<void>()
  await page.route('**/json/user_uploads', async (route) => {
    await gate.promise
    await route.fulfill({ status: 400, json: { result: 'error', code: 'BAD_REQUEST', msg: 'Try again later' } })
  })

  await attach(page, file('legend.txt'))
  await tray(page).getByRole('progressbar').waitFor()
  await page.getByRole('link', { name: 'colours' }).first().click()
  await page.getByText('warmer grey').waitFor()
  gate.resolve()
  const toast = page.locator('.toast', { hasText: 'Couldn’t upload legend.txt' })
  await toast.getByRole('link', { name: 'View' }).click()

  await page.getByRole('button', { name: 'Retry upload of legend.txt' }).waitFor()
  await becomes(() => page.locator('.tray-error').textContent(), 'Try again later')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
