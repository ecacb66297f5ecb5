import type { Page } from 'playwright-core'
import { START } from '../../harness.ts'
import { button, heading, testScreens } from './test-screens.ts'

/** Searches settings; on phones, the search is on the page with the list of sections. */
async function searchFor(page: Page, text: string): Promise<void> {
  const back = page.getByRole('main').getByRole('link', { name: 'Back to Settings' })
  if (await back.isVisible()) await back.click()
  await page.getByRole('searchbox', { name: 'Search settings' }).fill(text)
}

async function openBotAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Actions for Echo' }).first().click()
  await page.getByRole('menuitem', { name }).click()
}

/** Creates a key, which the server refuses for lack of a proof. */
async function refuseKeys(page: Page, refusal: { code: string; msg: string }): Promise<void> {
  const headers = { 'Refused-Field': 'password' }
  await page.route('**/json/users/me/api_keys', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 400, json: { result: 'error', ...refusal }, headers })
      : route.continue(),
  )
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('My terminal')
  await page.getByRole('button', { name: 'Create key' }).click()
}

const delivery = { message_id: 1, trigger: 'mention', time: START - 300, status: 200, attempts: 1 }
const ended = { next_attempt_at: null, text: '', can_send_again: true }
const unreachable = { status: null, text: "The bot's server could not be reached (ECONNREFUSED)." }
const waiting = { ...unreachable, outcome: 'waiting', attempts: 3, next_attempt_at: START + 20, can_send_again: false }

