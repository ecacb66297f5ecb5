import { z } from 'zod'
import { integration, on, unknownEvent } from '../integration.ts'
import { link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()
const topic = 'notifications'

const ticket = z.object({
  number: z.union([z.number(), z.string()]).nullish(),
  title: text,
  state: text,
  app_url: text,
  assignee: text,
  assigned_group: text,
  customer_name: text,
  last_message_plain_text: text,
  last_message: text,
})
type Ticket = z.output<typeof ticket>

const refer = ({ number, title, app_url: url }: Ticket) => link(`#${number ?? '?'}: ${title ?? 'without a title'}`, url)

const message = z.object({
  plain_text_body: text,
  body: text,
  app_ticket_url: text,
  links: z.object({ author: z.object({ href: text }).nullish(), ticket: z.object({ href: text }).nullish() }).nullish(),
})

/** The address of an author and the number of a ticket are the ends of their links. */
const endOf = (href: string | null | undefined) => href?.split('/').at(-1)

const posted = (verb: string) =>
  on(message, ({ plain_text_body: body, app_ticket_url: url, links }) => ({
    topic,
    content: paragraphs(
      md`${endOf(links?.author?.href) ?? 'Someone'} ${verb} ${link(`ticket #${endOf(links?.ticket?.href) ?? '?'}`, url)}:`,
      quote(body),
    ),
  }))

const changed = (words: string) => on(ticket, (given) => ({ topic, content: md`Ticket ${refer(given)} ${words}.` }))

export const groove = integration({
  name: 'groove',
  title: 'Groove',
  category: 'Customer support',
  summary: 'Tickets',
  logo: { letter: 'G', color: '#1fa8a0' },
  steps: [
    'In Groove, open **Settings**, then **API**, and click **Add webhook**.',
    'Choose an event, paste the URL, and save. Repeat this for every event that you want.',
  ],
  sample: {
    headers: { 'X-Groove-Event': 'ticket_started' },
    payload: {
      number: 42,
      title: 'Where is the north?',
      last_message: 'The map has no compass.',
      mailbox: 'Inbox',
      app_url: 'https://example.groovehq.com/tickets/42',
      links: { customer: { href: 'https://api.groovehq.com/v1/customers/ada@example.com' } },
    },
  },
  eventHeader: 'X-Groove-Event',
  events: {
    ticket_started: on(ticket, (given) => ({
      topic,
      content: paragraphs(
        md`${given.customer_name || 'Someone'} started ticket ${refer(given)}:`,
        quote(given.last_message_plain_text ?? given.last_message),
      ),
    })),
    ticket_assigned: on(ticket, (given) => {
      const { assignee, assigned_group: group } = given
      const to =
        assignee && group ? md`${assignee} of the group ${group}` : assignee || (group && md`the group ${group}`)
      return to
        ? { topic, content: md`Ticket ${refer(given)} was assigned to ${to}${given.state && md` (${given.state})`}.` }
        : null
    }),
    ticket_state_changed: on(ticket, (given) => ({
      topic,
      content: md`Ticket ${refer(given)} is ${given.state || unknownEvent('ticket_state_changed')} now.`,
    })),
    ticket_opened: changed('was opened'),
    ticket_closed: changed('was closed'),
    ticket_unread: changed('is unread'),
    agent_replied: posted('replied to'),
    customer_replied: posted('replied to'),
    note_added: posted('added a note to'),
  },
})
