import { z } from 'zod'
import { integration, on, unknownEvent } from '../integration.ts'
import { md, paragraphs, quote } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const person = z.object({ name: text, email: text, phone_number: text }).nullish()

const delivery = z.object({
  event_type: z.string(),
  event_data: z.object({ person, score: z.number().nullish(), comment: text, email: text, name: text }),
})

/** Returns the kind of customer for an answer to the usual question, from 0 to 10. */
const kindOf = (score: number) => (score >= 9 ? 'promoter' : score >= 7 ? 'passive' : 'detractor')

export const delighted = integration({
  name: 'delighted',
  title: 'Delighted',
  category: 'Marketing',
  summary: 'Answers to surveys',
  logo: { letter: 'D', color: '#f26b3a' },
  steps: [
    'In Delighted, open **Integrations**, then **Webhooks**, and click **Add webhook**.',
    'Paste the URL, choose when to send (new and changed responses), and save.',
    'If you want deliveries to be verified, set your Delighted API key as the secret of the bot.',
  ],
  sample: {
    payload: {
      event_type: 'survey_response.created',
      event_data: {
        person: { name: 'Ada', email: 'ada@example.com' },
        score: 9,
        comment: 'The maps are beautiful.',
        permalink: 'https://delighted.com/r/42',
      },
    },
  },
  verify: hmacSignature({ header: 'X-Delighted-Webhook-Signature', prefix: 'sha256=' }),
  handle: on(delivery, ({ event_type: event, event_data: data }) => {
    const name =
      data.person?.name || data.person?.email || data.person?.phone_number || data.name || data.email || 'Someone'
    if (event === 'unsubscribe.created')
      return { event, topic: 'Unsubscribe', content: md`${name} wants no more surveys.` }
    if (!event.startsWith('survey_response.')) return unknownEvent(event)
    const verb = event.endsWith('.created') ? 'answered a survey' : 'changed an answer'
    const { score, comment } = data
    const result = typeof score === 'number' && md` with ${score} (${kindOf(score)})`
    return {
      event,
      topic: 'Survey response',
      content: paragraphs(md`${name} ${verb}${result}${comment ? ':' : '.'}`, quote(comment)),
    }
  }),
})
