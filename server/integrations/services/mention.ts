import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

export const mention = integration({
  name: 'mention',
  title: 'Mention',
  category: 'Marketing',
  logo: { letter: 'M', color: '#1e2e5f' },
  steps: ['In Mention, connect a webhook through Zapier, and paste the URL.'],
  handle: on(z.object({ title: text, url: z.string(), description: text }), ({ title, url, description }) => ({
    topic: 'news',
    content: paragraphs(md`${bold(link(title || 'A mention', url))}:`, quote(description)),
  })),
})
