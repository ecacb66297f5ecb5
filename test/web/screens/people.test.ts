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
    shows: (page) => page.getByRole('link', { name: '#design' }),
  },
  'person-card-own': {
    who: ({ ada }) => ada,
    at: '/people',
    steps: (page) => page.getByRole('option', { name: /^Ada/ }).click(),
    shows: (page) => page.getByLabel('Your status'),
  },
})
