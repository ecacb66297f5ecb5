import assert from 'node:assert/strict'
import { hasSecondFactor, newTotpSecret, saveTotp } from '#people/second-factors.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

test('an owner renames a person, asks for another address, and fills in a profile field', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const { id } = await ada.succeed('POST /realm/profile_fields', { field_type: 1, name: 'Pronouns' })
  const page = await stage.openAs(ada, '/organization/people')

  await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Manage…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Manage Ben Bitdiddle' })
  const name = dialog.getByRole('textbox', { name: 'Full name' })
  await name.fill(' ')
  await name.press('Enter')
  await dialog.getByText('Enter a name.').waitFor()
  await name.fill('Ben Renamed')
  await name.press('Enter')
  await page.getByRole('dialog', { name: 'Manage Ben Renamed' }).waitFor()
  const renamed = page.getByRole('dialog', { name: 'Manage Ben Renamed' })
  await renamed.getByRole('textbox', { name: 'Email' }).fill(ada.email)
  await renamed.getByRole('button', { name: 'Change', exact: true }).click()
  await renamed.locator('.field-error').waitFor()
  await renamed.getByRole('textbox', { name: 'Email' }).fill('ben@new.example.com')
  await renamed.getByRole('button', { name: 'Change', exact: true }).click()
  await renamed.getByText('A link was sent to ben@new.example.com.').waitFor()
  await renamed.getByRole('textbox', { name: 'Pronouns' }).fill('they/them')
  await renamed.getByRole('textbox', { name: 'Pronouns' }).press('Enter')
  await renamed.getByText('Saved', { exact: true }).nth(1).waitFor()

  const { user } = await ada.succeed(`GET /users/${ben.id}`, { include_custom_profile_fields: true })
  assert.deepEqual([user.full_name, user.profile_data[id].value], ['Ben Renamed', 'they/them'])
  assert.deepEqual(await inspect(page, 'organization-manage'), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an administrator logs a person out everywhere', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/people')

  await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Manage…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Manage Ben Bitdiddle' })
  await dialog.getByRole('button', { name: 'Log out everywhere…' }).click()
  const asked = await ben.call('GET /users/me')
  await dialog.getByRole('button', { name: 'Log out', exact: true }).click()
  await page.getByText('Ben Bitdiddle was logged out everywhere.').waitFor()

  assert.deepEqual([asked.status, (await ben.call('GET /users/me')).status], [200, 401])
  await dialog.getByRole('button', { name: 'Log out everywhere…' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an owner resets the second factors of a person who has lost them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const { db, random, secret, transaction } = stage.chat.app.services
  const totp = { secret: newTotpSecret(random), lastStep: 0 }
  await transaction((tx) => saveTotp(tx, { secret, random }, ben.id, totp))
  const page = await stage.openAs(ada, '/organization/people')

  await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Manage…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Manage Ben Bitdiddle' })
  await dialog.getByRole('button', { name: 'Reset two-step login…' }).click()
  await dialog.getByText('Make sure that it is Ben Bitdiddle who asks for it.').waitFor()
  assert.deepEqual(await inspect(page, 'manage-second-factors'), [])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  const kept = await hasSecondFactor(db, ben.id)
  await dialog.getByRole('button', { name: 'Reset two-step login…' }).click()
  await dialog.getByRole('button', { name: 'Reset', exact: true }).click()
  await page.getByText('Ben Bitdiddle can log in with the password alone.').waitFor()

  assert.deepEqual([kept, await hasSecondFactor(db, ben.id)], [true, false])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a person is added to channels and groups, and removed from them, from their profile', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const team = { name: 'sailors', description: '', members: [ada.id] }
  await ada.succeed('POST /user_groups/create', team)
  await stage.chat.channel('harbor', [ada])
  const page = await stage.openAs(ada, `/people/${ben.id}`)

  await page.getByRole('button', { name: 'More actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Manage…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Manage Ben Bitdiddle' })
  await dialog.getByRole('combobox', { name: 'Add to a group' }).fill('sail')
  await page.getByRole('option', { name: 'sailors' }).click()
  await dialog.getByRole('button', { name: 'Remove from sailors' }).waitFor()
  await dialog.getByRole('combobox', { name: 'Add to a channel' }).fill('harb')
  await page.getByRole('option', { name: '#harbor' }).click()
  await dialog.getByRole('button', { name: 'Remove from #harbor' }).waitFor()
  await dialog.getByRole('button', { name: 'Remove from #design' }).click()
  await becomes(() => dialog.getByRole('button', { name: 'Remove from #design' }).count(), 0)

  const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
  const names = subscriptions.map((channel: { name: string }) => channel.name)
  assert.deepEqual([names.includes('harbor'), names.includes('design')], [true, false])
  const { user_groups } = await ada.succeed('GET /user_groups')
  const group = user_groups.find((one: { name: string }) => one.name === 'sailors')
  assert.deepEqual(group.members, [ada.id, ben.id])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an administrator who is not an owner cannot change the address of others', async () => {
  const stage = await openStage()
  const { cleo } = await fillExample(stage.chat)
  const page = await stage.openAs(cleo, '/organization/people')

  await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
  await page.getByRole('menuitem', { name: 'Manage…' }).click()
  await page.getByText('Only owners can change this.').waitFor()

  assert.equal(await page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }).count(), 0)
  await stage.close()
})
