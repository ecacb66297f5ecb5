import type { Page } from 'playwright-core'
import { heading, testScreens } from './test-screens.ts'

testScreens('the organization', {
  'organization-people': {
    who: ({ ada }) => ada,
    at: '/organization/people',
    steps: (page) => page.getByRole('row', { name: /Ben/ }).locator('.checkbox').click(),
    shows: (page) => page.getByText('1 selected'),
  },
  'organization-nobody': {
    who: ({ ada }) => ada,
    at: '/organization/people',
    steps: (page) => page.getByLabel('Search', { exact: true }).fill('zebra'),
    shows: heading('No matching accounts'),
  },
  'organization-role': {
    who: ({ ada }) => ada,
    at: '/organization/people',
    async steps(page) {
      await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
      await page.getByRole('menuitem', { name: 'Change role…' }).click()
    },
    shows: heading('Change role of Ben Bitdiddle'),
  },
  'organization-end': {
    who: ({ ada }) => ada,
    at: '/organization/people',
    async steps(page) {
      await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
      await page.getByRole('menuitem', { name: 'Deactivate…' }).click()
    },
    shows: heading('Deactivate Ben Bitdiddle?'),
  },
  'organization-bots-none': {
    who: ({ ada }) => ada,
    at: '/organization/bots',
    shows: heading('No bots'),
  },
  'organization-bots': {
    who: ({ ada }) => ada,
    at: '/settings/bots',
    async steps(page) {
      await makeBot(page, 'Robot')
      await page.goto('/organization/bots')
    },
    shows: (page) => page.getByRole('row', { name: /Robot/ }).getByText('Generic'),
  },
  'organization-bots-nobody': {
    who: ({ ada }) => ada,
    at: '/organization/bots',
    steps: (page) => page.getByLabel('Search', { exact: true }).fill('zebra'),
    shows: heading('No matching bots'),
  },
  'organization-bot-change': {
    who: ({ ada }) => ada,
    at: '/organization/bots',
    steps: (page) => chooseForBot(page, 'Change name or owner…'),
    shows: (page) => page.getByRole('combobox', { name: 'Owner' }),
  },
  'organization-bot-failed': {
    who: ({ ada }) => ada,
    at: '/organization/bots',
    async steps(page) {
      const json = { result: 'error', code: 'BAD_REQUEST', msg: 'Not on a Sunday' }
      await page.route('**/json/bots/*', (route) => route.fulfill({ status: 400, json }))
      await chooseForBot(page, 'Change name or owner…')
      await page.getByRole('button', { name: 'Save' }).click()
    },
    shows: (page) => page.getByText('Couldn’t save the changes'),
  },
  'organization-bots-denied': {
    who: ({ ben }) => ben,
    at: '/organization/bots',
    shows: heading('Administrators only'),
  },
  'organization-group': {
    who: ({ ada }) => ada,
    at: '/organization/groups',
    async steps(page) {
      await page.getByRole('button', { name: 'Create group' }).click()
      await page.getByLabel('Name', { exact: true }).fill('Printers')
      await page.getByRole('dialog').getByRole('button', { name: 'Create group' }).click()
      await page.getByRole('link', { name: 'Printers' }).click()
    },
    shows: heading('Deactivate group'),
  },
  'organization-profile': {
    who: ({ ada }) => ada,
    at: '/organization/profile',
    shows: (page) => page.getByLabel('Description'),
  },
  'organization-permissions': {
    who: ({ ada }) => ada,
    at: '/organization/permissions',
    shows: (page) => page.getByText('Who can create any bot?'),
  },
  'organization-messages': {
    who: ({ ada }) => ada,
    at: '/organization/messages',
    shows: (page) => page.getByText('Message retention'),
  },
  'organization-joining': {
    who: ({ ada }) => ada,
    at: '/organization/joining',
    shows: (page) => page.getByText('No domains yet'),
  },
  'organization-presence': {
    who: ({ ada }) => ada,
    at: '/organization/presence',
    shows: heading('Availability'),
  },
  'organization-announcements': {
    who: ({ ada }) => ada,
    at: '/organization/announcements',
    shows: heading('Announcement channels'),
  },
  'organization-new-users': {
    who: ({ ada }) => ada,
    at: '/organization/new-users',
    shows: heading('Reading and writing'),
  },
  'organization-usage': {
    who: ({ ada }) => ada,
    at: '/organization/usage',
    shows: heading('Storage'),
  },
  'organization-deactivate': {
    who: ({ ada }) => ada,
    at: '/organization/profile',
    steps: (page) => page.getByRole('button', { name: 'Deactivate organization…' }).click(),
    shows: (page) => page.getByRole('textbox', { name: 'Name of the organization' }),
  },
  'organization-denied': {
    who: ({ ben }) => ben,
    at: '/organization/people',
    shows: heading('Administrators only'),
  },
})

async function makeBot(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New bot' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('button', { name: 'Create bot' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
}

async function chooseForBot(page: Page, what: string): Promise<void> {
  await page.getByRole('button', { name: 'Actions for Robot' }).click()
  await page.getByRole('menuitem', { name: what }).click()
}
