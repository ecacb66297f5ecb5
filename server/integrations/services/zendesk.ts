import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { foreignMarkdown } from '../markdown.ts'

const payload = z.object({
  ticket_id: z.union([z.string(), z.number()]),
  ticket_title: z.string(),
  message: z.string(),
})

export const zendesk = integration({
  name: 'zendesk',
  title: 'Zendesk',
  category: 'Customer support',
  logo: { letter: 'Z', color: '#03363d' },
  steps: [
    'In the Admin Center of Zendesk, open **Webhooks**, and create one with the URL, the method `POST` and JSON.',
    'Create a trigger that notifies the webhook, with the fields `ticket_id`, `ticket_title` and `message`.',
  ],
  read: ({ body }) => (body.has('ticket_id') ? Object.fromEntries(body) : null),
  handle: on(payload, ({ ticket_id: id, ticket_title: title, message }) => ({
    topic: `#${id}: ${title}`,
    content: foreignMarkdown(message),
  })),
})
