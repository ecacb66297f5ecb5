import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, lines, md, time } from '../markdown.ts'

const text = z.string().nullish()
const labeled = (label: string, value: Parameters<typeof md>[1]) => md`${bold(`${label}:`)} ${value}`

/** The times of Freshstatus are not quite in a standard form. */
const when = (value: string | null | undefined) =>
  value && value !== 'None' ? time(value.replace(' ', 'T')) : 'not known'

const VERBS: Readonly<Record<string, string>> = {
  INCIDENT_OPEN: 'was opened',
  INCIDENT_CLOSED: 'was closed',
  INCIDENT_NOTE_CREATE: 'has an update',
  MAINTENANCE_OPEN: 'was planned',
  MAINTENANCE_PLANNED: 'was planned',
  MAINTENANCE_CLOSED: 'was closed',
  MAINTENANCE_NOTE_CREATE: 'has an update',
}

export const freshstatus = integration({
  name: 'freshstatus',
  title: 'Freshstatus',
  category: 'Monitoring',
  logo: { letter: 'F', color: '#00a886' },
  steps: ['In Freshstatus, open **Integrations**, and add a **Webhook** with the URL, the method **POST** and JSON.'],
  handle: on(
    z.object({
      title: z.string(),
      description: text,
      message: text,
      incident_status: text,
      start_time: text,
      end_time: text,
      scheduled_end_time: text,
      affected_services: text,
      event_data: z.object({ event_type: z.string() }),
    }),
    (given) => {
      const { title, event_data: data } = given
      const type = data.event_type
      const kind = type.startsWith('MAINTENANCE') ? 'The scheduled maintenance' : 'The incident'
      const verb = VERBS[type]
      // The service adds events; a note says that one happened.
      if (verb === undefined)
        return {
          event: type,
          topic: title,
          content: md`An event (${type}) of ${title} happened that has no message of its own yet.`,
        }
      const isNote = type.endsWith('NOTE_CREATE')
      const isPlanned = type === 'MAINTENANCE_PLANNED' || type === 'MAINTENANCE_OPEN'
      const isOpened = type === 'INCIDENT_OPEN'
      const closed = isNote && given.incident_status?.toLowerCase() === 'closed' ? 'was closed' : verb
      return {
        event: type,
        topic: title,
        content: lines(
          md`${kind} ${bold(title)} ${closed}${isNote || isPlanned || isOpened ? ':' : '.'}`,
          isNote && labeled('Note', given.message ?? 'none'),
          (isPlanned || isOpened) && given.description && labeled('Description', given.description),
          isPlanned && labeled('Scheduled Start Time', when(given.start_time)),
          isPlanned && labeled('Scheduled End Time', when(given.scheduled_end_time ?? given.end_time)),
          isOpened && labeled('Start Time', when(given.start_time)),
          (isPlanned || isOpened) && given.affected_services && labeled('Affected Services', given.affected_services),
        ),
      }
    },
  ),
})
