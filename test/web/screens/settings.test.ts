import { PASSWORD } from '../../browser.ts'
import { button, heading, testScreens } from './test-screens.ts'

testScreens('settings', {
  'settings-profile': { who: ({ ben }) => ben, at: '/settings/profile', shows: heading('Profile') },
  'settings-availability': {
    who: ({ ben }) => ben,
    at: '/settings/availability',
    shows: (page) => page.locator('.seen-person', { hasText: 'Active' }),
  },
  'settings-preferences': {
    who: ({ ben }) => ben,
    at: '/settings/preferences',
    shows: heading('Appearance'),
  },
  'settings-notifications': {
    who: ({ ben }) => ben,
    at: '/settings/notifications',
    shows: heading('Notify me about'),
  },
  'settings-bots': {
    who: ({ ada }) => ada,
    at: '/settings/bots',
    async steps(page) {
      await page.getByRole('button', { name: 'New bot' }).click()
      await page.getByText('Outgoing webhook', { exact: true }).click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Echo')
      await page.getByLabel('Endpoint URL').fill('https://example.com/hook')
      await page.getByRole('button', { name: 'Create bot' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
    },
    shows: (page) => page.getByText('Calls https://example.com/hook').first(),
  },
  'settings-new-bot': {
    who: ({ ben }) => ben,
    at: '/settings/bots',
    steps: (page) => page.getByRole('button', { name: 'New bot' }).click(),
    shows: heading('New bot'),
  },
  'settings-no-bots': { who: ({ ben }) => ben, at: '/settings/bots', shows: heading('No bots') },
  'settings-api-keys': { who: ({ ben }) => ben, at: '/settings/api-keys', shows: button('Revoke test') },
  'settings-revoke-key': {
    who: ({ ben }) => ben,
    at: '/settings/api-keys',
    steps: (page) => page.getByRole('button', { name: 'Revoke test' }).click(),
    shows: heading('Revoke key for test?'),
  },
  'settings-new-key': {
    who: ({ cleo }) => cleo,
    at: '/settings/api-keys',
    async steps(page) {
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('Name').fill('My terminal')
      await page.getByLabel('Your password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Create key' }).click()
    },
    shows: heading('Your new API key'),
  },
  'settings-new-key-wrong-password': {
    who: ({ cleo }) => cleo,
    at: '/settings/api-keys',
    async steps(page) {
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('Name').fill('My terminal')
      await page.getByLabel('Your password').fill('wrong')
      await page.getByRole('button', { name: 'Create key' }).click()
    },
    shows: (page) => page.getByText('Wrong password!'),
  },
  'settings-password': {
    who: ({ ben }) => ben,
    at: '/settings/password',
    steps: (page) => page.getByRole('button', { name: 'Change password' }).click(),
    shows: (page) => page.getByText('Enter your current password.').first(),
  },
})
