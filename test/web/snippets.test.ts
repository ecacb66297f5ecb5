import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

async function open(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Saved snippets' }).click()
}

async function snippetsOf(person: Person): Promise<[title: string, content: string][]> {
  const { saved_snippets } = await person.succeed('GET /saved_snippets')
  return (saved_snippets as { title: string; content: string }[]).map(({ title, content }) => [title, content])
}

test('a snippet is saved and inserted', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const dialog = page.getByRole('dialog')
  const box = page.getByLabel('Message design')
  await box.waitFor()

  await open(page)
  await dialog.getByText('No snippets yet.').waitFor()
  assert.deepEqual(await inspect(page, 'snippets-none'), [])
  await page.keyboard.press('Escape')
  await box.fill('Thank you,\nwe **look** into it.')
  await open(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter a name.').waitFor()
  await dialog.getByLabel('Snippet name').fill('Thanks')
  await page.keyboard.press('Enter')
  await dialog.getByText('Snippet saved.').waitFor()
  await dialog.getByRole('button', { name: 'Insert Thanks' }).waitFor()
  assert.deepEqual(await inspect(page, 'snippets'), [])
  await page.keyboard.press('Escape')

  await box.fill('Dear Ada. Bye')
  await box.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(10, 13))
  await open(page)
  await dialog.getByRole('button', { name: 'Insert Thanks' }).click()
  await dialog.waitFor({ state: 'detached' })
  await becomes(() => box.inputValue(), 'Dear Ada. Thank you,\nwe **look** into it.')
  await page.keyboard.type(' Ben')
  await becomes(() => box.inputValue(), 'Dear Ada. Thank you,\nwe **look** into it. Ben')
  assert.deepEqual(await snippetsOf(ben), [['Thanks', 'Thank you,\nwe **look** into it.']])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('files pasted or dropped in the snippets dialog are not attached to the message', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const box = page.getByLabel('Message design')
  await box.fill('Thank you')
  const uploads: string[] = []
  page.on('request', (request) => request.url().endsWith('/user_uploads') && uploads.push(request.url()))
  const give = (label: string) =>
    page.getByLabel(label).evaluate((field) => {
      const data = new DataTransfer()
      data.items.add(new File(['some words'], 'notes.txt'))
      field.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })

  await open(page)
  await give('Snippet name')
  await page.keyboard.press('Escape')
  assert.deepEqual(uploads, [])
  await becomes(() => box.inputValue(), 'Thank you')
  await give('Message design')
  const attached = page.getByRole('list', { name: 'Attachments' }).locator('.tray-name')
  await becomes(() => attached.allTextContents(), ['notes.txt', 'notes.txt'])

  await becomes(async () => uploads.length, 2)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('snippets are renamed and deleted, and follow changes of other devices', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ben.succeed('POST /saved_snippets', { title: 'Old', content: 'one' })
  await ben.succeed('POST /saved_snippets', { title: 'Gone', content: 'two' })
  const page = await stage.openAs(ben, `/dm/${ada.id}`)
  const dialog = page.getByRole('dialog', { name: 'Saved snippets' })
  const act = async (name: string, what: string) => {
    await dialog.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: what }).click()
  }
  await open(page)

  await act('Old', 'Rename')
  await dialog.getByLabel('New name for Old').fill('New')
  assert.deepEqual(await inspect(page, 'snippets-rename'), [])
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Insert New' }).waitFor()
  await act('Gone', 'Delete')
  await dialog.getByText('Delete permanently?').waitFor()
  assert.deepEqual(await inspect(page, 'snippets-delete'), [])
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Insert Gone' }).waitFor({ state: 'detached' })
  await becomes(() => snippetsOf(ben), [['New', 'one']])
  await ben.succeed('POST /saved_snippets', { title: 'Elsewhere', content: 'three' })
  await dialog.getByRole('button', { name: 'Insert Elsewhere' }).waitFor()

  assert.deepEqual(await dialog.getByRole('listitem').locator('b').allInnerTexts(), ['Elsewhere', 'New'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('errors about snippets are shown in the dialog', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await ben.succeed('POST /saved_snippets', { title: 'Old', content: 'one' })
  const page = await stage.openAs(ben, `/dm/${ada.id}`)
  const dialog = page.getByRole('dialog', { name: 'Saved snippets' })
  const fails = { status: 500, json: { msg: 'Out of order' } }
  await page.route('**/saved_snippets', (route) => route.fulfill(fails))
  await open(page)

  await dialog.getByRole('button', { name: 'Try again' }).waitFor()
  await page.unroute('**/saved_snippets')
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await page.route('**/saved_snippets/*', (route) => route.fulfill(fails))
  await dialog.getByRole('button', { name: 'Actions for Old' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()

  await dialog.getByText('Couldn’t delete the snippet').waitFor()
  assert.deepEqual(await inspect(page, 'snippets-failed'), [])
  assert.deepEqual(await snippetsOf(ben), [['Old', 'one']])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
