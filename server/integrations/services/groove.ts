import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

const ticket = z.object({
  number: z.number().nullish(),
  title: text,
  summary: text,
  last_message: text,
  app_url: text,
  assigned_group: text,
  links: z
    .object({ assignee: z.object({ id: text }).nullish(), customer: z.object({ href: text }).nullish() })
    .nullish(),
})

const topic = 'notifications'

const customerOf = ({ links }: z.output<typeof ticket>) => links?.customer?.href?.split('/').at(-1) || 'Someone'

const reply = (who: string, what: string) =>
  on(
    z.object({
      app_ticket_url: text,
      plain_text_body: text,
      links: z.object({ author: z.object({ href: text }).nullish() }).nullish(),
    }),
    (given) => {
      const author = given.links?.author?.href?.split('/').at(-1) || who
      return {
        topic,
        content: paragraphs(md`${author} ${link(what, given.app_ticket_url)}:`, quote(given.plain_text_body)),
      }
    },
  )

export const groove = integration({
  name: 'groove',
  title: 'Groove',
  category: 'Customer support',
  logo: { letter: 'G', color: '#f06543' },
  steps: ['In Groove, open **Settings**, then **API**, and add a webhook for each event, with the URL.'],
  eventHeader: 'X-Groove-Event',
  events: {
    ticket_started: on(ticket, (given) => ({
      topic,
      content: paragraphs(
        md`${customerOf(given)} submitted a new ticket ${link(`#${given.number ?? '?'}: ${given.title ?? ''}`, given.app_url)}:`,
        quote(given.last_message ?? given.summary),
      ),
    })),
    ticket_assigned: on(ticket.extend({ state: text }), (given) => {
      const agent = given.links?.assignee?.id
      const group = given.assigned_group
      if (!agent && !group) return null
      const to = agent && group ? md`${agent} of the group ${group}` : (agent ?? md`the group ${group}`)
      return {
        topic,
        content: md`${link(`#${given.number ?? '?'}: ${given.title ?? ''}`, given.app_url)} (${given.state ?? 'no state'}) was assigned to ${to}.`,
      }
    }),
    agent_replied: reply('An agent', 'replied to a ticket'),
    customer_replied: reply('A customer', 'replied to a ticket'),
    note_added: reply('An agent', 'added a note to a ticket'),
    ticket_opened: on(ticket, (given) => ({
      topic,
      content: md`${link(`#${given.number ?? '?'}: ${given.title ?? ''}`, given.app_url)} was opened.`,
    })),
    ticket_closed: on(ticket, (given) => ({
      topic,
      content: md`${link(`#${given.number ?? '?'}: ${given.title ?? ''}`, given.app_url)} was closed.`,
    })),
  },
})
