import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { Role } from '../../server/users/role.ts'
import { givePassword, PASSWORD } from '../browser.ts'
import type { Person } from '../harness.ts'
import { type Cast, fillExample } from './example.ts'
import { testInChromium } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage, type Stage } from './stage.ts'

type Screen = {
  /** Who sees it; nobody is signed in when omitted. */
  who?: (cast: Cast & { gus: Person }) => Person
  at: string
  /** What is done there to see it. */
  steps?: (page: Page) => Promise<void>
  /** What must be there before it is looked at. */
  shows: (page: Page) => ReturnType<Page['getByText']>
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first()
const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first()

/** Every page and every dialog, in each of the states that people meet. */
const screens: Readonly<Record<string, Screen>> = {
  home: { who: ({ ada }) => ada, at: '/', shows: (page) => page.getByText('warmer grey').first() },
  'home-empty': { who: ({ gus }) => gus, at: '/', shows: heading('You are in no channel yet') },
  'home-failed': {
    who: ({ ben }) => ben,
    at: '/login/',
    async steps(page) {
      await page.route('**/json/messages?*', (route) => route.fulfill({ status: 500, json: { msg: 'Internal error' } }))
      await page.goto('/')
    },
    shows: button('Try again'),
  },
  'home-offline': {
    who: ({ ben }) => ben,
    at: '/',
    async steps(page) {
      await page.getByText('warmer grey').first().waitFor()
      await page.route('**/json/events?*', (route) => route.abort())
      await page.getByLabel('Topic', { exact: true }).fill('x')
      await page.getByLabel(/^Message to/).fill('y')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
    },
    shows: (page) => page.getByText('The server cannot be reached'),
  },
  'account-menu': {
    who: ({ ada }) => ada,
    at: '/settings/profile',
    steps: (page) => page.getByRole('button', { name: /your account/ }).click(),
    shows: (page) => page.getByRole('menuitem', { name: 'Log out' }),
  },
  channel: { who: ({ ada }) => ada, at: '/channels/1', shows: (page) => page.getByText('warmer grey') },
  'channel-code': { who: ({ ada }) => ada, at: '/channels/2', shows: (page) => page.getByText('It is the cache') },
  'channel-empty': { who: ({ ada }) => ada, at: '/channels/3', shows: heading('Nothing was said here yet') },
  'channel-not-in': {
    who: ({ ben }) => ben,
    at: '/channels/2',
    async steps(page) {
      await page.goto('/channels')
      await page.getByRole('button', { name: 'Leave engines' }).click()
      await page.getByText('You left engines').waitFor()
      await page.goto('/channels/2')
    },
    shows: button('Join engines'),
  },
  'channel-denied': { who: ({ ben }) => ben, at: '/channels/3', shows: heading('You cannot see this channel') },
  channels: { who: ({ ada }) => ada, at: '/channels', shows: button('Leave board') },
  'channels-none': { who: ({ gus }) => gus, at: '/channels?show=subscribed', shows: heading('No channels here') },
  'channels-nothing-fits': {
    who: ({ ben }) => ben,
    at: '/channels',
    steps: (page) => page.getByLabel('Search').fill('zebra'),
    shows: heading('Nothing fits'),
  },
  'channels-leave': {
    who: ({ cleo }) => cleo,
    at: '/channels',
    steps: (page) => page.getByRole('button', { name: 'Leave board' }).click(),
    shows: heading('Leave board?'),
  },
  'channel-new': {
    who: ({ ada }) => ada,
    at: '/channels/new',
    async steps(page) {
      await page.getByLabel('Name').fill('Design')
      await page.getByRole('combobox', { name: 'People to add at once' }).fill('ben')
      await page.getByRole('option', { name: /Ben Bitdiddle/ }).click()
      await page.getByRole('button', { name: 'Make the channel' }).click()
    },
    shows: (page) => page.getByText('There is a channel of that name already.').first(),
  },
  'channel-new-denied': {
    who: ({ gus }) => gus,
    at: '/channels/new',
    shows: heading('You may not make channels here'),
  },
  'channel-settings-general': {
    who: ({ ada }) => ada,
    at: '/channels/3/settings/general',
    shows: heading('Archive the channel'),
  },
  'channel-settings-archive': {
    who: ({ ada }) => ada,
    at: '/channels/3/settings/general',
    steps: (page) => page.getByRole('button', { name: /^Archive board/ }).click(),
    shows: heading('Archive board?'),
  },
  'channel-settings-read-only': {
    who: ({ ben }) => ben,
    at: '/channels/1/settings/general',
    shows: (page) => page.getByText('Sketches, icons').first(),
  },
  'channel-settings-personal': {
    who: ({ ben }) => ben,
    at: '/channels/1/settings/personal',
    shows: (page) => page.getByText('Pin it to the top'),
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
      await page.getByRole('button', { name: 'Remove 1 …' }).click()
    },
    shows: heading('Remove Ben Bitdiddle from design?'),
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
      await page.getByRole('button', { name: /Who can remove others/ }).click()
      await page.getByRole('option', { name: 'Certain people and groups' }).click()
    },
    shows: (page) => page.getByRole('combobox', { name: 'Who can remove others?' }),
  },
  'channel-settings-permissions-read-only': {
    who: ({ ben }) => ben,
    at: '/channels/1/settings/permissions',
    shows: (page) => page.getByText('Only those who may change the channel'),
  },
  'channel-settings-denied': {
    who: ({ ben }) => ben,
    at: '/channels/3/settings/general',
    shows: heading('You cannot see this channel'),
  },
  'composer-errors': {
    who: ({ ada }) => ada,
    at: '/channels/3',
    steps: (page) => page.getByRole('button', { name: 'Send', exact: true }).click(),
    shows: (page) => page.getByText('Say what it is about.').first(),
  },
  'invitations-empty': { who: ({ ben }) => ben, at: '/invitations', shows: heading('Nobody is invited at the moment') },
  'invitations-denied': { who: ({ gus }) => gus, at: '/invitations', shows: heading('Guests do not invite') },
  'invite-email': {
    who: ({ ada }) => ada,
    at: '/?invite=email',
    async steps(page) {
      await page.getByLabel('E-mail addresses').fill('fred@example.com, ben@example.com, nonsense')
      await page.getByLabel('E-mail addresses').press('Enter')
      await page.getByRole('button', { name: 'Send 3 invitations' }).click()
    },
    shows: (page) => page.getByText('Mend or take out: nonsense').first(),
  },
  'invite-preview': {
    who: ({ ada }) => ada,
    at: '/?invite=email',
    steps: (page) => page.getByText('Preview the mail').click(),
    shows: (page) => page.getByText('Ada Lovelace has invited you to join Example'),
  },
  'invite-results': {
    who: ({ ada }) => ada,
    at: '/?invite=email',
    async steps(page) {
      await page.getByLabel('E-mail addresses').fill('gina@example.com, ben@example.com')
      await page.getByLabel('E-mail addresses').press('Enter')
      await page.getByRole('button', { name: 'Send 2 invitations' }).click()
    },
    shows: heading('1 of 2 invited'),
  },
  'invite-link': { who: ({ ada }) => ada, at: '/?invite=link', shows: button('Make the link') },
  'invite-link-made': {
    who: ({ ada }) => ada,
    at: '/?invite=link',
    steps: (page) => page.getByRole('button', { name: 'Make the link' }).click(),
    shows: (page) => page.getByRole('img', { name: 'The link as a QR code' }),
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
    steps: (page) => page.getByLabel('Search').fill('zebra'),
    shows: heading('Nothing fits'),
  },
  'invitation-extend': {
    who: ({ ada }) => ada,
    at: '/invitations',
    async steps(page) {
      await page.getByRole('button', { name: 'Actions for dan@example.com' }).click()
      await page.getByRole('menuitem', { name: 'Extend' }).click()
    },
    shows: heading('Extend the invitation'),
  },
  'invitation-delivery': {
    who: ({ ada }) => ada,
    at: '/invitations',
    steps: (page) => page.getByRole('button', { name: /details of the mail to dan@example\.com/ }).click(),
    shows: (page) => page.getByRole('list', { name: 'Attempts' }),
  },
  people: { who: ({ ada }) => ada, at: '/people', shows: (page) => page.getByRole('option', { name: /you.*active/ }) },
  'people-nobody': {
    who: ({ ada }) => ada,
    at: '/people',
    steps: (page) => page.getByLabel('Filter people').fill('zebra'),
    shows: (page) => page.getByText('Nobody is called that'),
  },
  'person-card': {
    who: ({ ada }) => ada,
    at: '/people',
    steps: (page) => page.getByRole('option', { name: /^Ben/ }).click(),
    shows: (page) => page.getByRole('link', { name: '#engines' }),
  },
  'person-card-own': {
    who: ({ ada }) => ada,
    at: '/people',
    steps: (page) => page.getByRole('option', { name: /^Ada/ }).click(),
    shows: (page) => page.getByLabel('Your status'),
  },
  'organization-people': {
    who: ({ ada }) => ada,
    at: '/organization/people',
    steps: (page) => page.getByRole('row', { name: /Ben/ }).locator('.checkbox').click(),
    shows: (page) => page.getByText('1 selected'),
  },
  'organization-nobody': {
    who: ({ ada }) => ada,
    at: '/organization/people',
    steps: (page) => page.getByLabel('Search').fill('zebra'),
    shows: heading('Nobody is like that'),
  },
  'organization-role': {
    who: ({ ada }) => ada,
    at: '/organization/people',
    async steps(page) {
      await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
      await page.getByRole('menuitem', { name: 'Change the role …' }).click()
    },
    shows: heading('The role of Ben Bitdiddle'),
  },
  'organization-end': {
    who: ({ ada }) => ada,
    at: '/organization/people',
    async steps(page) {
      await page.getByRole('button', { name: 'Actions for Ben Bitdiddle' }).click()
      await page.getByRole('menuitem', { name: 'Deactivate …' }).click()
    },
    shows: heading('Deactivate Ben Bitdiddle?'),
  },
  'organization-profile': {
    who: ({ ada }) => ada,
    at: '/organization/profile',
    shows: (page) => page.getByLabel('Description'),
  },
  'organization-permissions': {
    who: ({ ada }) => ada,
    at: '/organization/permissions',
    shows: (page) => page.getByText('Who can make bots?'),
  },
  'organization-messages': {
    who: ({ ada }) => ada,
    at: '/organization/messages',
    shows: (page) => page.getByText('How long messages are kept'),
  },
  'organization-joining': {
    who: ({ ada }) => ada,
    at: '/organization/joining',
    shows: (page) => page.getByText('No domain is named yet'),
  },
  'organization-presence': {
    who: ({ ada }) => ada,
    at: '/organization/presence',
    shows: heading('Availability'),
  },
  'organization-denied': {
    who: ({ ben }) => ben,
    at: '/organization/people',
    shows: heading('This is for administrators'),
  },
  outbox: { who: ({ ada }) => ada, at: '/outbox', shows: (page) => page.getByText('dan@example.com').first() },
  'outbox-mail': {
    who: ({ ada }) => ada,
    at: '/outbox',
    steps: (page) => page.getByRole('button', { name: 'dan@example.com Invitation' }).click(),
    shows: (page) => page.frameLocator('iframe').getByText('You will come in as').first(),
  },
  'outbox-denied': { who: ({ ben }) => ben, at: '/outbox', shows: heading('The outbox is for administrators') },
  'settings-profile': { who: ({ ben }) => ben, at: '/settings/profile', shows: heading('Profile') },
  'settings-availability': {
    who: ({ ben }) => ben,
    at: '/settings/availability',
    shows: (page) => page.locator('.seen-person', { hasText: 'Active' }),
  },
  'settings-api-keys': { who: ({ ben }) => ben, at: '/settings/api-keys', shows: button('Revoke test') },
  'settings-revoke-key': {
    who: ({ ben }) => ben,
    at: '/settings/api-keys',
    steps: (page) => page.getByRole('button', { name: 'Revoke test' }).click(),
    shows: heading('Revoke the key of test?'),
  },
  'settings-new-key': {
    who: ({ cleo }) => cleo,
    at: '/settings/api-keys',
    async steps(page) {
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('What is it for?').fill('My terminal')
      await page.getByLabel('Your password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Make the key' }).click()
    },
    shows: heading('Your new API key'),
  },
  'settings-new-key-wrong-password': {
    who: ({ cleo }) => cleo,
    at: '/settings/api-keys',
    async steps(page) {
      await page.getByRole('button', { name: 'New key' }).click()
      await page.getByLabel('What is it for?').fill('My terminal')
      await page.getByLabel('Your password').fill('wrong')
      await page.getByRole('button', { name: 'Make the key' }).click()
    },
    shows: (page) => page.getByText('Wrong password!'),
  },
  'settings-password': {
    who: ({ ben }) => ben,
    at: '/settings/password',
    steps: (page) => page.getByRole('button', { name: 'Change the password' }).click(),
    shows: (page) => page.getByText('Type the password that you have now.').first(),
  },
  'not-found': { who: ({ ben }) => ben, at: '/nowhere', shows: heading('There is nothing here') },
  'log-in': { at: '/login/', shows: button('Log in') },
  'forgotten-password': { at: '/accounts/password/reset/', shows: heading(/password/i) },
}

