import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, bullets, lines, type Markdown, type MarkdownValue, md, paragraphs, quote, time } from '../markdown.ts'

const text = z.string().nullish()

const delivery = z.object({
  id: z.union([z.string(), z.number()]).nullish(),
  title: text,
  description: text,
  message: text,
  status: text,
  incident_status: text,
  start_time: text,
  end_time: text,
  scheduled_start_time: text,
  scheduled_end_time: text,
  affected_services: text,
  event_data: z.object({ event_type: z.string() }),
})
type Delivery = z.output<typeof delivery>

const item = (label: string, value: MarkdownValue): Markdown => md`${bold(`${label}:`)} ${value}`

const services = ({ affected_services: affected }: Delivery): Markdown =>
  lines(bold('Affected Services:'), bullets((affected || 'none').split(',').map((name) => name.trim())))

/** Returns a time such as `2021-04-12 17:08:00+00:00`. */
const at = (value: string | null | undefined) => (value ? time(value.replace(' ', 'T')) : 'unknown')

const note = (words: string) => (payload: Delivery) =>
  lines(md`${words} ${bold(payload.title)}`, item('Note', payload.message || 'none'))

const planned = (words: string) => (payload: Delivery) =>
  lines(
    md`${words} ${bold(payload.title)}`,
    item('Description', payload.description || 'none'),
    item('Scheduled Start Time', at(payload.scheduled_start_time ?? payload.start_time)),
    item('Scheduled End Time', at(payload.scheduled_end_time ?? payload.end_time)),
    services(payload),
  )

const opened = (words: string) => (payload: Delivery) =>
  lines(
    md`${words} ${bold(payload.title)}`,
    item('Description', payload.description || 'none'),
    item('Start Time', at(payload.start_time)),
    services(payload),
  )

/** The id of the incident that Freshstatus makes up when a user tests the webhook. */
const TEST_ID = '1'

/** Events and the texts about them. */
const EVENTS = new Map<string, (payload: Delivery) => Markdown>(
  Object.entries({
    INCIDENT_OPEN: opened('An incident began:'),
    INCIDENT_RESOLVED: note('An incident is over:'),
    INCIDENT_NOTE_CREATE: (payload) =>
      note(payload.incident_status === 'Closed' ? 'An incident is over:' : 'There is news about an incident:')(payload),
    MAINTENANCE_PLANNED: planned('A maintenance is planned:'),
    MAINTENANCE_NOTE_CREATE: (payload) =>
      note(payload.incident_status === 'Closed' ? 'A maintenance is over:' : 'There is news about a maintenance:')(
        payload,
      ),
  }),
)

export const freshstatus = integration({
  name: 'freshstatus',
  title: 'Freshstatus',
  category: 'Monitoring',
  summary: 'Incidents and maintenance',
  logo: { letter: 'F', color: '#25c16f' },
  steps: [
    'In Freshstatus, open **Settings**, then **Integrations**, and click **New integration** and **Webhook**.',
    'Enter a name, paste the URL into **Webhook URL**, choose the events, and use the JSON template that is given there.',
    'Save, and turn the integration on.',
  ],
  sample: {
    payload: {
      id: '42',
      title: 'Maps load slowly',
      description: 'We are looking into it.',
      start_time: '2026-03-02 09:12:00+00:00',
      affected_services: 'Maps',
      incident_status: 'Open',
      event_data: { event_type: 'INCIDENT_OPEN' },
    },
  },
  handle: on(delivery, (payload) => {
    const { event_data: data, title } = payload
    if (data.event_type === 'INCIDENT_OPEN' && String(payload.id) === TEST_ID)
      return { event: 'test', topic: 'Freshstatus', content: md`The webhook of Freshstatus is set up.` }
    const known = EVENTS.has(data.event_type) ? EVENTS.get(data.event_type) : undefined
    return {
      event: data.event_type,
      topic: title || 'Freshstatus',
      content: known
        ? known(payload)
        : paragraphs(
            md`An event of the kind ${data.event_type} happened.`,
            quote(payload.message ?? payload.description),
          ),
    }
  }),
})
