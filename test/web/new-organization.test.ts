import assert from 'node:assert/strict'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('a visitor creates an organization, from the public page to the first sign-in', async () => {
  const settings = { OPEN_REALM_CREATION: true, SMTP_URL: 'smtp://relay.test', PROOF_OF_WORK: 10 }
  const stage = await openStage({ settings })
  await stage.chat.organization('acme')
  const page = await stage.openWindow()
  await page.goto(`${stage.url}/new/`)

  await page.getByLabel('Organization name').fill('Acme Tools')
  await page.getByLabel('Start of the address').fill('acme')
  await page.getByLabel('Your email address').fill('ada@example.com')
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByText(/This address is taken/).waitFor()
  assert.deepEqual(await inspect(page, 'new-organization'), [])
  await page.getByLabel('Start of the address').fill('acme-tools')
  await page.getByRole('button', { name: 'Send link' }).click()
  await page.getByRole('heading', { name: 'Check your email' }).waitFor()

  const mail = (await stage.chat.mail()).findLast(({ to }) => to.includes('ada@example.com'))
  await page.goto(/http:\S+\/new\/\S+/.exec(mail?.text ?? '')?.[0] ?? assert.fail('no link'))
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('Password', { exact: true }).fill('three green bicycles')
  assert.deepEqual(await inspect(page, 'new-organization-owner'), [])
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Create the organization' }).click()

  await page.getByRole('heading', { name: 'Acme Tools is ready' }).waitFor()
  const href = await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')
  assert.match(href ?? '', /^http:\/\/acme-tools\..*\/login\/\?email=ada%40example\.com$/)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a form that is submitted while its puzzle is being solved says so', async () => {
  // No number solves it: 32 bits of the hash are read.
  const stage = await openStage({ settings: { PROOF_OF_WORK: 33 } })
  const page = await stage.openWindow()
  await page.goto(`${stage.url}/accounts/find/`)

  await page.getByLabel('Your email addresses').fill('ada@example.com')
  await page.getByRole('button', { name: 'Send links' }).click()
  await page.getByText(/Your browser is solving a puzzle/).waitFor()

  assert.deepEqual(await inspect(page, 'proof-of-work'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a visitor tries a demo organization, adds an address, and keeps it', async () => {
  const stage = await openStage({ settings: { DEMO_ORGANIZATIONS: true, SMTP_URL: 'smtp://relay.test' } })
  const page = await stage.openWindow()
  await page.goto(`${stage.url}/new/demo/`)
  assert.deepEqual(await inspect(page, 'new-demo'), [])
  await page.getByRole('button', { name: 'Create a demo organization' }).click()
  await page.getByRole('link', { name: 'Open the organization' }).click()
  await page.getByRole('button', { name: 'Sign in' }).click()

  const banner = page.getByRole('region', { name: 'Demo organization' })
  await banner.getByText('This demo organization ends in 30 days.').waitFor()
  await page.getByRole('region', { name: 'Get started' }).waitFor()
  assert.deepEqual(await inspect(page, 'demo-banner'), [])
  await banner.getByRole('link', { name: 'Keep it' }).click()
  await page.locator('[data-setting="keep-demo"][data-linked]').waitFor()
  assert.deepEqual(await inspect(page, 'keep-demo-section'), [])
  await page.getByRole('link', { name: 'Add your email address first' }).click()
  await page.getByLabel('New email address').fill('ada@example.com')
  await page.getByRole('button', { name: 'Send confirmation link' }).click()
  await page.getByText('We sent a link to ada@example.com.').waitFor()
  const mail = (await stage.chat.mail()).findLast(({ to }) => to.includes('ada@example.com'))
  const host = new URL(page.url()).origin
  await page.goto(`${host}${/\/accounts\/confirm_new_email\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''}`)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('We have emailed you a link to choose a password.').waitFor()

  await page.goto(`${host}/organization/profile`)
  await page.getByRole('button', { name: 'Make it permanent…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Start of the address').fill('admin')
  await dialog.getByRole('button', { name: 'Make it permanent' }).click()
  await dialog.getByText(/This subdomain is reserved/).waitFor()
  assert.deepEqual(await inspect(page, 'keep-demo'), [])
  await dialog.getByLabel('Start of the address').fill('acme-tools')
  await dialog.getByRole('button', { name: 'Make it permanent' }).click()
  await dialog.getByText('Choose a password first, under Settings → Account and privacy.').waitFor()

  const link = (await stage.chat.mail()).at(-1)?.text ?? ''
  await page.goto(`${host}${/\/accounts\/password\/reset\/\S+/.exec(link)?.[0] ?? ''}`)
  await page.getByRole('textbox', { name: 'New password' }).fill('a long enough passphrase')
  await page.getByRole('button', { name: 'Set password' }).click()
  await page.getByRole('textbox', { name: 'Password' }).fill('a long enough passphrase')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${host}/`)
  await page.goto(`${host}/organization/profile`)
  await page.getByRole('button', { name: 'Make it permanent…' }).click()
  await dialog.getByLabel('Start of the address').fill('acme-tools')
  await dialog.getByRole('button', { name: 'Make it permanent' }).click()
  await page.waitForURL(/^http:\/\/acme-tools\..*\/login\//)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
