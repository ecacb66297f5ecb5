import { gogsEvents } from '../families/gogs.ts'
import { integration } from '../integration.ts'
import { hmacSignature } from '../signatures.ts'

export const gogs = integration({
  name: 'gogs',
  title: 'Gogs',
  category: 'Version control',
  knowsPrivate: true,
  summary: 'Pushes, pull requests, issues',
  logo: { letter: 'G', color: '#428f29' },
  steps: [
    'In your repository on Gogs, open **Settings**, then **Webhooks**, and add a webhook of the kind **Gogs**.',
    'Paste the URL into **Payload URL**, and choose **application/json** as the content type.',
    'Choose the events to send, and click **Add webhook**.',
  ],
  sample: {
    headers: { 'X-Gogs-Event': 'issues' },
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
  verify: hmacSignature({ header: 'X-Gogs-Signature' }),
  eventHeader: 'X-Gogs-Event',
  events: gogsEvents,
})
