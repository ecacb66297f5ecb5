import { gogsEvents } from '../families/gogs.ts'
import { integration } from '../integration.ts'
import { hmacSignature } from '../signatures.ts'

export const gitea = integration({
  name: 'gitea',
  title: 'Gitea',
  category: 'Version control',
  knowsPrivate: true,
  summary: 'Pushes, pull requests, issues, also of Forgejo',
  logo: { letter: 'G', color: '#609926' },
  steps: [
    'In your repository on Gitea or Forgejo, open **Settings**, then **Webhooks**, and add a webhook of the kind **Gitea**.',
    'Paste the URL into **Target URL**, and keep **POST** and **application/json**.',
    'Choose the events to send, and click **Add webhook**.',
  ],
  sample: {
    headers: { 'X-Gitea-Event': 'issues' },
    payload: {
      action: 'opened',
      number: 42,
      issue: {
        number: 42,
        title: 'Maps have gaps',
        body: 'See the coast.',
        html_url: 'https://git.example.com/example/atlas/issues/42',
        user: { login: 'ada', username: 'ada' },
      },
      repository: { name: 'atlas', full_name: 'example/atlas', html_url: 'https://git.example.com/example/atlas' },
      sender: { login: 'ada', username: 'ada' },
    },
  },
  verify: hmacSignature({ header: 'X-Gitea-Signature' }),
  eventHeader: 'X-Gitea-Event',
  events: gogsEvents,
})
