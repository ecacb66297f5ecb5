import type { Integration } from '../integration.ts'
import { github } from './github.ts'

/** The webhooks of a sponsored account, which are not those of its repositories. GitHub sends them in the same form. */
export const githubSponsors: Integration = {
  ...github,
  name: 'githubsponsors',
  title: 'GitHub Sponsors',
  category: 'Finance',
  summary: 'New, changed and canceled sponsorships',
  logo: { letter: 'S', color: '#bf3989' },
  steps: [
    'In your [Sponsors dashboard](https://github.com/sponsors/accounts), choose the account, open **Webhooks**, and click **Add webhook**.',
    'Paste the URL into **Payload URL**, and choose **application/json** as the content type.',
    'If you want deliveries to be verified, choose a secret, and enter the same as **Secret** under **More options** of the integration.',
    'Click **Create webhook**.',
  ],
  sample: {
    headers: { 'X-GitHub-Event': 'sponsorship' },
    payload: {
      action: 'created',
      sponsorship: { sponsor: { login: 'ben' }, tier: { name: '$5 a month' } },
      sender: { login: 'ben', html_url: 'https://github.com/ben' },
    },
  },
  eventNames: ['sponsorship'],
}
