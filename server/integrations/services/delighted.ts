import { z } from 'zod'
import { eventIn, integration, on } from '../integration.ts'
import { bareLink, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

const response = z.object({
  score: z.number(),
  comment: text,
  permalink: text,
  person: z.object({ name: text, email: text }),
})

const kindOf = (score: number) => (score >= 9 ? 'promoter' : score >= 7 ? 'passive respondent' : 'detractor')

const answered = (words: string) =>
  on(z.object({ event_data: response }), ({ event_data: { score, comment, permalink, person } }) => ({
    topic: 'Survey response',
    content: paragraphs(
      md`${person.name || person.email || 'Someone'}, a ${kindOf(score)}, ${words} the score ${score}${permalink ? md` (${bareLink(permalink)})` : null}.`,
      quote(comment),
    ),
  }))

export const delighted = integration({
  name: 'delighted',
  title: 'Delighted',
  category: 'Marketing',
  logo: { letter: 'D', color: '#03c26b' },
  steps: ['In Delighted, open **Integrations**, then **Webhooks**, and create a webhook with the URL.'],
  eventOf: eventIn('event_type'),
  events: {
    'survey_response.created': answered('gave'),
    'survey_response.updated': answered('changed their answer to'),
  },
})
