import { z } from 'zod'
import { eventIn, integration, on } from '../integration.ts'
import { count, link, md } from '../markdown.ts'

const issue = z.object({
  display_id: z.union([z.number(), z.string()]),
  title: z.string(),
  url: z.string().nullish(),
  method: z.string().nullish(),
  crashes_count: z.number().nullish(),
  impacted_devices_count: z.number().nullish(),
})

export const crashlytics = integration({
  name: 'crashlytics',
  title: 'Crashlytics',
  category: 'Monitoring',
  summary: 'Crashes of apps',
  logo: { letter: 'C', color: '#ff9100' },
  steps: ['In Crashlytics, open **Settings**, then **Integrations**, choose **Web Hook**, and paste the URL.'],
  sample: {
    payload: {
      event: 'issue_impact_change',
      payload_type: 'issue',
      payload: {
        display_id: 42,
        title: 'MapView.draw',
        crashes_count: 54,
        impacted_devices_count: 16,
        url: 'https://console.firebase.google.com/project/example/crashlytics/42',
      },
    },
  },
  eventOf: eventIn('event'),
  events: {
    verification: on(z.unknown(), (_, { topic }) => ({
      topic: topic ?? 'Setup',
      content: md`The webhook of Crashlytics is set up.`,
    })),
    issue_impact_change: on(z.object({ payload: issue }), ({ payload: given }) => ({
      topic: `${given.display_id}: ${given.title}`,
      content: md`${link('The issue', given.url)} now has ${count(given.crashes_count ?? 0, 'crash', 'crashes')} on ${count(given.impacted_devices_count ?? 0, 'device')}${given.method ? md`, in ${given.method}` : null}.`,
    })),
  },
})
