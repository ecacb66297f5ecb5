import { testScreens } from './test-screens.ts'

testScreens('people', {
  people: { who: ({ ada }) => ada, at: '/people', shows: (page) => page.getByRole('option', { name: /you.*active/ }) },
  'people-nobody': {
    who: ({ ada }) => ada,
    at: '/people',
    steps: (page) => page.getByLabel('Filter people').fill('zebra'),
    shows: (page) => page.getByText('No matching people'),
  },
  'person-card': {
    who: ({ ada }) => ada,
    at: '/people',
    steps: (page) => page.getByRole('option', { name: /^Ben/ }).click(),
    shows: (page) => page.getByRole('dialog', { name: 'Ben Bitdiddle' }).getByRole('link', { name: 'Message' }),
  },
  'person-card-own': {
    who: ({ ada }) => ada,
    at: '/people',
    steps: (page) => page.getByRole('option', { name: /^Ada/ }).click(),
    shows: (page) => page.getByRole('button', { name: 'Set status' }),
  },
  'person-status': {
    who: ({ ada }) => ada,
    at: '/people',
    async steps(page) {
      await page.getByRole('option', { name: /^Ada/ }).click()
      await page.getByRole('button', { name: 'Set status' }).click()
    },
    shows: (page) => page.getByLabel('Your status'),
  },
  'person-profile': {
    who: ({ ada }) => ada,
    at: '/people',
    async steps(page) {
      await page.getByRole('option', { name: /^Ben/ }).click()
      await page.getByRole('link', { name: 'View profile' }).click()
    },
    shows: (page) => page.getByRole('region', { name: /Channels/ }).getByRole('link', { name: 'design' }),
  },
  'bot-card': {
    who: ({ ada }) => ada,
    at: '/settings/bots',
    async steps(page) {
      await page.getByRole('button', { name: 'New bot' }).click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Robot')
      await page.getByRole('button', { name: 'Create bot' }).click()
      await page.getByRole('button', { name: 'Done' }).click()
      await page.goto('/people')
      await page.getByRole('button', { name: /Show$/ }).click()
      await page.getByRole('option', { name: 'Bots' }).click()
      await page.getByRole('option', { name: /^Robot/ }).click()
    },
    shows: (page) => page.getByRole('dialog').getByRole('link', { name: 'View profile' }),
  },
  'person-unknown': {
    who: ({ ada }) => ada,
    at: '/people/4711',
    shows: (page) => page.getByText('User not found'),
  },
  'pause-notifications': {
    who: ({ ada }) => ada,
    at: '/settings/notifications',
    steps: (page) => page.getByRole('button', { name: 'Pause notifications…' }).click(),
    shows: (page) => page.getByRole('button', { name: 'How long' }),
  },
})
