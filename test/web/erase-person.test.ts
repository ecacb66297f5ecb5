import assert from 'node:assert/strict'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('an owner erases a person after typing the name, and the profile shows the pseudonym', async () => {
  const stage = await openStage()
  const { chat } = stage
  const { ada, ben } = await fillExample(chat)
  const page = await stage.openAs(ada, `/people/${ben.id}`)

  await page.getByRole('button', { name: 'More actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Erase data…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText(/Delete \d+ channel messages?/).waitFor()
  const erase = dialog.getByRole('button', { name: 'Erase data' })
  await becomes(() => erase.isDisabled(), true)
  await dialog.getByRole('textbox').fill('Ben Bitdiddle')
  await erase.click()
  await page.getByText('Erasure started.').waitFor()
  await page.getByText(`Deleted user ${ben.id}`).first().waitFor()

  assert.equal((await ben.call('GET /users/me')).status, 401)
  await stage.close()
})
