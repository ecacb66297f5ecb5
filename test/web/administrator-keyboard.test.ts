import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Role } from '#rules/role.ts'
import { becomes } from './becomes.ts'
import {
  activate,
  chooseFromMenu,
  chooseOption,
  complete,
  focused,
  focusReturnsTo,
  openByKeyboard,
  tabTo,
  untilFocusIn,
} from './by-keyboard.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const dialogCloses = (page: Page) => page.locator('.dialog').waitFor({ state: 'detached' })

test('an administrator invites people with a role and channels by keyboard', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/invitations')
  const { keyboard } = page
  await page.getByRole('heading', { level: 1 }).waitFor()

  await chooseFromMenu(page, /organization menu$/, /^Invite people$/)
  await page.getByRole('dialog').waitFor()
  await tabTo(page, /^Email addresses$/)
  await keyboard.type('dan@example.com,eve@example.com,')
  await chooseOption(page, /\bRole$/, 'Moderator')
  await complete(page, /^Other channels$/, 'eng', /^engines$/)
  await focusReturnsTo(page, 'Other channels')
  await complete(page, /^Other channels$/, 'des', /^design$/)
  await activate(page, /^Send 2 invitations$/)
  await page.getByRole('heading', { name: '2 people invited' }).waitFor()
  await activate(page, /^Done$/)
  await dialogCloses(page)
  await focusReturnsTo(page, 'Example: organization menu')

  const { invites } = await ada.succeed('GET /invites')
  assert.deepEqual(
    invites.map(({ email, invited_as }: { email: string; invited_as: number }) => [email, invited_as]).toSorted(),
    [
      ['dan@example.com', Role.moderator],
      ['eve@example.com', Role.moderator],
    ],
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an administrator changes a role, deactivates an account and reactivates it by keyboard', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')
  const roleOfBen = async () => (await ada.succeed(`GET /users/${ben.id}`)).user.role
  await openByKeyboard(page, '/organization/people')

  await chooseFromMenu(page, /^Actions for Ben Bitdiddle$/, /^Change role…$/)
  await page.getByRole('dialog').waitFor()
  await tabTo(page, /^(Owner|Administrator|Moderator|Guest)/)
  await tabTo(page, /^Moderator/, 'ArrowDown')
  await activate(page, /^Change$/)
  await dialogCloses(page)
  await focusReturnsTo(page, 'Actions for Ben Bitdiddle')
  assert.equal(await roleOfBen(), Role.moderator)

  await chooseFromMenu(page, /^Actions for Ben Bitdiddle$/, /^Deactivate…$/)
  await untilFocusIn(page, '[role="alertdialog"]')
  await page.keyboard.press('Escape')
  await dialogCloses(page)
  await focusReturnsTo(page, 'Actions for Ben Bitdiddle')
  await chooseFromMenu(page, /^Actions for Ben Bitdiddle$/, /^Deactivate…$/)
  await page.getByRole('alertdialog').waitFor()
  const { promise: isRowGone, resolve: answer } = Promise.withResolvers<void>()
  await page.route(`**/json/users/${ben.id}`, async (route) => {
    const response = await route.fetch()
    await isRowGone
    await route.fulfill({ response })
  })
  await activate(page, /^Deactivate$/)
  await page.getByRole('row', { name: /Ben Bitdiddle/, includeHidden: true }).waitFor({ state: 'detached' })
  // The page runs this timer after that of the table, which is shorter, while the dialog is still open.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)))
  answer()
  await becomes(async () => /^Actions for |^Select /.test(await focused(page)), true)

  await openByKeyboard(page, '/organization/people')
  await chooseOption(page, /\bShow$/, 'Deactivated')
  await page.getByRole('row', { name: /Ben Bitdiddle/ }).waitFor()
  await chooseFromMenu(page, /^Actions for Ben Bitdiddle$/, /^Reactivate$/)
  await page.getByText('Ben Bitdiddle reactivated').waitFor()
  await becomes(async () => (await ada.succeed(`GET /users/${ben.id}`)).user.is_active, true)
  await focusReturnsTo(page, 'Show all active accounts')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an administrator creates a channel, restricts who can post, and archives and unarchives it by keyboard', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')
  const { keyboard } = page
  const news = async () => (await ada.succeed('GET /streams', { exclude_archived: false })).streams.at(-1)
  await openByKeyboard(page, '/channels/new')

  await tabTo(page, /^Name$/)
  await keyboard.type('news')
  await activate(page, /^Create channel$/)
  await page.getByText('#news created').waitFor()
  await page.getByRole('heading', { name: 'news', level: 1 }).waitFor()
  await openByKeyboard(page, '/channels')
  await activate(page, /^Settings for news$/)
  await page.getByRole('heading', { name: 'General', level: 1 }).waitFor()
  await activate(page, /^Permissions$/)
  await chooseOption(page, /Who can post\?$/, 'Administrators')
  await page.getByText('Saved', { exact: true }).waitFor()
  await becomes(async () => /Who can post\?$/.test(await focused(page)), true)
  await tabTo(page, /^Permissions$/, 'Shift+Tab')
  await activate(page, /^General$/)

  await activate(page, /^Archive news…$/)
  await page.getByRole('alertdialog').waitFor()
  await activate(page, /^Archive channel$/)
  await dialogCloses(page)
  await focusReturnsTo(page, 'Unarchive news')
  assert.equal((await news())?.is_archived, true)
  await keyboard.press('Enter')
  await focusReturnsTo(page, 'Archive news…')

  assert.equal((await news())?.is_archived, false)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an administrator creates a group with a member, and adds and removes a linkifier by keyboard', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')
  const { keyboard } = page
  await openByKeyboard(page, '/organization/groups')

  await activate(page, /^Create group$/)
  await page.getByRole('dialog').waitFor()
  await tabTo(page, /^Name$/)
  await keyboard.type('Printers')
  await activate(page, /^Create group$/)
  await dialogCloses(page)
  await focusReturnsTo(page, 'Create group')
  await activate(page, /^Printers$/)
  await complete(page, /^Add people and groups$/, 'ben', /Ben Bitdiddle/)
  await activate(page, /^Add$/)
  await page.getByText('Everyone you picked is now in Printers').waitFor()
  await becomes(async () => (await focused(page)) !== '', true)
  const { user_groups } = await ada.succeed('GET /user_groups')
  assert.deepEqual(user_groups.find(({ name }: { name: string }) => name === 'Printers')?.members, [ada.id, ben.id])

  await openByKeyboard(page, '/organization/links')
  await activate(page, /^Add linkifier$/)
  await page.getByRole('dialog').waitFor()
  await tabTo(page, /^Pattern$/)
  await keyboard.type('#(?P<id>[0-9]+)')
  await tabTo(page, /^URL template$/)
  await keyboard.type('https://example.com/{id}')
  await keyboard.press('Enter')
  await dialogCloses(page)
  await focusReturnsTo(page, 'Add linkifier')
  await chooseFromMenu(page, /^Actions for #/, /^Remove$/)
  await page.getByRole('alertdialog').waitFor()
  await activate(page, /^Remove$/)
  await page.getByRole('heading', { name: 'No linkifiers yet' }).waitFor()
  await becomes(async () => (await focused(page)) !== '', true)

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an administrator changes permissions, defaults and the name by keyboard, and undoes it', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/people')
  const { keyboard } = page
  const undone = async (label: string) => {
    await page.getByRole('button', { name: `Undo: ${label}`, exact: true }).waitFor()
    await activate(page, /^Undo: /)
    await focusReturnsTo(page, `Redo: ${label}`)
  }
  await openByKeyboard(page, '/organization/permissions')

  await chooseOption(page, /Who can create public channels\?$/, 'Administrators')
  await undone('Who can create public channels?')
  await openByKeyboard(page, '/organization/new-users')
  await chooseOption(page, /\bTheme$/, 'Dark')
  await undone('Theme')
  await tabTo(page, /^24-hour time$/)
  await keyboard.press('Space')
  await undone('24-hour time')
  await openByKeyboard(page, '/organization/profile')
  await tabTo(page, /^Name$/)
  await keyboard.press('Control+a')
  await keyboard.type('Analytical Engines')
  await keyboard.press('Enter')
  await page.getByText('Saved', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Analytical Engines: organization menu' }).waitFor()
  await undone('Name')

  const stored = async () => {
    const { realm_name, realm_user_settings_defaults: defaults } = await ada.succeed('POST /register')
    return [realm_name, defaults.color_scheme, defaults.twenty_four_hour_time]
  }
  await becomes(stored, ['Example', 1, false])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
