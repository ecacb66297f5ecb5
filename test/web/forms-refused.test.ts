import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { submitPassword } from '../browser.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** A form that is submitted with a text that it cannot accept, and then with another one. */
type Refusal = {
  at: string
  /** Opens the form, fills in its other fields, and returns the field with the error. */
  open: (page: Page) => Promise<Locator>
  wrong: string
  says: RegExp
  right: string
  submit: (page: Page, field: Locator) => Promise<void>
  done: (page: Page) => Locator
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).last().click()
const byEnter = (_: Page, field: Locator) => field.press('Enter')
const long = 'long '.repeat(400).trim()

const inDialog = (opener: string, field: string) => async (page: Page) => {
  await page.getByRole('button', { name: opener }).click()
  return page.getByRole('dialog').getByLabel(field, { exact: true })
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'the name of a channel that exists': {
    at: '/channels/new',
    open: async (page) => page.getByLabel('Name', { exact: true }),
    wrong: 'Design',
    says: /already/,
    right: 'plans',
    submit: (page) => press(page, 'Create channel'),
    done: (page) => page.getByText('#plans created'),
  },
  'a channel name that is too long': {
    at: '/channels/new',
    open: async (page) => page.getByLabel('Name', { exact: true }),
    wrong: long,
    says: /long|at most/,
    right: 'plans',
    submit: (page) => press(page, 'Create channel'),
    done: (page) => page.getByText('#plans created'),
  },
  'the name of a group that exists': {
    at: '/organization/groups',
    open: inDialog('Create group', 'Name'),
    wrong: 'Printers',
    says: /already/,
    right: 'Painters',
    submit: (page) => press(page, 'Create group'),
    done: (page) => page.getByRole('link', { name: 'Painters' }),
  },
  'a group name that is too long': {
    at: '/organization/groups',
    open: inDialog('Create group', 'Name'),
    wrong: long,
    says: /long|at most/,
    right: 'Painters',
    submit: (page) => press(page, 'Create group'),
    done: (page) => page.getByRole('link', { name: 'Painters' }),
  },
  'a bot name that is too long': {
    at: '/settings/bots',
    open: inDialog('New bot', 'Name'),
    wrong: long,
    says: /at most 100 characters/,
    right: 'Echo',
    submit: (page) => press(page, 'Create bot'),
    done: (page) => page.getByRole('button', { name: 'Done' }),
  },
  'a name of an API key that is too long': {
    at: '/settings/api-keys',
    open: inDialog('New key', 'Name'),
    wrong: long,
    says: /at most 30 characters/,
    right: 'Terminal',
    submit: (page) => press(page, 'Create key'),
    done: (page) => page.getByRole('heading', { name: 'Your new API key' }),
  },
  'a name of a profile field that is too long': {
    at: '/organization/profile-fields',
    open: inDialog('Add field', 'Name'),
    wrong: long,
    says: /at most 40 characters/,
    right: 'Pronouns',
    submit: (page) => press(page, 'Add field'),
    done: (page) => page.getByText('Field added'),
  },
  'a name that is too long': {
    at: '/settings/profile',
    open: async (page) => page.getByRole('textbox', { name: 'Name', exact: true }),
    wrong: long,
    says: /long|at most/,
    right: 'Ada King',
    submit: byEnter,
    done: (page) => page.getByText('Saved', { exact: true }),
  },
  'a name of the organization that is too long': {
    at: '/organization/profile',
    open: async (page) => page.getByRole('textbox', { name: 'Name', exact: true }),
    wrong: long,
    says: /long|at most/,
    right: 'Analytical Engines',
    submit: byEnter,
    done: (page) => page.getByText('Saved', { exact: true }),
  },
}

for (const [title, { at, open, wrong, says, right, submit, done }] of Object.entries(REFUSALS))
  test(`${title} is refused at its field, stays there, and can be changed`, async () => {
    const stage = await openStage()
    const { ada } = await fillExample(stage.chat)
    await ada.succeed('POST /user_groups/create', { name: 'Printers', description: '', members: [] })
    await submitPassword(stage.chat, ada)
    const page = await stage.openAs(ada, at)
    const field = await open(page)
    await field.fill(wrong)

    await submit(page, field)

    await page.locator('.field-error').getByText(says).first().waitFor()
    await becomes(() => field.getAttribute('aria-invalid'), 'true')
    await becomes(() => field.inputValue(), wrong)
    await field.fill(right)
    await submit(page, field)
    await done(page).first().waitFor()
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  })