async function show(stage: Stage, cast: Cast & { gus: Person }, name: string): Promise<string[]> {
  const { who, at, steps, shows } = screens[name]!
  const page = who === undefined ? await stage.openWindow() : await stage.openAs(who(cast), at)
  if (who === undefined) await page.goto(at)
  await steps?.(page)
  await shows(page).waitFor()
  const problems = await inspect(page, name)
  await page.context().close()
  return problems
}

testInChromium({
  async 'every screen holds to WCAG 2.2 AA, light and dark, and fits 320 px'(browser) {
    const stage = await openStage(browser)
    const cast = await fillExample(stage.chat)
    const gus = await stage.chat.user('gus', { role: Role.guest, fullName: 'Gus Guest' })
    await givePassword(stage.chat, cast.cleo)
    await cast.ada.succeed('POST /default_streams', { stream_id: 1 })
    await cast.ada.succeed('POST /invites', { invitee_emails: 'dan@example.com, eve@example.com', stream_ids: [] })
    await cast.ada.succeed('POST /invites/multiuse', { max_uses: 5, allowed_domains: ['example.com'] })
    await stage.chat.app.postman.settled()

    const problems: string[] = []
    for (const name of Object.keys(screens)) problems.push(...(await show(stage, { ...cast, gus }, name)))

    assert.deepEqual(problems, [])
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  },
})
