import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { becomes } from './becomes.ts'
import { focusReturnsTo } from './by-keyboard.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { chooseInOrganizationMenu } from './organization-menu.ts'
import { openStage } from './stage.ts'

test('an administrator starts an export, downloads it when it is complete, and deletes it', async () => {
  const gate = Promise.withResolvers<void>()
  const stage = await openStage({
    async makeExport(path) {
      await gate.promise
      await writeFile(path, 'archive')
    },
  })
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', { allow_private_data_export: true })
  const page = await stage.openAs(ada, '/organization/exports')
  const other = await stage.openAs(cleo, '/organization/exports')
  for (const shown of [page, other]) await shown.getByRole('heading', { name: 'No data exports' }).waitFor()
  const loads: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'GET' && request.url().includes('/export/realm?')) loads.push(request.url())
  })

  await page.getByRole('button', { name: 'Start export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Start export' })
  await dialog.getByText(/^1 of 3 people allows the export/).waitFor()
  await cleo.succeed('PATCH /settings', { allow_private_data_export: true })
  await dialog.getByText(/^2 of 3 people allow the export/).waitFor()
  await dialog.getByText('Public and private data').click()
  await dialog.getByRole('button', { name: 'Start export' }).click()
  for (const shown of [page, other]) await shown.getByText('In progress', { exact: true }).waitFor()
  await focusReturnsTo(page, 'Start export')
  const start = page.getByRole('button', { name: 'Start export' })
  await becomes(() => start.getAttribute('aria-disabled'), 'true')
  await page.keyboard.press('Enter')
  await becomes(() => page.getByRole('dialog').count(), 0)
  gate.resolve()
  await becomes(() => start.getAttribute('aria-disabled'), null)
  await focusReturnsTo(page, 'Start export')
  await other.getByRole('row', { name: /Ada Lovelace Public and private data Complete, / }).waitFor()
  await page
    .getByRole('link', { name: /Notification Bot/ })
    .first()
    .waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const downloaded = await downloading
  const opener = page.getByRole('button', { name: 'Delete', exact: true })
  await opener.click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  await becomes(() => opener.evaluate((button) => button === document.activeElement), true)
  await opener.click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete export' }).click()
  for (const shown of [page, other]) await shown.getByRole('heading', { name: 'No data exports' }).waitFor()

  assert.deepEqual(loads, [])
  assert.equal(downloaded.suggestedFilename(), 'parley-export-2030-01-05.tar.gz')
  assert.equal(await downloaded.failure(), null)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a failed export says what to do next, and a refused one gives the reason in the dialog', async () => {
  const stage = await openStage({
    settings: { LOG_LEVEL: 'silent' },
    makeExport: async () => {
      throw new Error('no space left on device')
    },
  })
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/exports')
  const start = async () => {
    await page.getByRole('button', { name: 'Start export' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start export' }).click()
  }

  for (let count = 1; count <= 5; count += 1) {
    await start()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page
      .getByText('Failed', { exact: true })
      .nth(count - 1)
      .waitFor()
  }
  await page
    .getByText(/^Start another export\. If that fails, too/)
    .first()
    .waitFor()
  await start()
  await page
    .getByRole('dialog')
    .getByText('Organizations can start 5 exports in 7 days. Try again later.', { exact: true })
    .waitFor()

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a list that arrives after the event of a complete export is not shown', async () => {
  const gate = Promise.withResolvers<void>()
  const stage = await openStage({
    async makeExport(path) {
      await gate.promise
      await writeFile(path, 'archive')
    },
  })
  const { ada } = await fillExample(stage.chat)
  await ada.succeed('POST /export/realm', { export_type: 1 })
  const page = await stage.openAs(ada, '/inbox')
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  const [read, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/json/export/realm*', async (route) => {
    const response = await route.fetch()
    read.resolve()
    await released.promise
    // The page has cancelled the request.
    await route.fulfill({ response }).catch(() => {})
  })
  await chooseInOrganizationMenu(page, 'Organization')
  await page.getByRole('link', { name: 'Data exports' }).click()
  await read.promise

  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().includes('/export/realm?'))
  gate.resolve()
  await page.getByText(/^Complete, /).waitFor()
  released.resolve()
  await cancelled

  await becomes(() => page.getByText(/^Complete, /).count(), 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the list of exports stays on the page when it cannot be loaded again', async () => {
  const stage = await openStage({ makeExport: (path) => writeFile(path, 'archive') })
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openWindow()
  await stage.signIn(page, ada)
  const polling = page.waitForRequest('**/json/events?*')
  await page.goto('/organization/exports')
  const queueId = new URL((await polling).url()).searchParams.get('queue_id')
  await ada.succeed('POST /export/realm', { export_type: 1 })
  await page.getByText(/^Complete, /).waitFor()
  const json = { result: 'error', code: 'BAD_REQUEST', msg: 'Not on a Sunday' }
  await page.route('**/json/export/realm*', (route) => route.fulfill({ status: 400, json }))

  await ada.succeed('DELETE /events', { queue_id: queueId })
  await page.getByText('Not on a Sunday', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Download' }).waitFor()
  await page.unroute('**/json/export/realm*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Not on a Sunday', { exact: true }).waitFor({ state: 'detached' })

  await becomes(() => page.getByRole('link', { name: 'Download' }).count(), 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
