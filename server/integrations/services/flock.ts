import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { lines, paragraphs, plainText, quoteOf } from '../markdown.ts'

const text = z.string().nullish()

const payload = z.object({
  text,
  notification: text,
  attachments: z.array(z.object({ title: text, description: text })).nullish(),
})

export const flock = integration({
  name: 'flock',
  title: 'Flock',
  category: 'Communication',
  summary: 'Messages of a channel',
  logo: { letter: 'F', color: '#0abe51' },
  steps: ['In Flock, open **Admin panel**, then **Webhooks**, and add an outgoing webhook with the URL.'],
  sample: { payload: { text: 'The map is ready to print.' } },
  handle: on(payload, ({ text, notification, attachments }) => {
    const parts = (attachments ?? []).map((one) => lines(plainText(one.title), plainText(one.description)))
    return {
      topic: 'Flock notifications',
      content: paragraphs(plainText(notification || text), parts.length > 0 && quoteOf(paragraphs(...parts))),
    }
  }),
})
