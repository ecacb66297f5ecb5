import { z } from 'zod'
import { integration, on, unknownEvent } from '../integration.ts'
import { md, paragraphs, quote, sentence } from '../markdown.ts'

const text = z.string().nullish()

/** The kinds of checks that report a change of state. */
const KINDS = new Set('HTTP HTTP_CUSTOM HTTPS SMTP POP3 IMAP PING DNS UDP PORT_TCP TRANSACTION'.split(' '))

export const pingdom = integration({
  name: 'pingdom',
  title: 'Pingdom',
  category: 'Monitoring',
  summary: 'Outages of checks',
  logo: { letter: 'P', color: '#ffcc00' },
  steps: [
    'In Pingdom, open **Integrations**, and add one of the type **Webhook** with the URL.',
    'Choose the integration in the settings of your checks.',
  ],
  sample: {
    payload: {
      check_name: 'Website',
      check_type: 'HTTP',
      check_params: { hostname: 'www.example.com' },
      previous_state: 'UP',
      current_state: 'DOWN',
      long_description: 'Connection refused',
    },
  },
  handle: on(
    z.object({
      check_name: z.string(),
      check_type: z.string(),
      check_params: z.object({ hostname: text }).nullish(),
      previous_state: z.string(),
      current_state: z.string(),
      long_description: text,
    }),
    (check) => {
      if (!KINDS.has(check.check_type)) return unknownEvent(check.check_type)
      const isUp = check.current_state === 'UP'
      return {
        event: check.check_type,
        topic: `${check.check_name} status.`,
        content: paragraphs(
          sentence(
            md`${isUp ? '✅' : '🚨'} The service ${check.check_params?.hostname ?? check.check_name} changed from ${check.previous_state} to ${check.current_state}`,
          ),
          !isUp && quote(check.long_description),
        ),
      }
    },
  ),
})
