import { button, heading, testScreens } from './test-screens.ts'

testScreens('invitations and the outbox', {
  'invitations-empty': { who: ({ ben }) => ben, at: '/invitations', shows: heading('No invitations') },
  'invitations-denied': { who: ({ gus }) => gus, at: '/invitations', shows: heading('Guests can’t send invitations') },
  'invite-email': {
    who: ({ ada }) => ada,
    at: '/?invite=email',
    async steps(page) {
      await page.getByLabel('Email addresses').fill('fred@example.com, ben@example.com, nonsense')
      await page.getByLabel('Email addresses').press('Enter')
      await page.getByRole('button', { name: 'Send invitation' }).click()
    },
    shows: (page) => page.getByText('Fix or remove: nonsense').first(),
  },
  'invite-preview': {
    who: ({ ada }) => ada,
    at: '/?invite=email',
    steps: (page) => page.getByText('Preview email').click(),
    shows: (page) => page.getByText('Ada Lovelace has invited you to join Example'),
  },
  'invite-results': {
    who: ({ ada }) => ada,
    at: '/?invite=email',
    async steps(page) {
      await page.getByLabel('Email addresses').fill('gina@example.com, ben@example.com')
      await page.getByLabel('Email addresses').press('Enter')
      await page.getByRole('button', { name: 'Send invitation' }).click()
    },
    shows: heading('1 of 2 invited'),
  },
  'invite-link': { who: ({ ada }) => ada, at: '/?invite=link', shows: button('Create link') },
  'invite-link-made': {
    who: ({ ada }) => ada,
    at: '/?invite=link',
    steps: (page) => page.getByRole('button', { name: 'Create link' }).click(),
    shows: (page) => page.getByRole('img', { name: 'QR code for the link' }),
  },
  invitations: {
    who: ({ ada }) => ada,
    at: '/invitations',
    steps: (page) =>
      page
        .getByRole('row', { name: /dan@example\.com/ })
        .locator('.checkbox')
        .click(),
    shows: (page) => page.getByText('1 selected'),
  },
  'invitations-nothing-fits': {
    who: ({ ada }) => ada,
    at: '/invitations',
    steps: (page) => page.getByLabel('Search', { exact: true }).fill('zebra'),
    shows: heading('No matching invitations'),
  },
  'invitation-extend': {
    who: ({ ada }) => ada,
    at: '/invitations',
    async steps(page) {
      await page.getByRole('button', { name: 'Actions for dan@example.com' }).click()
      await page.getByRole('menuitem', { name: 'Extend' }).click()
    },
    shows: heading('Extend invitation'),
  },
  'invitation-delivery': {
    who: ({ ada }) => ada,
    at: '/invitations',
    steps: (page) => page.getByRole('button', { name: /email status for dan@example\.com/ }).click(),
    shows: (page) => page.getByRole('list', { name: 'Attempts' }),
  },
  outbox: { who: ({ ada }) => ada, at: '/outbox', shows: (page) => page.getByText('dan@example.com').first() },
  'outbox-mail': {
    who: ({ ada }) => ada,
    at: '/outbox',
    steps: (page) => page.getByRole('button', { name: /^dan@example\.com Invitation (?!reminder)/ }).click(),
    shows: (page) => page.frameLocator('iframe').getByText('You will join as').first(),
  },
  'outbox-denied': { who: ({ ben }) => ben, at: '/outbox', shows: heading('Administrators only') },
})
