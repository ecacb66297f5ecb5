import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { lines, link, md } from '../markdown.ts'

const text = z.string().nullish()

export const zabbix = integration({
  name: 'zabbix',
  title: 'Zabbix',
  category: 'Monitoring',
  logo: { letter: 'Z', color: '#d40000' },
  steps: [
    'In Zabbix, create a media type of the kind **Webhook** that posts JSON with `hostname`, `severity`, `status`, `item`, `trigger` and `link` to the URL.',
    'Add the media type to a user, and send messages to that user in an action.',
  ],
  handle: on(
    z.object({ hostname: z.string(), severity: text, status: text, item: text, trigger: text, link: text }),
    (given) => ({
      event: given.status?.toLowerCase() ?? '',
      topic: given.hostname,
      content: lines(
        md`${given.status === 'OK' || given.status === 'RESOLVED' ? '✅' : '🚨'} ${given.status} (${given.severity}) on ${link(given.hostname, given.link)}:`,
        given.trigger && md`* ${given.trigger}`,
        given.item && md`* ${given.item}`,
      ),
    }),
  ),
})
