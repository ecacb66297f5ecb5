import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, bullets, fact, htmlToText, lines, link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()

const ticket = z.object({
  triggered_event: text,
  ticket_id: z.union([z.string(), z.number()]),
  ticket_subject: text,
  ticket_url: text,
  ticket_type: text,
  ticket_status: text,
  ticket_priority: text,
  ticket_description: text,
  ticket_latest_public_comment: text,
  requester_name: text,
  requester_email: text,
})

/** Returns what changed, from a text such as `{status:{from:4,to:6}}`; null for other events. */
function changeIn(event: string): { property: string; from?: string; to?: string } | null {
  const change = /^\{(\w{1,40}):\{from:(\w{1,40}),to:(\w{1,40})\}\}$/.exec(event)
  if (change) return { property: change[1] ?? '', from: change[2] ?? '', to: change[3] ?? '' }
  const property = /^\{(\w{1,40}):(\w{1,40})\}$/.exec(event)
  return property ? { property: property[2] ?? '' } : null
}

const STATUSES: Readonly<Record<string, string>> = { '2': 'Open', '3': 'Pending', '4': 'Resolved', '5': 'Closed' }
const PRIORITIES: Readonly<Record<string, string>> = { '1': 'Low', '2': 'Medium', '3': 'High', '4': 'Urgent' }

function nameOf(property: string, value: string | undefined): string {
  const names = property === 'status' ? STATUSES : property === 'priority' ? PRIORITIES : {}
  return value !== undefined && Object.hasOwn(names, value) ? (names[value] as string) : (value ?? 'unknown')
}

export const freshdesk = integration({
  name: 'freshdesk',
  title: 'Freshdesk',
  category: 'Customer support',
  logo: { letter: 'F', color: '#25c16f' },
  steps: [
    'In Freshdesk, open **Admin**, then **Automations**, and create a rule whose action is **Trigger webhook**.',
    'Paste the URL, choose `POST` and JSON, and choose all properties of the ticket.',
  ],
  handle: on(z.object({ freshdesk_webhook: ticket }), ({ freshdesk_webhook: given }) => {
    const change = changeIn((given.triggered_event ?? '').replace(/[\s"]/g, ''))
    const who = md`${given.requester_name || 'Someone'}${given.requester_email ? md` (${given.requester_email})` : null}`
    const name = link(`ticket #${given.ticket_id}`, given.ticket_url)
    const topic = `#${given.ticket_id}: ${given.ticket_subject ?? ''}`
    const property = change?.property ?? 'updated'
    if (property === 'note_type') return { event: 'note', topic, content: md`${who} added a note to ${name}.` }
    if (change?.to !== undefined)
      return {
        event: property,
        topic,
        content: lines(
          md`${who} updated ${name}:`,
          bullets([md`${property}: ${bold(nameOf(property, change.from))} → ${bold(nameOf(property, change.to))}`]),
        ),
      }
    const isNew = property === 'created'
    return {
      event: property,
      topic,
      content: paragraphs(
        md`${who} ${isNew ? 'created' : 'updated'} ${name}:`,
        quote(htmlToText(isNew ? given.ticket_description : given.ticket_latest_public_comment)),
        bullets([
          fact('Type', given.ticket_type),
          fact('Priority', given.ticket_priority),
          fact('Status', given.ticket_status),
        ]),
      ),
    }
  }),
})
