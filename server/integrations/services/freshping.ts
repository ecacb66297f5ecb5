import { z } from 'zod'
import { integration, on, unknownEvent } from '../integration.ts'
import { bareLink, md } from '../markdown.ts'

const text = z.string().nullish()

export const freshping = integration({
  name: 'freshping',
  title: 'Freshping',
  category: 'Monitoring',
  logo: { letter: 'F', color: '#12344d' },
  steps: [
    'In Freshping, open **Settings**, then **Integrations**, and create one of the kind **Webhook**.',
    'Choose **Alert** as the event, paste the URL into **Callback URL**, and keep the simple format.',
  ],
  handle: on(
    z.object({
      webhook_event_data: z.object({
        check_name: z.string(),
        check_state_name: z.string(),
        request_url: text,
        http_status_code: z.number().nullish(),
      }),
    }),
    ({ webhook_event_data: check }) => {
      const it = md`${bareLink(check.request_url)}`
      switch (check.check_state_name) {
        case 'Reporting Error':
          return {
            event: 'unreachable',
            topic: check.check_name,
            content: md`🚨 ${it} is not reachable. Status: ${check.http_status_code ?? 'none'}.`,
          }
        case 'Available':
          return { event: 'reachable', topic: check.check_name, content: md`✅ ${it} is reachable again.` }
        default:
          return unknownEvent(check.check_state_name)
      }
    },
  ),
})
