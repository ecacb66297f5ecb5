import { z } from 'zod'
import { badPayload, integration, on } from '../integration.ts'
import { foreignMarkdown, md } from '../markdown.ts'

const text = z.string().nullish()

const result = z
  .object({ action: text, resolvedQuery: text, fulfillment: z.object({ speech: text }).nullish() })
  .nullish()

const delivery = z.object({
  status: z.object({ code: z.number().nullish(), errorType: text, errorDetails: text }).nullish(),
  result,
  alternateResult: result,
  queryResult: z.object({ queryText: text, fulfillmentText: text }).nullish(),
})

export const dialogflow = integration({
  name: 'dialogflow',
  title: 'Dialogflow',
  category: 'Customer support',
  summary: 'Answers of an agent',
  logo: { letter: 'D', color: '#ff9800' },
  steps: [
    'In the console of Dialogflow, choose your agent, open **Fulfillment**, and turn on **Webhook**.',
    'Paste the URL, and click **Save**. Then turn on **Enable webhook call for this intent** in each intent.',
  ],
  sample: {
    payload: {
      result: {
        source: 'agent',
        resolvedQuery: 'How far is the coast?',
        fulfillment: { speech: 'Twelve kilometers.' },
      },
      status: { code: 200, errorType: 'success' },
    },
  },
  options: [{ name: 'email', label: 'The person who gets direct messages if the URL names no channel' }],
  handle: on(delivery, ({ status, result, alternateResult, queryResult }, { param }) => {
    const place = { topic: 'Dialogflow', recipient: param('email') }
    const isFailed = typeof status?.code === 'number' && status.code !== 200
    if (isFailed)
      return {
        ...place,
        content: md`${status.code}: ${status.errorType || status.errorDetails || 'an unknown error'}`,
      }
    const answer = queryResult?.fulfillmentText || result?.fulfillment?.speech || alternateResult?.fulfillment?.speech
    const question = queryResult?.queryText || result?.resolvedQuery
    if (answer) return { ...place, content: foreignMarkdown(answer) }
    return question ? { ...place, content: md`There is no answer to: ${question}` } : badPayload()
  }),
})
