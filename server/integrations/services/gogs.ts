import { gogsEvents } from '../gogs.ts'
import { integration } from '../integration.ts'
import { hmacSignature } from '../signatures.ts'

export const gogs = integration({
  name: 'gogs',
  title: 'Gogs',
  category: 'Version control',
  summary: 'Pushes, pull requests, issues',
  logo: { letter: 'G', color: '#428f29' },
  steps: [
    'In your repository on Gogs, open **Settings**, then **Webhooks**, and add a webhook of the kind **Gogs**.',
    'Paste the URL into **Payload URL**, and choose **application/json** as the content type.',
    'Choose the events to send, and click **Add webhook**.',
  ],
  verify: hmacSignature({ header: 'X-Gogs-Signature' }),
  eventHeader: 'X-Gogs-Event',
  events: gogsEvents,
})
