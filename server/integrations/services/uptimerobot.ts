import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { md } from '../markdown.ts'

/** The service sends what its settings list: texts, which may look like numbers. */
const text = z.union([z.string(), z.number()]).transform(String)

const delivery = z.object({
  monitor_url: text,
  monitor_friendly_name: text,
  alert_type: text,
  alert_type_friendly_name: text,
  alert_details: text,
  alert_friendly_duration: text.nullish(),
  ssl_expiry_days_left: text.nullish(),
})

export const uptimerobot = integration({
  name: 'uptimerobot',
  title: 'UptimeRobot',
  category: 'Monitoring',
  summary: 'Outages of monitors',
  logo: { letter: 'U', color: '#3bd671' },
  steps: [
    'In UptimeRobot, open **Integrations & API**, and click **Add** below **Webhook**.',
    `Paste the URL, turn on **Send as JSON**, and enter this as the value:

\`\`\`json
{"monitor_url": "*monitorURL*", "monitor_friendly_name": "*monitorFriendlyName*", "alert_type": "*alertType*", "alert_type_friendly_name": "*alertTypeFriendlyName*", "alert_details": "*alertDetails*", "alert_friendly_duration": "*alertFriendlyDuration*"}
\`\`\``,
    'Click **Create integration**, and choose it in your monitors.',
  ],
  sample: {
    payload: {
      monitor_url: 'https://www.example.com',
      monitor_friendly_name: 'Website',
      alert_type: '1',
      alert_type_friendly_name: 'Down',
      alert_details: 'Connection refused',
    },
  },
  handle: on(delivery, (payload) => {
    const { monitor_friendly_name: name, monitor_url: url, alert_type: type, alert_details: details } = payload
    const reason = details && md` (${details})`
    const service = md`${name}${url && md` (${url})`}`
    if (type === '1') return { event: 'down', topic: name, content: md`${service} is down${reason}.` }
    if (type === '2') {
      const duration = payload.alert_friendly_duration
      return {
        event: 'up',
        topic: name,
        content: md`${service} is up again${reason}.${duration && md` It was down for ${duration}.`}`,
      }
    }
    if (type === '3') {
      const days = payload.ssl_expiry_days_left
      return {
        event: 'ssl',
        topic: name,
        content: md`The certificate of ${service} expires${days ? md` in ${days} days` : ' soon'}${reason}.`,
      }
    }
    return {
      event: 'other',
      topic: name,
      content: md`${service}: ${payload.alert_type_friendly_name || 'an alert'}${reason}.`,
    }
  }),
})
