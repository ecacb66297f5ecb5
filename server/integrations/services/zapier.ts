import { z } from 'zod'
import { integration, need, on } from '../integration.ts'
import { foreignMarkdown } from '../markdown.ts'

const text = z.string().nullish()

/** Returns whether the delivery only tests the connection. */
const isTest = (payload: unknown) => z.object({ type: z.literal('auth') }).safeParse(payload).success

// The people who set up a Zap write its topic and content, from fields of other services.

export const zapier = integration({
  name: 'zapier',
  title: 'Zapier',
  category: 'Meta',
  summary: 'Messages of your Zaps',
  logo: { letter: 'Z', color: '#ff4a00' },
  steps: [
    'In Zapier, add the action **Webhooks by Zapier**, choose **POST**, and paste the URL.',
    'Choose **JSON** as payload type, and add the data `topic` and `content`.',
  ],
  sample: { payload: { topic: 'Orders', content: 'Ada ordered a map.' } },
  // The Zulip app for Zapier shows which bot it is connected to.
  responseTo: (payload, bot) => (isTest(payload) ? bot : undefined),
  handle: on(z.object({ type: text, topic: text, subject: text, content: text }), (given) => {
    if (isTest(given)) return null
    return { topic: need(given.topic ?? given.subject), content: foreignMarkdown(need(given.content)) }
  }),
})
