import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { equalSecrets } from '#lib/secrets.ts'
import { integration, on } from '../integration.ts'
import { foreignMarkdown } from '../markdown.ts'

const text = z.union([z.string(), z.number()]).transform(String)

export const zendesk = integration({
  name: 'zendesk',
  title: 'Zendesk',
  category: 'Customer support',
  summary: 'Tickets',
  logo: { letter: 'Z', color: '#03363d' },
  steps: [
    'In the Admin Center of Zendesk, open **Apps and integrations**, then **Webhooks**, and create one for a **Trigger or automation**. Paste the URL as the endpoint, with the method **POST** and the format **JSON**.',
    'If you want deliveries to be verified, set the signing secret that Zendesk shows for the bot.',
    'Open **Objects and rules**, then **Triggers**, and create a trigger with the action **Notify active webhook**.',
    `Enter this body:

\`\`\`json
{"ticket_id": "{{ticket.id}}", "ticket_title": "{{ticket.title}}", "message": "Ticket [#{{ticket.id}}]({{ticket.link}}) was updated by {{current_user.name}}"}
\`\`\`

The message can contain Markdown.`,
  ],
  sample: {
    payload: {
      ticket_id: '42',
      ticket_title: 'Where is the north?',
      message: 'Ticket [#42](https://example.zendesk.com/tickets/42) was updated by Ada',
    },
  },
  verify: ({ headers, rawBody, secret }) => {
    const time = String(headers['x-zendesk-webhook-signature-timestamp'] ?? '')
    const expected = createHmac('sha256', secret).update(time).update(rawBody).digest('base64')
    return equalSecrets(String(headers['x-zendesk-webhook-signature'] ?? ''), expected)
  },
  // Targets, which webhooks replaced, send a form or parameters of the URL.
  read: ({ body, query, rawBody }) =>
    /^\s*\{/.test(rawBody.toString('latin1', 0, 100)) ? null : Object.fromEntries([...query, ...body]),
  handle: on(z.object({ ticket_id: text, ticket_title: text, message: text }), (payload) => ({
    topic: `#${payload.ticket_id}: ${payload.ticket_title}`,
    content: foreignMarkdown(payload.message),
  })),
})
