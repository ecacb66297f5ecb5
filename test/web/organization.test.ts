import assert from 'node:assert/strict'
import { Role } from '#rules/role.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { chooseInOrganizationMenu } from './organization-menu.ts'
import { openStage } from './stage.ts'

test('an unknown page of the organization is not found, for administrators and others', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)

  for (const person of [ada, ben]) {
    const page = await stage.openAs(person, '/organization/nothing')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.match(page.url(), /\/organization\/nothing$/)
    await page.goto('/organization')
    await page.waitForURL(person === ada ? '**/organization/people' : '**/organization/groups')
  }

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an administrator changes a role, which the page follows', async () => {
  const stage = await openStage()
  const { ben, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(cleo, '/')

  await chooseInOrganizationMenu(page, 'Organization')
  await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Change role…' }).click()
  await becomes(() => page.getByRole('radio', { name: /^Owner/ }).count(), 0)
  await page.getByRole('dialog').getByText('Moderator', { exact: true }).click()
  await page.getByRole('button', { name: 'Change', exact: true }).click()

  await page
    .getByRole('row', { name: /Ben Bitdiddle/ })
    .getByText('Moderator')
    .waitFor()
  assert.equal((await ben.succeed('GET /users/me')).role, Role.moderator)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('several accounts are deactivated together after a confirmation, and reactivated', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const eve = await stage.chat.user('eve', { fullName: 'Eve Sender' })
  await ben.succeed('POST /bots', { full_name: 'Robot', short_name: 'robot' })
  const page = await stage.openAs(ada, '/organization/people')

  for (const name of ['Ben Bitdiddle', 'Eve Sender', 'Ada Lovelace'])
    await page
      .getByRole('row', { name: new RegExp(name) })
      .locator('.checkbox')
      .click()
  await page.getByRole('button', { name: 'Deactivate…' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Deactivate 2 accounts?' })
  await dialog.getByText('their bots are deactivated: Robot').waitFor()
  await dialog.getByText('You can’t deactivate 1 of the selected accounts.').waitFor()
  await dialog.getByRole('button', { name: 'Deactivate' }).click()

  await page.getByText('2 accounts deactivated', { exact: true }).waitFor()
  assert.equal((await ada.succeed(`GET /users/${eve.id}`)).user.is_active, false)
  await page.getByRole('button', { name: /^Active/ }).click()
  await page.getByRole('option', { name: 'Deactivated' }).click()
  await page
    .getByRole('row', { name: /Eve Sender/ })
    .locator('.checkbox')
    .click()
  await page.getByRole('button', { name: 'Reactivate' }).click()
  await page.getByText('Eve Sender reactivated', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Bots' }).click()
  await page.getByRole('row', { name: /Robot/ }).getByText('Deactivated').first().waitFor()
  assert.equal((await ada.succeed(`GET /users/${eve.id}`)).user.is_active, true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('errors of several accounts are shown for each of them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/people')
  await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Deactivate…' }).click()
  const refusal = { code: 'BAD_REQUEST', msg: 'Not on a Sunday' }
  await page.route(`**/json/users/${ben.id}`, (route) => route.fulfill({ status: 400, json: refusal }))

  await page.getByRole('alertdialog').getByRole('button', { name: 'Deactivate' }).click()

  await page.getByRole('alert').getByText('Ben Bitdiddle: Not on a Sunday').waitFor()
  assert.equal((await ada.succeed(`GET /users/${ben.id}`)).user.is_active, true)
  await stage.close()
})

test('users who are not administrators see no link to the page, and whom to ask', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/organization/people')

  await page.getByRole('heading', { name: 'Administrators only' }).waitFor()
  await page.goto('/organization/sign-in')
  await page.getByRole('heading', { name: 'Owners only' }).waitFor()
  assert.deepEqual(await inspect(page, 'owners-only'), [])
  await page.getByRole('link', { name: 'Back to Organization' }).click()
  await page.getByRole('heading', { name: 'Groups' }).first().waitFor()
  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Your profile' }).waitFor()

  await becomes(() => page.getByRole('menuitem', { name: 'Organization' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a setting is saved on change with a confirmation, others follow, and errors are shown at it', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const [page, bens] = [await stage.openAs(ada, '/organization/profile'), await stage.openAs(ben, '/people')]

  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Analytical Engines')
  await name.press('Enter')
  await page.getByText('Saved', { exact: true }).waitFor()
  await bens.getByRole('button', { name: 'Analytical Engines: organization menu' }).waitFor()
  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Availability' }).click()
  await page.getByText('Hide everyone’s availability', { exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await bens.getByText('Availability is turned off').waitFor()
  await page.getByRole('link', { name: 'Joining' }).click()
  await page.getByLabel('Add a domain').fill('not a domain')
  await page.getByRole('button', { name: 'Add', exact: true }).click()

  await page.locator('.field-error', { hasText: /domain/i }).waitFor()
  const state = await ada.succeed('POST /register')
  assert.deepEqual([state.realm_name, state.realm_presence_disabled], ['Analytical Engines', true])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a permission is saved when a group is chosen, and some are for owners only', async () => {
  const stage = await openStage()
  const { ada, cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(cleo, '/organization/permissions')

  await page.getByRole('button', { name: /Who can create private channels/ }).click()
  await page.getByRole('option', { name: 'Moderators and administrators' }).click()
  await page.getByText('Saved', { exact: true }).waitFor()

  const state = await ada.succeed('POST /register')
  const moderators = state.realm_user_groups.find(({ name }: { name: string }) => name === 'role:moderators')
  assert.equal(state.realm_can_create_private_channel_group, moderators.id)
  await becomes(() => page.getByRole('button', { name: /Who can invite people by email/ }).count(), 0)
  await page.getByText('Who can invite people by email?').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('retention and time limits are chosen, also unlimited ones', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/messages')

  await page.getByRole('button', { name: /Time limit for editing messages/ }).click()
  await page.getByRole('option', { name: 'No limit' }).click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: /Message retention/ }).click()
  await page.getByRole('option', { name: '30 days' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: /Message retention/ }).click()
  await page.getByRole('option', { name: '90 days' }).click()
  await page.getByText('Messages older than 90 days will be permanently deleted').waitFor()
  await page.getByRole('button', { name: 'Delete older messages' }).click()
  await page.getByText('Saved', { exact: true }).nth(1).waitFor()
  await page.getByRole('button', { name: /Edit history/ }).click()
  await page.getByRole('option', { name: 'Nothing' }).click()
  await page.getByText('Saved', { exact: true }).nth(2).waitFor()

  const state = await ada.succeed('POST /register')
  assert.deepEqual([state.realm_message_content_edit_limit_seconds, state.realm_message_retention_days], [null, 90])
  assert.equal(state.realm_message_edit_history_visibility_policy, 'none')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the email about a deactivation has a comment of the administrator', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/people')
  await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Deactivate…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('Notify them by email', { exact: true }).click()
  await dialog.getByLabel('Comment in the email').fill('Thank you for everything.')

  await dialog.getByRole('button', { name: 'Deactivate' }).click()

  await page.getByText('Ben Bitdiddle deactivated').waitFor()
  await becomes(
    async () => (await stage.chat.mail()).some(({ text }) => text.includes('Thank you for everything.')),
    true,
  )
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
