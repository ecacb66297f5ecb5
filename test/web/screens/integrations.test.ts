import type { Page } from 'playwright-core'
import { button, heading, testScreens } from './test-screens.ts'

testScreens('the pages of integrations', {
  integrations: { at: '/integrations', shows: heading('Integrations') },
  'integrations-found': {
    at: '/integrations?q=alerts&category=monitoring',
    shows: (page) => page.getByRole('link', { name: 'Grafana' }),
  },
  'integrations-nothing-found': { at: '/integrations?q=zebra', shows: heading('No integration found') },
  'integration-missing': { at: '/integrations/zebra', shows: heading('Integration not found') },
  'integration-webhook': { at: '/integrations/github', shows: heading('How it looks') },
  'integration-webhook-logged-in': {
    who: ({ ada }) => ada,
    at: '/integrations/newrelic',
    shows: (page) => page.getByRole('link', { name: 'Add integration' }),
  },
  'integration-script': { at: '/integrations/git', shows: heading('Set it up') },
})

async function chooseDirect(page: Page): Promise<void> {
  const panel = page.getByRole('complementary', { name: 'GitHub' })
  await panel.getByRole('button', { name: 'Channel' }).click()
  await page.getByRole('option', { name: 'Direct message to you' }).click()
}

testScreens('adding integrations', {
  'add-integration': { who: ({ ben }) => ben, at: '/add-integration', shows: heading('Integrations') },
  'add-integration-nothing': {
    who: ({ ben }) => ben,
    at: '/add-integration',
    steps: (page) => page.getByRole('searchbox', { name: 'Search services' }).fill('zebra'),
    shows: heading('No matching services'),
  },
  'add-integration-failed': {
    who: ({ ben }) => ben,
    at: '/add-integration',
    steps: async (page) => {
      const refusal = { result: 'error', code: 'BAD_REQUEST', msg: 'The list is not available.' }
      await page.route('**/json/integrations', (route) => route.fulfill({ status: 400, json: refusal }))
      await page.reload()
    },
    shows: button('Try again'),
  },
  'add-integration-service': {
    who: ({ ben }) => ben,
    at: '/add-integration?service=github&channel=1',
    async steps(page) {
      await page.getByRole('button', { name: 'Push', exact: true }).click()
      await page.getByRole('button', { name: 'Steps' }).click()
    },
    shows: heading('How it looks'),
  },
  'add-integration-no-channel': {
    who: ({ ben }) => ben,
    at: '/add-integration?service=grafana',
    steps: (page) => page.getByRole('button', { name: 'Create bot and address' }).click(),
    shows: (page) => page.getByText('Choose where the messages go.').first(),
  },
  'add-integration-connected': {
    who: ({ ada }) => ada,
    at: '/add-integration?service=github',
    async steps(page) {
      await chooseDirect(page)
      await page.getByRole('button', { name: 'Create bot and address' }).click()
      await page.getByRole('button', { name: 'Send a test message' }).click()
      await page.getByText('The test message was sent.').waitFor()
    },
    shows: (page) => page.getByText('Posted').first(),
  },
  'add-integration-bot': {
    who: ({ ada }) => ada,
    at: '/add-integration?service=github&channel=1',
    shows: button('Create address'),
  },
  'add-integration-no-bots': {
    who: ({ gus }) => gus,
    at: '/add-integration?service=github',
    shows: (page) => page.getByText('GitHub posts as a bot, and guests can’t create bots.'),
  },
  'add-integration-script': {
    who: ({ ben }) => ben,
    at: '/add-integration?service=git',
    shows: (page) => page.getByRole('link', { name: 'Your bots' }),
  },
  'add-integration-unknown': {
    who: ({ ben }) => ben,
    at: '/add-integration?service=zebra',
    shows: (page) => page.getByText('Couldn’t load the integration'),
  },
})