/** A delivery of each outcome. */
const DELIVERIES = {
  result: 'success',
  msg: '',
  has_more: true,
  deliveries: [
    { id: 5, ...delivery, ...waiting },
    { id: 4, ...delivery, ...ended, trigger: 'command', outcome: 'answered' },
    { id: 3, ...delivery, ...ended, trigger: 'direct_message', outcome: 'accepted' },
    { id: 2, ...delivery, ...ended, ...unreachable, outcome: 'failed', attempts: 4, message_id: null },
    {
      id: 1,
      ...delivery,
      ...ended,
      outcome: 'left_out',
      status: null,
      text: 'The bot may no longer read the message.',
    },
  ],
}

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
  'settings-bot-commands': {
    who: ({ ada }) => ada,
    at: '/settings/bots',
    async steps(page) {
      await openBotAction(page, 'Commands…')
      await page.getByLabel('Command', { exact: true }).fill('/poll')
      await page.getByRole('button', { name: 'Add command' }).click()
      await page.getByRole('button', { name: 'Save' }).click()
    },
    shows: (page) => page.getByText('This is a built-in command.'),
  },
  'settings-deliveries': {
    who: ({ ada }) => ada,
    at: '/settings/bots',
    async steps(page) {
      await page.route('**/json/bots/*/outgoing_deliveries*', (route) => route.fulfill({ json: DELIVERIES }))
      await openBotAction(page, 'Deliveries…')
    },
    shows: button('Send again'),
  },
  'settings-no-deliveries': {
    who: ({ ada }) => ada,
    at: '/settings/bots',
    steps: (page) => openBotAction(page, 'Deliveries…'),
    shows: heading('No deliveries'),
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
      await page.getByRole('button', { name: 'Create key' }).click()
    },
    shows: heading('Your new API key'),
  },
  'settings-new-key-wrong-password': {
    who: ({ cleo }) => cleo,
    at: '/settings/api-keys',
    async steps(page) {
      await refuseKeys(page, { code: 'BAD_REQUEST', msg: 'Wrong password!' })
      await page.getByLabel('Current password').fill('wrong')
      await page.getByRole('button', { name: 'Create key' }).click()
    },
    shows: (page) => page.getByText('Wrong password!'),
  },
  'settings-new-key-sign-in-again': {
    who: ({ cleo }) => cleo,
    at: '/settings/api-keys',
    steps: (page) => refuseKeys(page, { code: 'REAUTHENTICATION_REQUIRED', msg: 'Log in again.' }),
    shows: (page) => page.getByRole('link', { name: 'Sign in again' }),
  },
  'settings-list': { who: ({ ben }) => ben, at: '/settings', shows: heading(/Settings|Profile/) },
  'settings-search': {
    who: ({ ada }) => ada,
    at: '/settings/preferences',
    steps: (page) => searchFor(page, 'time'),
    shows: (page) => page.getByRole('link', { name: /Time format/ }),
  },
  'settings-search-nothing': {
    who: ({ ada }) => ada,
    at: '/settings/preferences',
    steps: (page) => searchFor(page, 'zebra'),
    shows: (page) => page.getByText('No settings match “zebra”.').last(),
  },
  'settings-linked': {
    who: ({ ben }) => ben,
    at: '/settings/preferences?setting=web_home_view',
    shows: (page) => page.locator('[data-linked]', { hasText: 'Home view' }),
  },
  'settings-saved': {
    who: ({ ben }) => ben,
    at: '/settings/preferences',
    steps: (page) => page.getByText('Show who reacted', { exact: true }).click(),
    shows: button('Undo: Show who reacted'),
  },
  'settings-account': {
    who: ({ ben }) => ben,
    at: '/settings/account',
    shows: (page) => page.getByText('This browser'),
  },
  'settings-security': {
    who: ({ ben }) => ben,
    at: '/settings/security',
    shows: heading('Passkeys'),
  },
  'settings-security-app': {
    who: ({ ben }) => ben,
    at: '/settings/security',
    async steps(page) {
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click()
      await page.getByText('Scan the QR code').waitFor()
      await page.getByRole('button', { name: 'Add app' }).click()
    },
    shows: (page) => page.getByText('This code is wrong').first(),
  },
  'settings-deactivate': {
    who: ({ ben }) => ben,
    at: '/settings/account',
    steps: (page) => page.getByRole('button', { name: 'Deactivate account' }).click(),
    shows: heading('Deactivate your account?'),
  },
  'settings-topics': { who: ({ ben }) => ben, at: '/settings/topics', shows: heading('Your topics') },
  'settings-muted-people': { who: ({ ben }) => ben, at: '/settings/muted-people', shows: heading('No muted users') },
  'settings-files': { who: ({ ben }) => ben, at: '/settings/files', shows: heading('No uploaded files') },
  'settings-about': { who: ({ ben }) => ben, at: '/settings/about', shows: (page) => page.getByText('feature level') },
  'settings-new-bot-empty': {
    who: ({ ben }) => ben,
    at: '/settings/bots',
    async steps(page) {
      await page.getByRole('button', { name: 'New bot' }).click()
      await page.getByRole('button', { name: 'Create bot' }).click()
    },
    shows: (page) => page.getByText('Enter a name.').first(),
  },
  'settings-new-bot-password': {
    who: ({ ben }) => ben,
    at: '/settings/bots',
    async steps(page) {
      const refusal = { result: 'error', code: 'BAD_REQUEST', msg: 'Wrong password!' }
      const headers = { 'Refused-Field': 'password' }
      await page.route('**/json/bots', (route) => route.fulfill({ status: 400, json: refusal, headers }))
      await page.getByRole('button', { name: 'New bot' }).click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Build Bot')
      await page.getByRole('button', { name: 'Create bot' }).click()
      await page.getByLabel('Current password').fill('wrong horse')
      await page.getByRole('button', { name: 'Create bot' }).click()
    },
    shows: (page) => page.getByText('Wrong password!').first(),
  },
  'help-nothing': {
    who: ({ ben }) => ben,
    at: '/help',
    steps: (page) => page.getByLabel('Search help').fill('zebra'),
    shows: heading('No help page contains all of these words'),
  },
  'help-unknown': {
    who: ({ ben }) => ben,
    at: '/help/zebra',
    shows: heading('There is no help page at this address'),
  },
  'help-whats-new': { who: ({ ben }) => ben, at: '/help/whats-new', shows: heading(/What’s new/) },
  'settings-password': {
    who: ({ cleo }) => cleo,
    at: '/settings/account',
    steps: (page) => page.getByRole('button', { name: 'Change password' }).click(),
    shows: (page) => page.getByText('Enter your current password.').first(),
  },
})
