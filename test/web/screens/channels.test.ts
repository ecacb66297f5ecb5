import { button, heading, testScreens } from './test-screens.ts'

testScreens('channels', {
  'channel-not-in': {
    who: ({ ben }) => ben,
    at: '/channels/2',
    async steps(page) {
      await page.goto('/channels')
      await page.getByRole('button', { name: 'Leave engines' }).click()
      await page.getByText('You left #engines').waitFor()
      await page.goto('/channels/2')
    },
    shows: button('Join engines'),
  },
  channels: { who: ({ ada }) => ada, at: '/channels', shows: button('Leave board') },
  'channels-none': { who: ({ gus }) => gus, at: '/channels?show=subscribed', shows: heading('No channels') },
  'channels-nothing-fits': {
    who: ({ ben }) => ben,
    at: '/channels',
    steps: (page) => page.getByLabel('Search', { exact: true }).fill('zebra'),
    shows: heading('No matching channels'),
  },
  'channels-leave': {
    who: ({ cleo }) => cleo,
    at: '/channels',
    steps: (page) => page.getByRole('button', { name: 'Leave board' }).click(),
    shows: heading('Leave #board?'),
  },
  'channel-new': {
    who: ({ ada }) => ada,
    at: '/channels/new',
    async steps(page) {
      await page.getByLabel('Name').fill('Design')
      await page.getByRole('button', { name: 'Create channel' }).scrollIntoViewIfNeeded()
      await page.getByRole('combobox', { name: 'Add people' }).fill('ben')
      await page.getByRole('option', { name: /Ben Bitdiddle/ }).waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Create channel' }).click()
    },
    shows: (page) => page.getByText('A channel with this name already exists.').first(),
  },
  'channel-new-denied': {
    who: ({ gus }) => gus,
    at: '/channels/new',
    shows: heading('You can’t create channels'),
  },
  'channel-settings-general': {
    who: ({ ada }) => ada,
    at: '/channels/3/settings/general',
    shows: heading('Archive channel'),
  },
  'channel-settings-archive': {
    who: ({ ada }) => ada,
    at: '/channels/3/settings/general',
    steps: (page) => page.getByRole('button', { name: /^Archive board/ }).click(),
    shows: heading('Archive #board?'),
  },
  'channel-settings-archived': {
    who: ({ ada }) => ada,
    at: '/channels/2/settings/general',
    async steps(page) {
      await page.getByRole('button', { name: /^Archive engines/ }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Archive channel' }).click()
      await page.getByRole('button', { name: 'Unarchive engines' }).waitFor()
    },
    shows: heading('Unarchive channel'),
  },
  'channel-settings-read-only': {
    who: ({ ben }) => ben,
    at: '/channels/1/settings/general',
    shows: (page) => page.getByText('Sketches, icons').first(),
  },
  'channel-settings-personal': {
    who: ({ ben }) => ben,
    at: '/channels/1/settings/personal',
    shows: (page) => page.getByText('Pin channel to top'),
  },
  'channel-settings-subscribers': {
    who: ({ ada }) => ada,
    at: '/channels/1/settings/subscribers',
    steps: (page) => page.getByRole('row', { name: /Ben/ }).locator('.checkbox').click(),
    shows: (page) => page.getByText('1 selected'),
  },
  'channel-settings-remove': {
    who: ({ ada }) => ada,
    at: '/channels/1/settings/subscribers',
    async steps(page) {
      await page.getByRole('row', { name: /Ben/ }).locator('.checkbox').click()
      await page.getByRole('button', { name: 'Remove 1…' }).click()
    },
    shows: heading('Remove Ben Bitdiddle from #design?'),
  },
  'channel-settings-subscribers-failed': {
    who: ({ ben }) => ben,
    at: '/login/',
    async steps(page) {
      const failure = { status: 500, json: { msg: 'Internal error' } }
      await page.route('**/json/streams/*/members', (route) => route.fulfill(failure))
      await page.goto('/channels/1/settings/subscribers')
    },
    shows: button('Try again'),
  },
  'channel-settings-permissions': {
    who: ({ ada }) => ada,
    at: '/channels/3/settings/permissions',
    async steps(page) {
      await page.getByText('Public', { exact: true }).click()
      await page.getByRole('button', { name: /Who can remove subscribers/ }).click()
      await page.getByRole('option', { name: 'Specific people and groups' }).click()
    },
    shows: (page) => page.getByRole('combobox', { name: 'Who can remove subscribers?' }),
  },
  'channel-settings-permissions-read-only': {
    who: ({ ben }) => ben,
    at: '/channels/1/settings/permissions',
    shows: (page) => page.getByText('Only people who can administer the channel'),
  },
  'channel-settings-denied': {
    who: ({ ben }) => ben,
    at: '/channels/3/settings/general',
    shows: heading('Channel unavailable'),
  },
})
