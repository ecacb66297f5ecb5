import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** A form that the user opens, fills in and submits, and that then shows a confirmation. */
type Form = {
  at: string
  /** Opens the form, and returns its first field. */
  open: (page: Page) => Promise<Locator>
  typed: string
  submit: (page: Page, field: Locator) => Promise<void>
  /** Finds the typed text while the error is shown; if omitted, it is in the first field. */
  kept?: (page: Page) => Locator
  done: (page: Page) => Locator
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).last().click()

const FORMS: Readonly<Record<string, Form>> = {
  invitations: {
    at: '/?invite=email',
    open: async (page) => page.getByLabel('Email addresses'),
    typed: 'dan@example.com',
    submit: (page) => press(page, /^Send/),
    kept: (page) => page.locator('.tag-label', { hasText: 'dan@example.com' }),
    done: (page) => page.getByRole('heading', { name: '1 person invited' }),
  },
  'a new channel': {
    at: '/channels/new',
    open: async (page) => page.getByLabel('Name'),
    typed: 'plans',
    submit: (page) => press(page, 'Create channel'),
    done: (page) => page.getByText('#plans created'),
  },
  'a new group': {
    at: '/organization/groups',
    async open(page) {
      await press(page, 'Create group')
      return page.getByRole('dialog').getByLabel('Name', { exact: true })
    },
    typed: 'Printers',
    submit: (page) => press(page, 'Create group'),
    done: (page) => page.getByRole('link', { name: 'Printers' }),
  },
  'a status': {
    at: '/people',
    async open(page) {
      await page.getByRole('option', { name: /you/ }).click()
      await page.getByRole('button', { name: 'Set status' }).click()
      return page.getByRole('textbox', { name: 'Your status' })
    },
    typed: 'On the train',
    submit: (page) => press(page, 'Save'),
    done: (page) => page.getByText('Status saved'),
  },
  'the own profile': {
    at: '/settings/profile',
    open: async (page) => page.getByRole('textbox', { name: 'Name', exact: true }),
    typed: 'Ada King',
    submit: (_, field) => field.press('Enter'),
    done: (page) => page.getByText('Saved', { exact: true }),
  },
  'the profile of the organization': {
    at: '/organization/profile',
    open: async (page) => page.getByRole('textbox', { name: 'Name', exact: true }),
    typed: 'Analytical Engines',
    submit: (_, field) => field.press('Enter'),
    done: (page) => page.getByText('Saved', { exact: true }),
  },
}

/** Runs the work without a connection. */
async function withoutConnection(page: Page, work: () => Promise<void>): Promise<void> {
  await page.context().setOffline(true)
  await work().finally(() => page.context().setOffline(false))
  await becomes(() => page.getByText('Reconnecting…').count(), 0)
}

for (const [title, { at, open, typed, submit, kept, done }] of Object.entries(FORMS))
  test(`${title}: without a connection, the form says so and keeps what was typed, and works once it is back`, async () => {
    const stage = await openStage()
    const { ada } = await fillExample(stage.chat)
    const page = await stage.openAs(ada, at)
    const field = await open(page)
    await field.fill(typed)

    await withoutConnection(page, async () => {
      await submit(page, field)
      await page.locator('main, [role="dialog"]').getByText('The server can’t be reached.').first().waitFor()
      if (kept === undefined) await becomes(() => field.inputValue(), typed)
      else await kept(page).waitFor()
    })
    await submit(page, field)

    await done(page).first().waitFor()
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  })

test('a setting that is changed without a connection goes back and says why, and can be changed once it is back', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/settings/preferences')
  const row = page.locator('[data-setting="starred_message_counts"]')
  const label = page.getByText('Show the number of starred messages', { exact: true })
  await becomes(() => row.getByRole('checkbox').isChecked(), true)

  await withoutConnection(page, async () => {
    await label.click()
    await row.getByRole('alert').getByText('The server can’t be reached.').waitFor()
    await becomes(() => row.getByRole('checkbox').isChecked(), true)
  })
  await label.click()

  await row.getByText('Saved').waitFor()
  await becomes(() => row.getByRole('checkbox').isChecked(), false)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
