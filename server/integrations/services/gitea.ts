import { gogsEvents } from '../gogs.ts'
import { integration } from '../integration.ts'
import { hmacSignature } from '../signatures.ts'

export const gitea = integration({
  name: 'gitea',
  title: 'Gitea',
  category: 'Version control',
  summary: 'Pushes, pull requests, issues, also of Forgejo',
  logo: { letter: 'G', color: '#609926' },
  steps: [
    'In your repository on Gitea or Forgejo, open **Settings**, then **Webhooks**, and add a webhook of the kind **Gitea**.',
    'Paste the URL into **Target URL**, and keep **POST** and **application/json**.',
    'Choose the events to send, and click **Add webhook**.',
  ],
  verify: hmacSignature({ header: 'X-Gitea-Signature' }),
  eventHeader: 'X-Gitea-Event',
  events: gogsEvents,
})
