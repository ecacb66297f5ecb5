import assert from 'node:assert/strict'
import { Role } from '#rules/role.ts'
import { samlFileWith, startSamlProvider } from '../saml-provider.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('a new person signs in with an identity provider of SAML, from the first click to the messages', async () => {
  const stage = await openStage()
  await stage.chat.change({ invite_required: false })
  const provider = await startSamlProvider(() => stage.chat.clock.now())
  stage.chat.settings.SIGN_IN_FILE = samlFileWith(provider, { roles: { owners: 'owner' } })
  const email = ['ada@example.com']
  provider.answer = { attributes: { email, displayName: ['Ada Lovelace'], groups: ['owners'] } }

  const page = await stage.openWindow()
  await page.goto('/login/')
  await inspect(page, 'sign-in-with-saml')
  await page.getByRole('link', { name: 'Continue with Example Corp' }).click()
  await page.getByRole('heading', { name: 'Identity provider' }).waitFor()
  await page.getByRole('button', { name: 'Sign in as Ada' }).click()

  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  const users = await stage.chat.app.services.db.selectFrom('users').select(['fullName', 'role']).execute()
  assert.ok(users.some(({ fullName, role }) => fullName === 'Ada Lovelace' && role === Role.owner))

  await page.goto('/#organization/sign-in')
  await page.getByRole('button', { name: 'Actions for Example Corp' }).click()
  await page.getByRole('menuitem', { name: 'Show addresses' }).click()
  const dialog = page.getByRole('dialog', { name: 'Addresses for Example Corp' })
  await dialog.getByText(`${stage.url}/complete/saml/`, { exact: true }).waitFor()
  await dialog.getByText(`${stage.url}/saml/metadata.xml`, { exact: true }).waitFor()
  assert.equal(await dialog.getByText('Logout address').count(), 0)
  await inspect(page, 'saml-addresses')
  await stage.close()
})
