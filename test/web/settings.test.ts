import assert from 'node:assert/strict'
import { PASSWORD, submitPassword } from '../browser.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('font size and line spacing apply immediately and after a reload', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/preferences')
  const look = () =>
    page.evaluate(() => {
      const { fontSize } = getComputedStyle(document.documentElement)
      return [fontSize, document.documentElement.style.getPropertyValue('--message-lines')]
    })
  async function choose(label: string, option: string) {
    const saved = page.waitForResponse('**/json/settings')
    await page.getByRole('button', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
    await saved
  }
  const before = await look()

  await choose('Font size', '125%')
  await choose('Line spacing', '180%')
  await becomes(look, ['20px', '1.8'])
  await page.reload()
  await page.getByRole('heading', { name: 'Appearance' }).waitFor()

  await becomes(look, ['20px', '1.8'])
  assert.deepEqual(before, ['16px', ''])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('with "Only in conversation views", messages that are seen in a channel stay unread', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await ben.succeed('PATCH /settings', { web_mark_read_on_scroll_policy: 2 })
  const unread = async () => {
    const { messages } = await ben.succeed('GET /messages', {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      narrow: [
        { operator: 'is', operand: 'unread' },
        { operator: 'topic', operand: 'icons' },
      ],
    })
    return (messages as object[]).length
  }
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('border-radius').waitFor()
  await page.waitForTimeout(1500)
  const inChannel = await unread()
  await page.goto('/channels/1?topic=icons')

  await becomes(unread, 0)
  assert.equal(inChannel, 2)
  await stage.close()
})

test('a name that is changed while it is being saved keeps the last value', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/profile')
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  const gate = Promise.withResolvers<void>()
  await page.route('**/json/settings', (route) => gate.promise.then(() => route.continue()))

  await name.fill('Ben B')
  await name.press('Enter')
  await name.press('End')
  await page.keyboard.type('itdiddle II')
  await page.keyboard.press('Tab')
  gate.resolve()

  await becomes(async () => (await ben.succeed('GET /users/me')).full_name, 'Ben Bitdiddle II')
  await page.getByText('Saved').waitFor()
  await becomes(() => name.inputValue(), 'Ben Bitdiddle II')
  await becomes(() => page.getByRole('listbox').count(), 0)
  await stage.close()
})

test('10 minutes after the login, a new email address needs the password, and the form says which is wrong', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await submitPassword(stage.chat, ben)
  const page = await stage.openAs(ben, '/settings/account')
  const form = page.getByRole('form', { name: 'Email address' })
  await form.getByLabel('New email address').fill('benjamin@example.org')
  await stage.chat.clock.advance(601)

  await form.getByRole('button', { name: 'Send confirmation link' }).click()
  await form.getByText('You logged in a while ago').waitFor()
  await form.getByRole('button', { name: 'Send confirmation link' }).click()
  await form.getByText('Enter your current password.').waitFor()
  await form.getByLabel('Current password').fill('wrong horse')
  await form.getByRole('button', { name: 'Send confirmation link' }).click()
  await form.getByText('Wrong password!').waitFor()
  await form.getByLabel('Current password').fill(PASSWORD)
  await form.getByRole('button', { name: 'Send confirmation link' }).click()

  await form.getByText('We sent a link to benjamin@example.org.').waitFor()
  await stage.close()
})

test("if names and email addresses can't be changed, the fields are read-only and say why", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await stage.chat.change({ name_changes_disabled: true, email_changes_disabled: true })
  const page = await stage.openAs(ben, '/settings/profile')

  await page.getByText('Only administrators can change names').waitFor()
  await becomes(() => page.getByRole('textbox', { name: 'Name', exact: true }).isEditable(), false)

  await page.goto('/settings/account')
  await page.getByText('Only administrators can change email addresses').waitFor()
  await becomes(() => page.getByLabel('New email address').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("a theme that can't be saved is reverted with an error", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/profile')
  await page.getByRole('heading', { name: 'Profile' }).waitFor()
  await page.route('**/json/settings', (route) => route.abort())

  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()

  await page.getByText('Couldn’t save the change.').waitFor()
  await becomes(() => page.evaluate(() => document.documentElement.dataset['theme']), undefined)
  await stage.close()
})

test("logged-out pages use the saved theme, or the system's without scripts", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/profile')
  const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const light = await paper()
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
  await page.keyboard.press('Escape')
  const dark = await paper()

  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  const signedOut = await paper()
  await page.route('**/*-theme.js', (route) => route.abort())
  await page.reload()

  assert.notEqual(dark, light)
  assert.deepEqual([signedOut, await paper()], [dark, light])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('users without a password sign in again to create a key, and come back to where they were', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/api-keys')
  const createKey = async () => {
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByLabel('Name').fill('My terminal')
    await page.getByRole('button', { name: 'Create key' }).click()
  }
  await page.getByRole('button', { name: 'New key' }).waitFor()
  await stage.chat.clock.advance(601)

  await createKey()
  await page.getByText('Sign in again to return to this page.').waitFor()
  assert.deepEqual(await inspect(page, 'sign-in-again'), [])
  await page.getByRole('link', { name: 'Sign in again' }).click()
  await page.getByText('Sign in again to confirm that it’s you.').waitFor()
  await submitPassword(stage.chat, ben)
  await page.getByLabel('Email').fill(ben.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/settings/api-keys')
  await createKey()

  await page.getByRole('heading', { name: 'Your new API key' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("a click outside the dialog doesn't close a key that is shown once", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await submitPassword(stage.chat, ben)
  const page = await stage.openAs(ben, '/settings/api-keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('My terminal')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { name: 'Your new API key' }).waitFor()

  await page.mouse.click(5, 700)
  await page.waitForTimeout(300)

  await becomes(() => page.locator('.key-shown').count(), 1)
  await stage.close()
})

test('an unknown settings URL is not found, and the URL of a renamed section still works', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)

  for (const address of ['/settings/nothing', '/channels/1/settings/nothing']) {
    const page = await stage.openAs(ben, address)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.equal(new URL(page.url()).pathname, address)
  }
  const page = await stage.openAs(ben, '/settings/password')
  await page.waitForURL('**/settings/account')
  await page.goto('/settings')
  await page.waitForURL('**/settings/profile')

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on phones, the sections of the settings are a page of their own', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/settings/profile', { width: 360 })
  const sections = page.getByRole('navigation', { name: 'Settings' })

  await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
  await becomes(() => sections.count(), 0)
  await page.getByRole('link', { name: 'Settings' }).click()
  await sections.getByRole('link', { name: 'Account and privacy' }).click()

  await page.getByRole('heading', { name: 'Account and privacy', level: 1 }).waitFor()
  await becomes(() => sections.count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
