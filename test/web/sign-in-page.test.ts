import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Page } from 'playwright-core'
import { saveExternalIdentity } from '#identity/external-identities.ts'
import { parseNetwork } from '#lib/public-address.ts'
import { noSignInFile } from '#lib/sign-in-file.ts'
import { CLIENT, startIdentityProvider } from '../identity-provider.ts'
import { slapdAbsent, startSlapd } from '../slapd.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

async function choose(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'Actions for Ours' }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

test('an owner adds a provider, tests it, turns passwords off once it has worked, and removes it', async () => {
  const provider = await startIdentityProvider()
  const stage = await openStage({ settings: { OUTGOING_WEBHOOK_PRIVATE_HOSTS: ['127.0.0.1'] } })
  const { ada, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/sign-in')
  const dialog = page.getByRole('dialog')
  const password = page.getByRole('checkbox', { name: 'Password' })

  const other = await stage.openAs(cleo, '/organization/sign-in')
  await other.getByRole('heading', { name: 'Owners only' }).waitFor()
  assert.deepEqual(await inspect(other, 'owners-only-administrator'), [])
  await page.getByText('No providers yet.').waitFor()
  await becomes(() => password.isDisabled(), true)

  await page.getByRole('button', { name: 'Add a provider' }).click()
  await dialog.getByRole('button', { name: /Service$/ }).click()
  await page.getByRole('option', { name: 'Other service with OpenID Connect' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Ours')
  await dialog.getByRole('textbox', { name: 'Issuer' }).fill('nowhere')
  await dialog.getByRole('textbox', { name: 'Client ID' }).fill(CLIENT.client_id)
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await dialog.getByText('Enter the client secret.').waitFor()
  await dialog.getByLabel('Client secret').fill(CLIENT.clientSecret)
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await dialog.getByText('Must be an http or https address.').waitFor()
  assert.deepEqual(await inspect(page, 'sign-in-form'), [])
  await dialog.getByRole('textbox', { name: 'Issuer' }).fill(provider.issuer)
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await dialog.getByText(`${stage.url}/complete/own-1/`, { exact: true }).waitFor()
  assert.deepEqual(await inspect(page, 'sign-in-addresses'), [])
  await dialog.getByRole('button', { name: 'Done' }).click()

  await choose(page, 'Groups and roles')
  await dialog.getByRole('button', { name: 'Add group' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter the name of the group at the provider.').waitFor()
  await dialog.getByRole('textbox', { name: 'Group at the provider' }).fill('staff')
  await dialog.getByRole('button', { name: /Gives$/ }).click()
  await page.getByRole('option', { name: 'Role: Moderator' }).click()
  await dialog.getByRole('button', { name: 'Add group' }).click()
  await dialog.getByRole('textbox', { name: 'Group at the provider' }).last().fill('staff')
  await dialog
    .getByRole('button', { name: /Gives$/ })
    .last()
    .click()
  await page.getByRole('option', { name: 'Role: Guest' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('A group can give one role and one user group.').first().waitFor()
  assert.deepEqual(await inspect(page, 'sign-in-groups'), [])
  await dialog.getByRole('button', { name: 'Remove group 2' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Groups and roles saved').waitFor()
  const { providers } = await ada.succeed('GET /realm/sign_in_providers')
  assert.deepEqual(providers[0].settings.roles, { staff: 'moderator' })
  assert.equal(providers[0].settings.groups_claim, 'groups')

  await choose(page, 'Test it')
  await dialog.getByText('It publishes 1 key, so that its answers can be verified.').waitFor()
  provider.answers.set('/keys', { body: '{"keys":[]}' })
  await dialog.getByRole('button', { name: 'Test again' }).click()
  await dialog.getByText(/^It publishes no keys/).waitFor()
  assert.deepEqual(await inspect(page, 'sign-in-report'), [])
  const trial = dialog.getByRole('link', { name: 'Try to sign in' })
  assert.equal(await trial.getAttribute('href'), '/accounts/login/social/own-1?test')
  await dialog.getByRole('button', { name: 'Done' }).click()

  await page.getByText('Before you can turn passwords off, sign in once').waitFor()
  await page.getByText('Password', { exact: true }).click()
  await page.getByText('Sign in once with another method that stays enabled.').waitFor()
  await becomes(() => password.isChecked(), true)
  assert.deepEqual(await inspect(page, 'sign-in-refused'), [])

  const identity = { provider: 'own-1', issuer: provider.issuer, subject: 'ada-1' }
  const realmId = ada.realm.id
  await stage.chat.app.services.transaction((tx) => saveExternalIdentity(tx, { id: ada.id, realmId }, identity))
  await page.reload()
  await page.getByText('You have signed in with another method').waitFor()
  await page.getByText('Password', { exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const { code } = await ada.call('POST /fetch_api_key', { username: ada.email, password: 'x' })
  assert.equal(code, 'PASSWORD_AUTH_DISABLED')

  await choose(page, 'Remove')
  const asked = page.getByRole('alertdialog', { name: 'Remove Ours?' })
  await asked.getByText(/^1 person signs in with it/).waitFor()
  assert.deepEqual(await inspect(page, 'sign-in-remove'), [])
  await asked.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No providers yet.').waitFor()
  await becomes(() => password.isChecked(), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('where the operator forbids it, an owner cannot add a provider, and the page says so', async () => {
  const stage = await openStage({ settings: { SIGN_IN_FILE: { ...noSignInFile, ownersMayAddProviders: false } } })
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/sign-in')

  await page.getByText(/doesn’t allow organizations to add their own/).waitFor()

  assert.equal(await page.getByRole('button', { name: 'Add a provider' }).count(), 0)
  await stage.close()
})

test('people continue with the single sign-on of a proxy, or confirm whom the token of an unknown page names', async () => {
  const key = createSecretKey(Buffer.from('a secret of at least 32 bytes, shared'))
  const proxy = {
    ...{ name: 'Example SSO', header: 'x-remote-user', nameHeader: null, groupsHeader: null, appendDomain: null },
    ...{ networks: [parseNetwork('127.0.0.1')!], organizations: null, createsAccounts: false },
    ...{ groups: undefined, roles: undefined },
  }
  const program = {
    ...{ organization: '', key, algorithms: ['HS256'], issuer: undefined, audience: undefined },
    ...{ origins: [], createsAccounts: false },
  }
  const stage = await openStage({ settings: { SIGN_IN_FILE: { ...noSignInFile, proxy, jwt: [program] } } })
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openWindow()

  await page.goto('/login/')
  await page.getByRole('link', { name: 'Continue with Example SSO' }).click()
  await page.getByRole('heading', { name: 'Signing in did not work' }).waitFor()
  assert.deepEqual(await inspect(page, 'sign-in-proxy-failed'), [])
  await page.setExtraHTTPHeaders({ 'x-remote-user': ben.email })
  await page.getByRole('link', { name: 'Back to sign-in' }).click()
  assert.deepEqual(await inspect(page, 'sign-in-proxy'), [])
  await page.getByRole('link', { name: 'Continue with Example SSO' }).click()
  await page
    .getByRole('button', { name: /Ben Bitdiddle/ })
    .first()
    .waitFor()

  await stage.endSession(page)
  await page.setExtraHTTPHeaders({})
  const token = await new SignJWT({ email: ada.email, exp: stage.chat.clock.now() + 60 })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(key)
  await page.setContent(
    `<form method="post" action="${stage.url}/accounts/login/jwt/"><input name="token" value="${token}"><button>Chat</button></form>`,
  )
  await page.getByRole('button', { name: 'Chat' }).click()
  await page.getByText(`You will be signed in as ${ada.email}.`).waitFor()
  assert.deepEqual(await inspect(page, 'sign-in-token'), [])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page
    .getByRole('button', { name: /Ada Lovelace/ })
    .first()
    .waitFor()

  const owners = await stage.openAs(ada, '/organization/sign-in')
  await owners.getByRole('checkbox', { name: 'Example SSO' }).waitFor()
  assert.deepEqual(await inspect(owners, 'sign-in-methods-proxy'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a person signs in with the password of a directory, from the form to the messages', async (context) => {
  if (slapdAbsent) return context.skip(slapdAbsent)
  const slapd = await startSlapd()
  await slapd.addPerson('dana')
  const stage = await openStage({ settings: { SIGN_IN_FILE: slapd.signInFile() } })
  const { ada } = await fillExample(stage.chat)
  await stage.chat.change({ invite_required: false })

  const page = await stage.openWindow({ width: 390, theme: 'dark' })
  await page.goto('/login/')
  await page.getByLabel('Email or user name').fill('dana')
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('The user name or the password is incorrect.').first().waitFor()
  assert.deepEqual(await inspect(page, 'sign-in-directory'), [])
  await page.getByRole('textbox', { name: 'Password' }).fill('password of dana')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('main').waitFor()
  await becomes(async () => new URL(page.url()).pathname !== '/login/', true)
  assert.equal(
    await page.evaluate("fetch('/json/users/me').then((answer) => answer.json()).then(({ full_name }) => full_name)"),
    'dana of the directory',
  )

  const owners = await stage.openAs(ada, '/organization/sign-in')
  await owners.getByRole('checkbox', { name: 'Example directory' }).waitFor()
  assert.deepEqual(await inspect(owners, 'sign-in-methods-directory'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
