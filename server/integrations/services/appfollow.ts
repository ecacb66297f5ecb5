import { z } from 'zod'
import { slackText } from '../families/slack-format.ts'
import { integration, on } from '../integration.ts'

/** Matches links in Markdown; the rest of a text is in Slack's dialect. */
const LINK = /\[([^[\]\n|<>]{1,200})\]\((https?:\/\/[^\s()<>|]{1,2000})\)/g

export const appfollow = integration({
  name: 'appfollow',
  title: 'AppFollow',
  category: 'Customer support',
  summary: 'Reviews in app stores',
  logo: { letter: 'A', color: '#3db76b' },
  steps: ['In AppFollow, open **Integrations**, choose **Slack** as the kind of webhook, and paste the URL.'],
  sample: { payload: { text: 'New review of Atlas\n★★★★★ “The maps are beautiful” by Ada' } },
  handle: on(z.object({ text: z.string() }), ({ text }) => ({
    topic: text.trimStart().split('\n', 1)[0] || 'AppFollow',
    content: slackText(text.replace(LINK, '<$2|$1>')),
  })),
})
