import assert from 'node:assert/strict'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test('an owner creates the token of a directory, which works until it is revoked; others see who can', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  const { db } = stage.chat.app.services
  const page = await stage.openAs(ada, '/organization/scim')
  const other = await stage.openAs(cleo, '/organization/scim')
  const isAccepted = async (token: string) => {
    const headers = { host: new URL(page.url()).host, authorization: `Bearer ${token}` }
    return (await stage.chat.request({ method: 'GET', path: '/scim/v2/Users', headers })).status
  }

  await other.getByRole('heading', { name: 'Owners only' }).waitFor()
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Create token' }).click()
  const shown = page.getByRole('dialog', { name: 'New SCIM token' })
  const token = await shown.locator('code').innerText()
  const accepted = await isAccepted(token)
  await shown.getByRole('button', { name: 'Done' }).click()
  await page.getByText(/^Created .* · never used/).waitFor()
  await page.getByRole('button', { name: 'Revoke token' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('There is no token, so no directory can connect.').waitFor()

  assert.match(token, /^\w{43}$/)
  assert.deepEqual([accepted, await isAccepted(token)], [200, 401])
  assert.deepEqual(await db.selectFrom('scimTokens').selectAll().execute(), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
