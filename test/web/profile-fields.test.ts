import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { addProfileFields, fillProfile } from './profile-example.ts'
import { openStage } from './stage.ts'

async function act(page: Page, field: string, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${field}` }).click()
  await page.getByRole('menuitem', { name }).click()
}

test('a card shows a summary, the profile all fields, and both follow changes', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  const ids = await addProfileFields(ada)
  await fillProfile(ben, ada, ids)
  const page = await stage.openAs(cleo, '/people')
  await page.getByRole('option', { name: /^Ben/ }).click()
  const card = page.getByRole('dialog', { name: 'Ben Bitdiddle' })
  const facts = async () => (await page.locator('dd:visible').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
  await card.getByText('he/him').waitFor()
  const inShort = ['ben@example.com', 'he/him']
  // The channels in common and the time of joining follow.
  await becomes(async () => (await card.locator('.card-facts li').allInnerTexts()).slice(0, -2), inShort)

  await card.getByRole('link', { name: 'View profile' }).click()

  const about = 'Runs the analytical engine. tea trains See https://example.com/engine'
  await becomes(
    async () => (await facts()).slice(0, -2),
    [
      ...['Member', ...inShort],
      ...['+44 20 7946 0123', about, 'Vim', '10 December 1990', 'https://example.com/ben', 'Ada Lovelace', 'bitdiddle'],
    ],
  )
  const profile = page.getByRole('region', { name: 'About' })
  const link = profile.getByRole('link', { name: 'bitdiddle' })
  await becomes(() => link.getAttribute('href'), 'https://github.com/bitdiddle')
  await becomes(() => link.getAttribute('rel'), 'noopener noreferrer')
  assert.deepEqual(await inspect(page, 'person-profile'), [])
  await ben.succeed('PATCH /users/me/profile_data', { data: [{ id: ids.Editor, value: 'emacs' }] })
  await profile.getByText('Emacs').waitFor()
  await ada.succeed(`DELETE /realm/profile_fields/${ids.Editor}`)
  await becomes(() => profile.getByText('Emacs').count(), 0)
  await ada.succeed(`PATCH /realm/profile_fields/${ids.Phone}`, { name: 'Mobile', display_in_profile_summary: true })
  await profile.getByText('Mobile').waitFor()
  await becomes(async () => (await facts()).slice(1, 3), ['ben@example.com', '+44 20 7946 0123'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a user fills in each type of profile field, and clears it', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const ids = await addProfileFields(ada)
  const page = await stage.openAs(ben, '/settings/profile')
  const own = page.getByRole('region', { name: 'More about you' })
  await own.getByRole('textbox', { name: 'Phone' }).fill('12 34')
  await own.getByLabel('About you').fill('I **drive** trains')
  await own.getByRole('textbox', { name: 'Birthday' }).fill('1990-12-10')
  await own.getByRole('textbox', { name: 'Home page' }).fill('https://example.com/ben')
  await own.getByLabel('GitHub username').fill('bitdiddle')
  await own.getByRole('textbox', { name: 'Pronouns' }).fill('he')
  await own.getByRole('button', { name: 'Editor' }).click()
  await page.getByRole('option', { name: 'Emacs' }).click()
  await own.getByRole('combobox', { name: 'Mentor' }).fill('ada')
  await page.getByRole('option', { name: 'Ada Lovelace' }).click()

  const answers = async () => {
    const { profile_data } = await ben.succeed('GET /users/me')
    const data = profile_data as Record<string, { value: string }>
    return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, data[id]?.value]))
  }
  await becomes(answers, {
    ...{ Phone: '12 34', 'About you': 'I **drive** trains', Editor: 'emacs', Birthday: '1990-12-10' },
    ...{
      'Home page': 'https://example.com/ben',
      Mentor: `[${ada.id}]`,
      'GitHub username': 'bitdiddle',
      Pronouns: 'he',
    },
  })
  await becomes(() => own.getByText('Saved', { exact: true }).count(), 8)
  assert.deepEqual(await inspect(page, 'settings-own-answers'), [])
  await own.getByRole('button', { name: 'Editor' }).click()
  await page.getByRole('option', { name: 'None' }).click()
  await own.getByRole('button', { name: 'Remove Ada Lovelace' }).click()
  await own.getByRole('textbox', { name: 'Birthday' }).fill('')
  await own.getByRole('textbox', { name: 'Home page' }).fill('')
  await own.getByRole('textbox', { name: 'Phone' }).fill(' ')
  await own.getByRole('textbox', { name: 'Pronouns' }).focus()

  await becomes(answers, {
    ...{ Phone: undefined, 'About you': 'I **drive** trains', Editor: undefined, Birthday: undefined },
    ...{ 'Home page': undefined, Mentor: undefined, 'GitHub username': 'bitdiddle', Pronouns: 'he' },
  })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test("errors are shown at their field, and required fields can't be cleared", async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const ids = await addProfileFields(ada)
  for (const name of ['Phone', 'Mentor'] as const)
    await ada.succeed(`PATCH /realm/profile_fields/${ids[name]}`, { required: true })
  const page = await stage.openAs(ben, '/settings/profile')
  const own = page.getByRole('region', { name: 'More about you' })
  await own.getByText('Phone, Mentor').waitFor()

  await own.getByRole('textbox', { name: 'Phone' }).fill('9'.repeat(51))
  await own.getByRole('textbox', { name: 'Home page' }).fill('example')
  await own.getByRole('textbox', { name: 'Birthday' }).press('1')
  await own.getByRole('textbox', { name: 'Pronouns' }).focus()
  await own.getByText('Use at most 50 characters.').waitFor()
  await own.getByText('Home page is not a URL').waitFor()
  await own.getByText('Complete this field.').waitFor()
  await own.getByRole('combobox', { name: 'Mentor' }).fill('ada')
  await page.getByRole('option', { name: 'Ada Lovelace' }).click()
  await own.getByRole('button', { name: 'Remove Ada Lovelace' }).click()
  await own.getByText('This field is required.').waitFor()
  assert.deepEqual(await inspect(page, 'settings-own-answers-wrong'), [])
  await own.getByRole('textbox', { name: 'Phone' }).fill('12')
  await own.getByRole('textbox', { name: 'Phone' }).press('Enter')
  await becomes(() => own.getByText('Fill in the required fields').count(), 0)
  await own.getByRole('textbox', { name: 'Phone' }).fill('')
  await own.getByRole('textbox', { name: 'Phone' }).press('Enter')

  await becomes(() => own.getByText('This field is required.').count(), 2)
  const { profile_data } = await ben.succeed('GET /users/me')
  assert.deepEqual(Object.keys(profile_data as object), [String(ids.Phone), String(ids.Mentor)])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('fields that only administrators can edit are read-only for others', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const ids = await addProfileFields(ada)
  await fillProfile(ben, ada, ids)
  for (const id of Object.values(ids))
    await ada.succeed(`PATCH /realm/profile_fields/${id}`, { editable_by_user: false })
  const [adas, bens] = [await stage.openAs(ada, '/settings/profile'), await stage.openAs(ben, '/settings/profile')]

  const own = bens.getByRole('region', { name: 'More about you' })
  await own.getByText('10 December 1990').waitFor()

  await becomes(() => own.getByText('Only administrators can change this').count(), 8)
  await becomes(() => own.locator('input, textarea, button').count(), 0)
  assert.deepEqual(await inspect(bens, 'settings-fixed-answers'), [])
  await adas.getByLabel('Phone').fill('99')
  await adas.getByLabel('Phone').press('Enter')
  await becomes(async () => (await ada.succeed('GET /users/me')).profile_data[ids.Phone]?.value, '99')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

/** Returns the dialog that adds or edits a field, with functions that choose an option in it and that submit it. */
function fieldDialog(page: Page) {
  const dialog = page.getByRole('dialog')
  return {
    dialog,
    async choose(label: string, option: string) {
      await dialog.getByRole('button', { name: new RegExp(`${label}$`) }).click()
      await page.getByRole('option', { name: option }).click()
    },
    async save(action = 'Add field') {
      await dialog.getByRole('button', { name: action }).click()
      await dialog.waitFor({ state: 'detached' })
    },
  }
}

async function addListOfOptions(page: Page): Promise<void> {
  const { dialog, choose, save } = fieldDialog(page)
  await page.getByRole('button', { name: 'Add field' }).click()
  await choose('Type', 'List of options')
  await dialog.getByLabel('Name').fill('Editor')
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await dialog.getByText('Enter at least one option.').waitFor()
  await dialog.getByLabel('Option 1', { exact: true }).fill('Vim')
  await dialog.getByLabel('Option 2', { exact: true }).fill('Vim')
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await dialog.getByText('Field must not have duplicate choices.').waitFor()
  await dialog.getByLabel('Option 2', { exact: true }).fill('Ed')
  await dialog.getByRole('button', { name: 'Add option' }).click()
  await page.keyboard.type('Emacs')
  await dialog.getByRole('button', { name: 'Actions for option 3' }).click()
  await page.getByRole('menuitem', { name: 'Move up' }).click()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Actions for option 2')
  assert.deepEqual(await inspect(page, 'organization-new-profile-field'), [])
  await save()
  await page.getByText('List of options: Vim, Emacs, Ed').waitFor()
}

test('administrators add fields of all types, edit, reorder and remove them', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/organization/profile-fields')
  await page.getByText('No profile fields yet').waitFor()
  const { dialog, choose, save } = fieldDialog(page)
  const names = () => page.getByRole('list', { name: 'Fields' }).locator('.link-rule > :first-child').allTextContents()

  await addListOfOptions(page)

  await page.getByRole('button', { name: 'Add field' }).click()
  await choose('Type', 'External account')
  await dialog.getByLabel('Name').fill('Forge')
  await dialog.getByLabel('URL pattern').fill('https://forge.example/')
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await dialog.getByText("URL pattern must contain '%(username)s'.").waitFor()
  await choose('Account type', 'GitHub')
  await becomes(() => dialog.getByLabel('Name').count(), 0)
  await dialog.getByText('Show in the profile summary').click()
  await save()
  await page.getByRole('button', { name: 'Add field' }).click()
  await dialog.getByLabel('Name').fill('Editor')
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await dialog.getByText('A field with that label already exists.').waitFor()
  await choose('Type', 'Text (long)')
  await dialog.getByText('Not available for this type of field.').waitFor()
  await dialog.getByLabel('Name').fill('About you')
  await dialog.getByText('Required field').click()
  await dialog.getByText('People can edit this field').click()
  await save()
  await becomes(names, ['Editor', 'GitHub username', 'About you'])
  assert.deepEqual(await inspect(page, 'organization-profile-fields'), [])

  const bens = await stage.openAs(ben, '/settings/profile')
  await bens.getByRole('button', { name: 'Editor' }).click()
  await bens.getByRole('option', { name: 'Emacs' }).click()
  await bens.getByText('Saved', { exact: true }).waitFor()
  await act(page, 'About you', 'Move up')
  await becomes(names, ['Editor', 'About you', 'GitHub username'])
  await act(page, 'Editor', 'Edit')
  await dialog.getByLabel('Name').fill('Tool')
  await dialog.getByLabel('Hint').fill('Of your trade')
  await dialog.getByLabel('Option 2', { exact: true }).fill('GNU Emacs')
  await dialog.getByRole('button', { name: 'Actions for option 1' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await dialog.getByText('Removing an option clears it from profiles').waitFor()
  await page.waitForFunction(() => document.activeElement?.tagName === 'FIELDSET')
  await save('Save')
  await bens.getByRole('button', { name: 'Tool' }).getByText('GNU Emacs').waitFor()
  await act(page, 'GitHub username', 'Edit')
  await dialog.getByText('Required field').click()
  await save('Save')
  await becomes(() => page.getByText('Required').count(), 2)
  await act(page, 'Tool', 'Remove')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await becomes(names, ['About you', 'GitHub username'])
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Profile fields')
  await becomes(() => bens.getByText('GNU Emacs').count(), 0)

  await bens.goto('/organization/profile-fields')
  await bens.getByText('Administrators only').waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
