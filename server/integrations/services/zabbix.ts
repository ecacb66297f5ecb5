import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { lines, link, md } from '../markdown.ts'

/** The parameters of the media type. */
const alert = z.object({
  hostname: z.string(),
  severity: z.string(),
  status: z.string(),
  item: z.string(),
  trigger: z.string(),
  link: z.string(),
})

export const zabbix = integration({
  name: 'zabbix',
  title: 'Zabbix',
  category: 'Monitoring',
  summary: 'Problems of hosts',
  logo: { letter: 'Z', color: '#d40000' },
  steps: [
    'In Zabbix, open **Alerts**, then **Media types**, and click **Create media type**. Choose the type **Webhook**.',
    `Add these parameters:

\`\`\`
hostname  {HOST.NAME}
severity  {TRIGGER.SEVERITY}
status    {TRIGGER.STATUS}
item      {ITEM.NAME1} is {ITEM.VALUE1}
trigger   {TRIGGER.NAME}
link      {$ZABBIX_URL}/tr_events.php?triggerid={TRIGGER.ID}&eventid={EVENT.ID}
\`\`\``,
    `Enter this script, with the URL:

\`\`\`javascript
var request = new HttpRequest()
request.addHeader('Content-Type: application/json')
request.post('URL', value)
return 'OK'
\`\`\``,
    'Add the media type to a user, and use it in a trigger action.',
  ],
  sample: {
    payload: {
      hostname: 'db-1',
      severity: 'High',
      status: 'PROBLEM',
      item: 'Disk used is 93 %',
      trigger: 'Disk almost full',
      link: 'https://zabbix.example.com/tr_events.php?triggerid=1&eventid=42',
    },
  },
  handle: on(alert, ({ hostname, severity, status, item, trigger, link: url }) => ({
    event: status,
    topic: hostname,
    content: lines(md`${status} (${severity}): ${link(trigger, url)}`, item !== '' && md`Measured: ${item}`),
  })),
})
