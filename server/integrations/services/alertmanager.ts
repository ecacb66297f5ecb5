import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, bullets, link, md, paragraphs } from '../markdown.ts'

const texts = z.record(z.string(), z.string()).default({})

const alert = z.object({
  status: z.string(),
  labels: texts,
  annotations: texts,
  generatorURL: z.string().default(''),
})
type Alert = z.output<typeof alert>

/** Returns a label or annotation. The URL names it, so it may have the name of a property that all objects have. */
const fieldOf = ({ labels, annotations }: Alert, name: string): string | undefined =>
  [labels, annotations].find((fields) => Object.hasOwn(fields, name))?.[name]

/** The graph of an alert rather than its table. */
const graphOf = ({ generatorURL }: Alert) => generatorURL.replaceAll('tab=1', 'tab=0')

export const alertmanager = integration({
  name: 'alertmanager',
  title: 'Alertmanager',
  category: 'Monitoring',
  summary: 'Alerts of Prometheus, grouped',
  logo: { letter: 'A', color: '#e6522c' },
  steps: [
    `In the configuration of Alertmanager, add a receiver with the URL, and route alerts to it:

\`\`\`yaml
receivers:
  - name: parley
    webhook_configs:
      - url: 'URL'
route:
  receiver: parley
\`\`\``,
    'Choose with `name` and `desc` in the URL which labels or annotations become the topic and the text.',
    'Reload Alertmanager.',
  ],
  sample: {
    payload: {
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'Disk almost full', instance: 'db-1' },
          annotations: {},
          generatorURL: 'https://prometheus.example.com/graph?g0.expr=disk',
        },
      ],
    },
  },
  options: [
    { name: 'name', label: 'The label or annotation that becomes the topic, `instance` by default.' },
    { name: 'desc', label: 'The label or annotation that describes an alert, `alertname` by default.' },
  ],
  handle: on(z.object({ alerts: z.array(alert) }), ({ alerts }, request) => {
    const [name, description] = [request.param('name') ?? 'instance', request.param('desc') ?? 'alertname']
    const byTopic = Map.groupBy(alerts, (one) => fieldOf(one, name) ?? '(unknown)')
    return [...byTopic].flatMap(([topic, ofTopic]) => {
      const byStatus = Map.groupBy(ofTopic, ({ status }) => (status === 'firing' ? 'firing' : 'resolved'))
      return (['firing', 'resolved'] as const).flatMap((status) => {
        const items = (byStatus.get(status) ?? []).map(
          (one) => md`${fieldOf(one, description) ?? '(unnamed)'} (${link('graph', graphOf(one))})`,
        )
        if (items.length === 0) return []
        const heading = status === 'firing' ? md`🚨 ${bold('FIRING')}` : md`✅ ${bold('Resolved')}`
        const content = items.length > 1 ? paragraphs(heading, bullets(items)) : md`${heading} ${items}`
        return { event: status, topic, content }
      })
    })
  }),
})
