import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { md } from '../markdown.ts'

const text = z.string().nullish()
const code = z.union([z.number(), z.string()]).nullish()

const delivery = z.object({
  webhook_event_data: z.object({
    application_name: text,
    check_name: z.string(),
    check_state_name: z.string(),
    http_status_code: code,
  }),
})

/** The application of a check that Freshping makes up when a user tests the webhook. */
const TEST_APPLICATION = 'Webhook test'

const STATES = new Map<string, string>(
  Object.entries({
    Available: 'is available again',
    'Not Responding': 'does not respond',
    'Reporting Error': 'reports an error',
  }),
)

export const freshping = integration({
  name: 'freshping',
  title: 'Freshping',
  category: 'Monitoring',
  summary: 'Outages of checks',
  logo: { letter: 'F', color: '#25c16f' },
  steps: [
    'In Freshping, open **Settings**, then **Integrations**, and click **Create Integration** below **Webhook**.',
    'Enter a name, choose **Simple** as the payload type, choose the events and the checks, and paste the URL into **Callback URL**.',
    'Click **Create**.',
  ],
  sample: {
    payload: {
      webhook_event_data: {
        check_state_name: 'Available',
        check_name: 'Website',
        request_url: 'https://www.example.com',
        http_status_code: 200,
        response_time: 223,
      },
    },
  },
  handle: on(delivery, ({ webhook_event_data: data }) => {
    if (data.application_name === TEST_APPLICATION)
      return { event: 'test', topic: 'Freshping', content: md`The webhook of Freshping is set up.` }
    const { check_name: name, check_state_name: state, http_status_code: status } = data
    const detail = state === 'Reporting Error' && status && md` (HTTP status ${String(status)})`
    return {
      event: state,
      topic: name,
      content: md`${name} ${STATES.get(state) ?? md`is in the state ${state}`}${detail}.`,
    }
  }),
})
