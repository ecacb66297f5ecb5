import type { Page } from 'playwright-core'
import { button, heading, testScreens } from './test-screens.ts'

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
  'organization-health': {
    who: ({ ada }) => ada,
    at: '/organization/health',
    shows: heading('Server'),
  },
  'organization-health-replicas': {
    who: ({ ada }) => ada,
    at: '/inbox',
    async steps(page) {
      await page.route('**/json/server/health*', async (route) => {
        const response = await route.fetch()
        const json = await response.json()
        const problems = [{ host: 'chat1', process_id: 712, reason: 'connect ECONNREFUSED 10.0.0.4:5432' }]
        json.server.replicas = [
          { name: '10.0.0.3:5432', lag_seconds: 0.4, problems: [] },
          { name: '10.0.0.4:5432', lag_seconds: null, problems },
          { name: '10.0.0.5:5432', lag_seconds: 95, problems: [] },
        ]
        json.server.nodes[0].is_connected_to_nats = false
        await route.fulfill({ response, json })
      })
      await page.goto('/organization/health')
    },
    shows: (page) => page.getByText('Replica 10.0.0.3:5432'),
  },
  'organization-exports-none': {
    who: ({ ada }) => ada,
    at: '/organization/exports',
    shows: heading('No data exports'),
  },
  'organization-exports': {
    who: ({ ada }) => ada,
    at: '/organization/exports',
    async steps(page) {
      await page.getByRole('button', { name: 'Start export' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Start export' }).click()
    },
    shows: (page) => page.getByText(/^Complete, /),
  },
  'organization-exports-start': {
    who: ({ ada }) => ada,
    at: '/organization/exports',
    steps: (page) => page.getByRole('button', { name: 'Start export' }).click(),
    shows: (page) => page.getByText(/^No one has allowed/),
  },
  'organization-exports-failed': {
    who: ({ ada }) => ada,
    at: '/inbox',
    async steps(page) {
      const json = { result: 'error', code: 'BAD_REQUEST', msg: 'Not on a Sunday' }
      await page.route('**/json/export/realm*', (route) => route.fulfill({ status: 400, json }))
      await page.goto('/organization/exports')
    },
    shows: (page) => page.getByText('Not on a Sunday', { exact: true }),
  },
  'organization-exports-denied': {
    who: ({ ben }) => ben,
    at: '/organization/exports',
    shows: heading('Administrators only'),
  },
  'organization-ended': {
    who: ({ ada }) => ada,
    at: '/organization/people',
    async steps(page) {
      await page.getByRole('button', { name: /Show$/ }).click()
      await page.getByRole('option', { name: 'Deactivated' }).click()
    },
    shows: heading('No matching accounts'),
  },
  'organization-saved': {
    who: ({ ada }) => ada,
    at: '/organization/messages',
    steps: (page) => page.getByText('Require topics in channel messages').click(),
    shows: button('Undo: Require topics in channel messages'),
  },
  'organization-retention': {
    who: ({ ada }) => ada,
    at: '/organization/messages',
    async steps(page) {
      await page.getByRole('button', { name: /Message retention$/ }).click()
      await page.getByRole('option', { name: '30 days' }).click()
    },
    shows: heading('Delete older messages?'),
  },
  'organization-permission-of-people': {
    who: ({ ada }) => ada,
    at: '/organization/permissions',
    async steps(page) {
      await page.getByRole('button', { name: /Who can create public channels\?$/ }).click()
      await page.getByRole('option', { name: 'Specific people and groups' }).click()
    },
    shows: button('Save'),
  },
  'organization-permissions-of-owners': {
    who: ({ cleo }) => cleo,
    at: '/organization/permissions',
    shows: (page) => page.getByText('Only owners can change this.').first(),
  },
  'organization-name-refused': {
    who: ({ ada }) => ada,
    at: '/organization/profile',
    async steps(page) {
      await page.getByRole('textbox', { name: 'Name' }).fill('')
      await page.getByRole('textbox', { name: 'Name' }).press('Enter')
    },
    shows: (page) => page.getByText('Enter a name.'),
  },
  'organization-groups': { who: ({ ada }) => ada, at: '/organization/groups', shows: heading('Role-based groups') },
  'organization-new-group': {
    who: ({ ada }) => ada,
    at: '/organization/groups',
    async steps(page) {
      await page.getByRole('button', { name: 'Create group' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Create group' }).click()
    },
    shows: (page) => page.getByText('Enter a name.'),
  },
  'organization-no-emoji': { who: ({ ada }) => ada, at: '/organization/emoji', shows: heading('No custom emoji yet') },
  'organization-no-links': { who: ({ ada }) => ada, at: '/organization/links', shows: heading('No linkifiers yet') },
  'organization-link-refused': {
    who: ({ ada }) => ada,
    at: '/organization/links',
    async steps(page) {
      await page.getByRole('button', { name: 'Add linkifier' }).click()
      await page.getByRole('textbox', { name: 'Pattern' }).fill('(')
      await page.getByRole('textbox', { name: 'URL template' }).fill('https://example.com/')
      await page.getByRole('dialog').getByRole('button', { name: 'Add linkifier' }).click()
    },
    shows: (page) => page.locator('.dialog .field-error').first(),
  },
  'organization-no-playgrounds': {
    who: ({ ada }) => ada,
    at: '/organization/playgrounds',
    shows: heading('No playgrounds yet'),
  },
  'organization-playground-empty': {
    who: ({ ada }) => ada,
    at: '/organization/playgrounds',
    async steps(page) {
      await page.getByRole('button', { name: 'Add playground' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Add playground' }).click()
    },
    shows: (page) => page.getByText('Enter a language.'),
  },
  'organization-no-fields': {
    who: ({ ada }) => ada,
    at: '/organization/profile-fields',
    shows: heading('No profile fields yet'),
  },
  'organization-field-empty': {
    who: ({ ada }) => ada,
    at: '/organization/profile-fields',
    async steps(page) {
      await page.getByRole('button', { name: 'Add field' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Add field' }).click()
    },
    shows: (page) => page.getByText('Enter a name.'),
  },
  'organization-list': { who: ({ ben }) => ben, at: '/organization', shows: heading('Groups') },
  'organization-deactivate': {
    who: ({ ada }) => ada,
    at: '/organization/profile',
    steps: (page) => page.getByRole('button', { name: 'Deactivate organization…' }).click(),
    shows: (page) => page.getByRole('textbox', { name: 'Organization name' }),
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
