import assert from 'node:assert/strict'
import { Role } from '#rules/role.ts'
import { newSigningKeys, samlFileWith, startSamlProvider } from '../saml-provider.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('a new person signs in with an identity provider of SAML, from the first click to the messages, and signs out', async () => {
  const stage = await openStage()
  await stage.chat.change({ invite_required: false })
  const provider = await startSamlProvider(() => stage.chat.clock.now())
  const { privateKey: key, certificate } = newSigningKeys()
  const logout = { isLogoutSent: true, logoutUrl: provider.logoutUrl, signing: { key, certificate } }
  stage.chat.settings.SIGN_IN_FILE = samlFileWith(provider, { roles: { owners: 'owner' }, ...logout })
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

  await page.goto('/')
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByText('You were signed out.').waitFor()
  assert.match(provider.requests.at(-1)?.xml ?? '', /LogoutRequest/)
  await page.goto('/login/?logged_out=here')
  await inspect(page, 'signed-out-here')

  await page.getByRole('link', { name: 'Continue with Example Corp' }).click()
  await page.getByRole('button', { name: 'Sign in as Ada' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  stage.chat.settings.SIGN_IN_FILE = samlFileWith(provider)
  // The client would notice the end of its session before the page is there.
  await page.goto('about:blank')
  await page.goto(`/complete/saml/?${provider.logOut('redirect', `${stage.url}/complete/saml/`)}`)
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await inspect(page, 'signed-out-by-provider')
  await page.goto(`/complete/saml/?${provider.logOut('redirect', 'https://other.test/')}`)
  await inspect(page, 'logout-not-verified')
  await stage.close()
})
