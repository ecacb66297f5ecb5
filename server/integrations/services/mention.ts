import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

export const mention = integration({
  name: 'mention',
  title: 'Mention',
  category: 'Marketing',
  summary: 'Mentions on the web',
  logo: { letter: 'M', color: '#3a3fff' },
  steps: [
    'Mention has no webhooks of its own. In Zapier, create a Zap that starts with **New mention** of **Mention**.',
    'As the action, choose **Webhooks by Zapier**, then **POST**, paste the URL, and choose the payload type **json**.',
    'Enter the data `title`, `url` and `description` from the mention, and publish the Zap.',
  ],
  sample: {
    payload: {
      title: 'Atlas draws the best maps',
      url: 'https://blog.example.com/maps',
      description: 'We compared five programs.',
    },
  },
  handle: on(z.object({ title: z.string(), url: z.string(), description: text, source_name: text }), (payload) => ({
    topic: 'news',
    content: paragraphs(md`${bold(link(payload.title, payload.url))}:`, quote(payload.description)),
  })),
})
