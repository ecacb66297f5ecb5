import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { PASSWORD } from '../browser.ts'
import type { Chat } from '../harness.ts'
import { keyOfInvitation } from '../joining.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

/** Makes every password change wait, as on a slow server, until the returned function is called. */
function holdPasswords({ app }: Chat): () => void {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { passwords } = app.services
  const { hash } = passwords
  passwords.hash = async (password) => {
    await released
    return hash(password)
  }
  return release
}

async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Full name').fill('Dan Dare')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
}

test('a double click on the join button creates one account and logs in', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const key = await keyOfInvitation(stage.chat, ada, 'dan@example.com')
  const page = await stage.openWindow()
  await page.goto(`/accounts/do_confirm/${key}`)
  await fillIn(page)
  const release = holdPasswords(stage.chat)

  await page.getByRole('button', { name: 'Join Example' }).dblclick({ delay: 100 })
  release()

  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a reload keeps the form, except for the password', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const key = await keyOfInvitation(stage.chat, ada, 'dan@example.com')
  const page = await stage.openWindow()
  await page.goto(`/accounts/do_confirm/${key}`)
  await fillIn(page)
  // The arrow of a list is inside its field.
  const list = page.locator('.select')
  assert.equal((await list.boundingBox())!.height, (await list.locator('select').boundingBox())!.height)

  await page.reload()

  await becomes(() => page.getByLabel('Full name').inputValue(), 'Dan Dare')
  await becomes(() => page.getByLabel('Password', { exact: true }).inputValue(), '')
  await becomes(() => page.evaluate(() => Object.keys(sessionStorage)), ['parley.joined'])
  await stage.close()
})

test('a page names its empty and malformed fields itself, and keeps the rest', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const key = await keyOfInvitation(stage.chat, ada, 'dan@example.com')
  const page = await stage.openWindow()
  await page.goto(`/accounts/do_confirm/${key}`)
  const [name, password] = [page.getByLabel('Full name'), page.getByLabel('Password', { exact: true })]
  await password.fill(PASSWORD)

  await page.getByRole('button', { name: 'Join Example' }).click()

  await becomes(() => name.getAttribute('aria-invalid'), 'true')
  await becomes(() => page.locator('main .error').count(), 1)
  await becomes(() => name.evaluate((input) => input === document.activeElement), true)
  assert.deepEqual(await inspect(page, 'join-empty'), [])
  await name.fill('Dan Dare')
  await page.getByRole('button', { name: 'Join Example' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()

  await stage.endSession(page)
  await page.goto('/login/')
  await page.getByLabel('Email').fill('dan')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await becomes(() => page.getByLabel('Email').getAttribute('aria-invalid'), 'true')
  await becomes(() => page.locator('main .error:visible').count(), 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('pages without scripts have the font of the web client', async () => {
  const stage = await openStage()
  const page = await stage.openWindow()

  await page.goto('/login/')

  const load = () => document.fonts.load('16px "Inter Variable"').then((faces) => faces.map(({ status }) => status))
  assert.deepEqual(await page.evaluate(load), ['loaded'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the strength of a new password follows the rule of the server, and a refused one is kept', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const key = await keyOfInvitation(stage.chat, ada, 'dan@example.com')
  const page = await stage.openWindow()
  await page.goto(`/accounts/do_confirm/${key}`)
  const password = page.getByLabel('Password', { exact: true })
  const line = page.locator('.strength .hint')
  await page.getByLabel('Full name').fill('Dan Dare')

  await password.fill('short')
  await becomes(() => line.textContent(), 'Too short: add 3 more characters')
  await password.fill('Password2026!')
  await becomes(() => line.textContent(), 'This password is too easy to guess.')
  await page.getByRole('button', { name: 'Join Example' }).click()
  await becomes(() => page.locator('main .error').allTextContents(), ['This password is too easy to guess.'])
  assert.equal(await password.inputValue(), 'Password2026!')
  assert.deepEqual(await inspect(page, 'join-easy-password'), [])

  await password.fill('copper lantern orbit')
  await becomes(() => line.textContent(), 'Strong')
  await becomes(() => page.locator('main .error').count(), 0)
  await page.getByRole('button', { name: 'Join Example' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('pages before the login have the look of the web client', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openWindow()
  const markOf = (selector: string) =>
    page.locator(selector).evaluate((mark) => [mark.textContent?.trim(), getComputedStyle(mark).backgroundImage])

  await page.goto('/login/')
  const mark = await markOf('.mark')
  assert.equal(await page.locator('.scene').isVisible(), true)
  await page.getByLabel('Email').focus()
  const focus = await page.getByLabel('Email').evaluate((field) => getComputedStyle(field).outlineColor)
  const button = await page
    .getByRole('button', { name: 'Sign in' })
    .evaluate((one) => getComputedStyle(one).backgroundColor)
  assert.equal(focus, button)
  await page.setViewportSize({ width: 820, height: 800 })
  await becomes(() => page.locator('.scene').isVisible(), false)

  await page.setViewportSize({ width: 1280, height: 800 })
  await stage.signIn(page, ada)
  await page.goto('/inbox')
  await page.locator('.organization-mark').waitFor()
  assert.deepEqual(await markOf('.organization-mark'), mark)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
