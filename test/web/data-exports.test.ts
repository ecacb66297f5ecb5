import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
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
  await other.getByRole('heading', { name: 'No data exports' }).waitFor()

  await page.getByRole('button', { name: 'Start export' }).click()
  const dialog = page.getByRole('dialog', { name: 'Start export' })
  await dialog.getByText(/^1 of 3 people allows the export/).waitFor()
  await cleo.succeed('PATCH /settings', { allow_private_data_export: true })
  await dialog.getByText(/^2 of 3 people allow the export/).waitFor()
  await dialog.getByText('Public and private data').click()
  await dialog.getByRole('button', { name: 'Start export' }).click()
  for (const shown of [page, other]) await shown.getByText('In progress', { exact: true }).waitFor()
  const start = other.getByRole('button', { name: 'Start export' })
  assert.equal(await start.isDisabled(), true)
  gate.resolve()
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
