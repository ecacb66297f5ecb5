import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, lines, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()
const page = z.object({ status_description: text })

export const statuspage = integration({
  name: 'statuspage',
  title: 'Statuspage',
  category: 'Monitoring',
  summary: 'Incidents and components',
  logo: { letter: 'S', color: '#3bbdf6' },
  steps: ['On your status page, click **Subscribe to updates**, choose webhooks, and paste the URL.'],
  sample: {
    payload: {
      page: { status_description: 'Minor service outage' },
      incident: {
        name: 'Maps load slowly',
        status: 'investigating',
        incident_updates: [{ body: 'We are looking into it.' }],
      },
    },
  },
  handle: on(
    z.union([
      z.object({
        page,
        incident: z.object({
          name: z.string(),
          status: z.string(),
          incident_updates: z.array(z.object({ body: text })).nullish(),
        }),
      }),
      z.object({
        page,
        component: z.object({ name: z.string() }),
        component_update: z.object({ old_status: text, new_status: text }),
      }),
    ]),
    (payload) => {
      if ('incident' in payload) {
        const { name, status, incident_updates: updates } = payload.incident
        return {
          event: 'incident',
          topic: `${name}: ${payload.page.status_description ?? 'unknown'}`,
          content: paragraphs(lines(md`${bold(name)}`, md`State: ${bold(status)}`), quote(updates?.[0]?.body)),
        }
      }
      const { component, component_update: update } = payload
      return {
        event: 'component',
        topic: `${component.name}: ${payload.page.status_description ?? 'unknown'}`,
        content: md`${bold(component.name)} changed from ${bold(update.old_status)} to ${bold(update.new_status)}.`,
      }
    },
  ),
})
