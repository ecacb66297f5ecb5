import { button, heading, testScreens } from './test-screens.ts'

testScreens('the chat, and the pages around it', {
  'inbox-empty': { who: ({ gus }) => gus, at: '/', shows: heading('No channels yet') },
  'inbox-offline': {
    who: ({ ben }) => ben,
    at: '/inbox',
    async steps(page) {
      await page.getByText('warmer grey').first().waitFor()
      await page.route('**/json/**', (route) => route.abort())
      await page.getByRole('link', { name: 'Recent' }).first().click()
    },
    shows: (page) => page.getByText('Reconnecting…'),
  },
  'organization-menu': {
    who: ({ ada }) => ada,
    at: '/inbox',
    steps: (page) => page.getByRole('button', { name: /organization menu$/ }).click(),
    shows: (page) => page.getByRole('menuitem', { name: 'Keyboard shortcuts' }),
  },
  'account-menu': {
    who: ({ ada }) => ada,
    at: '/settings/profile',
    steps: (page) => page.getByRole('button', { name: /account menu/ }).click(),
    shows: (page) => page.getByRole('menuitem', { name: 'Log out' }),
  },
  channel: { who: ({ ada }) => ada, at: '/channels/1', shows: (page) => page.getByText('warmer grey') },
  'channel-code': { who: ({ ada }) => ada, at: '/channels/2', shows: (page) => page.getByText('It is the cache') },
  'channel-empty': { who: ({ ada }) => ada, at: '/channels/3', shows: heading('No messages yet') },
  'channel-denied': { who: ({ ben }) => ben, at: '/channels/3', shows: heading('Channel unavailable') },
  'composer-errors': {
    who: ({ ada }) => ada,
    at: '/dm',
    async steps(page) {
      await page.getByLabel(/^Message/).fill('Who comes?')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
    },
    shows: (page) => page.getByText('Add a recipient.').first(),
  },
  combined: { who: ({ ada }) => ada, at: '/combined', shows: (page) => page.getByText('warmer grey') },
  mentions: { who: ({ ada }) => ada, at: '/mentions', shows: (page) => page.getByText('warmer grey') },
  'mentions-empty': { who: ({ gus }) => gus, at: '/mentions', shows: heading('No mentions yet') },
  'starred-empty': { who: ({ ada }) => ada, at: '/starred', shows: heading('No starred messages') },
  'search-start': {
    who: ({ ada }) => ada,
    at: '/search',
    shows: (page) => page.getByRole('combobox', { name: /Search/ }),
  },
  'direct-unknown': { who: ({ ada }) => ada, at: '/dm/4711', shows: heading('Conversation unavailable') },
  'channel-unknown': { who: ({ ada }) => ada, at: '/channels/4711', shows: heading('Channel unavailable') },
  'topics-unknown': { who: ({ ada }) => ada, at: '/channels/4711/topics', shows: heading('Channel unavailable') },
  'not-found': { who: ({ ben }) => ben, at: '/nowhere', shows: heading('Page not found') },
  'log-in': { at: '/login/', shows: button('Sign in') },
  'log-in-refused': {
    at: '/login/',
    async steps(page) {
      await page.getByLabel('Email').fill('nobody@example.com')
      await page.getByLabel('Password', { exact: true }).fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
    },
    shows: (page) => page.locator('.field-error, [role=alert]:visible, .notice').first(),
  },
  'forgotten-password-sent': {
    at: '/accounts/password/reset/',
    async steps(page) {
      await page.getByLabel('Email').fill('nobody@example.com')
      await page.getByRole('button').last().click()
    },
    shows: heading('This server cannot send email'),
  },
  'reset-link-invalid': { at: '/accounts/password/reset/abcdefabcdef/', shows: heading(/./) },
  'invitation-link-invalid': { at: '/join/abcdefabcdef/', shows: heading(/./) },
  'join-without-invitation': { at: '/register/', shows: heading(/need an invitation/) },
  'find-organizations': { at: '/accounts/find/', shows: heading('Find your organizations') },
  'find-organizations-wrong': {
    at: '/accounts/find/',
    async steps(page) {
      await page.getByLabel('Your email addresses').fill('nonsense')
      await page.getByRole('button', { name: 'Send links' }).click()
    },
    shows: (page) => page.getByText('“nonsense” is not an email address.').first(),
  },
  'find-organizations-sent': {
    at: '/accounts/find/',
    async steps(page) {
      await page.getByLabel('Your email addresses').fill('ada@example.com')
      await page.getByRole('button', { name: 'Send links' }).click()
    },
    shows: heading('This server cannot send email'),
  },
  'email-link-invalid': { at: '/accounts/confirm_new_email/abcdefabcdef', shows: heading(/./) },
  'unsubscribe-link-invalid': { at: '/accounts/unsubscribe/abcdefabcdef', shows: heading(/./) },
  'forgotten-password': { at: '/accounts/password/reset/', shows: heading(/password/i) },
})
