import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bullets, fact, htmlToText, lines, link, md, paragraphs, quote } from '../markdown.ts'

const text = z.union([z.string(), z.number()]).transform(String).nullish()

const delivery = z.object({
  freshdesk_webhook: z.object({
    ticket_id: z.union([z.string(), z.number()]),
    ticket_subject: text,
    ticket_description: text,
    ticket_url: text,
    ticket_type: text,
    ticket_priority: text,
    ticket_status: text,
    requester_name: text,
    requester_email: text,
    triggered_event: text,
  }),
})

/** Codes of properties, which the name of an event has instead of their names. */
const CODES = new Map<string, ReadonlyMap<string, string>>([
  [
    'status',
    new Map([
      ['2', 'Open'],
      ['3', 'Pending'],
      ['4', 'Resolved'],
      ['5', 'Closed'],
      ['6', 'Waiting on Customer'],
      ['7', 'Waiting on Third Party'],
    ]),
  ],
  [
    'priority',
    new Map([
      ['1', 'Low'],
      ['2', 'Medium'],
      ['3', 'High'],
      ['4', 'Urgent'],
    ]),
  ],
])

const LABELS = new Map<string, string>(
  Object.entries({
    status: 'Status',
    priority: 'Priority',
    agent: 'Agent',
    group: 'Group',
    type: 'Type',
  }),
)

/** Reads the name of an event: `{status:{from:4,to:6}}`, `{note_type:private}` or `{ticket_action:created}`. */
function readEvent(event: string) {
  const [, property = ''] = /^\{(\w+):/.exec(event) ?? []
  const [, from, to] = /\{from:([^,{}]*),to:([^,{}]*)\}/.exec(event) ?? []
  const [, value = ''] = /^\{\w+:(\w+)\}/.exec(event) ?? []
  return { property, from, to, value }
}

export const freshdesk = integration({
  name: 'freshdesk',
  title: 'Freshdesk',
  category: 'Customer support',
  summary: 'Tickets',
  logo: { letter: 'F', color: '#25c16f' },
  steps: [
    'In Freshdesk, open **Admin**, then **Automations**, and create a rule for **Ticket creation** or **Ticket updates**.',
    'Choose when it applies, and the action **Trigger webhook** with the request type **POST**. Paste the URL, and choose the encoding **JSON** and the content **Advanced**.',
    `Enter this content:

\`\`\`json
{"freshdesk_webhook": {"triggered_event": "{{triggered_event}}", "ticket_id": "{{ticket.id}}", "ticket_url": "{{ticket.url}}", "ticket_type": "{{ticket.ticket_type}}", "ticket_subject": "{{ticket.subject}}", "ticket_description": "{{ticket.description}}", "ticket_status": "{{ticket.status}}", "ticket_priority": "{{ticket.priority}}", "requester_name": "{{ticket.requester.name}}", "requester_email": "{{ticket.requester.email}}"}}
\`\`\``,
    'Save the rule.',
  ],
  sample: {
    payload: {
      freshdesk_webhook: {
        triggered_event: '{ticket_action:created}',
        ticket_id: 42,
        ticket_url: 'https://example.freshdesk.com/helpdesk/tickets/42',
        ticket_type: 'Question',
        ticket_subject: 'Where is the north?',
        ticket_description: 'The map has no compass.',
        ticket_status: 'Open',
        ticket_priority: 'Low',
        requester_name: 'Ada',
        requester_email: 'ada@example.com',
      },
    },
  },
  handle: on(delivery, ({ freshdesk_webhook: ticket }) => {
    const { ticket_id: id, ticket_subject: subject, ticket_url: url } = ticket
    const topic = `#${id}: ${subject ?? ''}`
    const it = link(`ticket #${id}`, url)
    const who = md`${ticket.requester_name || 'Someone'}${ticket.requester_email && md` (${ticket.requester_email})`}`
    const { property, from, to, value } = readEvent(ticket.triggered_event ?? '')
    if (property === 'note_type') return { event: 'note', topic, content: md`${who} added a ${value} note to ${it}.` }
    if (from !== undefined && LABELS.has(property)) {
      const name = (code: string) => CODES.get(property)?.get(code) ?? (code || 'none')
      const change = fact(LABELS.get(property) ?? '', md`${name(from)} → ${name(to ?? '')}`)
      return { event: 'update', topic, content: lines(md`${who} updated ${it}:`, bullets([change])) }
    }
    if (property !== '' && property !== 'ticket_action') return null
    const verb = value || 'created'
    return {
      event: verb === 'created' ? 'create' : 'update',
      topic,
      content: paragraphs(
        md`${who} ${verb} ${it}:`,
        quote(htmlToText(ticket.ticket_description)),
        bullets([
          fact('Type', ticket.ticket_type),
          fact('Priority', ticket.ticket_priority),
          fact('Status', ticket.ticket_status),
        ]),
      ),
    }
  }),
})
