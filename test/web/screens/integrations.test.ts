import { heading, testScreens } from './test-screens.ts'

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
