import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { md } from '../markdown.ts'

const text = z.string().nullish()

export const uptimerobot = integration({
  name: 'uptimerobot',
  title: 'UptimeRobot',
  category: 'Monitoring',
  logo: { letter: 'U', color: '#3bd671' },
  steps: [
    'In UptimeRobot, open **Integrations**, and add a **Webhook** with the URL.',
    'Choose **Send as JSON**, and enter the values `monitor_url`, `monitor_friendly_name`, `alert_type`, `alert_type_friendly_name`, `alert_details` and `alert_friendly_duration`, each with the variable of its name.',
  ],
  handle: on(
    z.object({
      monitor_friendly_name: z.string(),
      monitor_url: text,
      alert_type_friendly_name: z.string(),
      alert_details: text,
      alert_friendly_duration: text,
    }),
    (given) => {
      const state = given.alert_type_friendly_name
      const isUp = state.toLowerCase() === 'up'
      const duration =
        isUp && given.alert_friendly_duration ? md` It was down for ${given.alert_friendly_duration}.` : null
      return {
        event: state.toLowerCase(),
        topic: given.monitor_friendly_name,
        content: md`${isUp ? '✅' : '🚨'} ${given.monitor_friendly_name} (${given.monitor_url ?? 'without an address'}) is ${state.toLowerCase()}${given.alert_details && md` (${given.alert_details})`}.${duration}`,
      }
    },
  ),
})
