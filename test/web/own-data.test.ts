import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('a user requests an archive of their data, downloads it when it is ready, and deletes it', async () => {
  const gate = Promise.withResolvers<void>()
  const stage = await openStage({
    async makeExport(path) {
      await gate.promise
      await writeFile(path, 'archive')
    },
  })
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/account')

  await page.getByRole('button', { name: 'Request your data' }).click()
  await page.getByText('Your archive is being made.').waitFor()
  gate.resolve()
  await page.getByText(/^Your archive \(.*\) is ready\. It will be deleted on /).waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const downloaded = await downloading
  await page.getByRole('button', { name: 'Delete archive' }).click()
  await becomes(() => page.getByRole('link', { name: 'Download' }).count(), 0)

  assert.match(downloaded.suggestedFilename(), /^parley-my-data-\d{4}-\d\d-\d\d\.tar\.gz$/)
  await page.getByRole('button', { name: 'Request your data' }).click()
  await page.getByText('You can request your data once a day. Try again later.').waitFor()
  await stage.close()
})
