import { z } from 'zod'
import { badPayload, integration, on, parse } from '../integration.ts'
import { bold, bullets, code, link, md, paragraphs, time } from '../markdown.ts'

const text = z.string().nullish()
const alert = z.object({
  alert: z.object({ id: z.number().nullish(), name: text, runbook_url: text }),
  trigger_time: z.number().nullish(),
  clear: text,
  conditions: z
    .array(
      z.object({
        id: z.number().nullish(),
        type: text,
        threshold: z.number().nullish(),
        duration: z.number().nullish(),
      }),
    )
    .nullish(),
  violations: z
    .record(
      z.string(),
      z.array(
        z.object({
          metric: text,
          value: z.number().nullish(),
          recorded_at: z.number().nullish(),
          condition_violated: z.number().nullish(),
        }),
      ),
    )
    .nullish(),
})
const snapshots = z.object({
  attachments: z.array(z.object({ title: text, title_link: text, image_url: text, text, author_name: text })).min(1),
})

const ALERTS = 'https://metrics.librato.com/alerts#'

/** The maximum number of violations that a message lists. */
const MAX_VIOLATIONS = 20

const describeAlert = on(alert, ({ alert: given, trigger_time, clear, conditions, violations }) => {
  const name = given.name ?? 'without a name'
  const topic = `Alert ${name}`
  const it = link(`Alert ${name}`, given.id == null ? ALERTS : `${ALERTS}/${given.id}`)
  const runbook = given.runbook_url && link('Runbook', given.runbook_url)
  if (clear != null)
    return {
      topic,
      content: paragraphs(md`${it} was cleared${trigger_time != null && md` at ${time(trigger_time)}`}.`, runbook),
    }
  const sources = Object.entries(violations ?? {}).slice(0, MAX_VIOLATIONS)
  const listed = sources.flatMap(([source, list]) =>
    list.slice(0, MAX_VIOLATIONS).map(({ metric, value, recorded_at, condition_violated }) => {
      const condition = conditions?.find(({ id }) => id === condition_violated)
      return md`${code(metric ?? 'metric')} of ${source}: ${value ?? 'no value'}${condition?.threshold != null && md` (${condition.type ?? 'limit'} ${condition.threshold}${condition.duration != null && md` for ${condition.duration} s`})`}${recorded_at != null && md`, recorded at ${time(recorded_at)}`}`
    }),
  )
  return {
    topic,
    content: paragraphs(
      md`${it} was triggered${trigger_time != null && md` at ${time(trigger_time)}`}.`,
      bullets(listed.slice(0, MAX_VIOLATIONS)),
      runbook,
    ),
  }
})

const describeSnapshots = on(snapshots, ({ attachments }) => ({
  topic: 'Snapshots',
  content: bullets(
    attachments.slice(0, 20).map(({ title, title_link, image_url, text: words, author_name }) => {
      const picture = link('picture', image_url)
      return md`${bold(author_name ?? 'Someone')} shared ${link(title || 'a chart', title_link)} (${picture})${words && md`: ${words}`}`
    }),
  ),
}))

export const librato = integration({
  name: 'librato',
  title: 'Librato',
  category: 'Monitoring',
  summary: 'Alerts and snapshots',
  logo: { letter: 'L', color: '#2b6cb0' },
  steps: [
    'In Librato, open **Integrations**, and choose **Webhook** for alerts, or **Slack** for snapshots.',
    'Paste the URL, and save it. Then choose the integration in your alerts.',
  ],
  sample: {
    payload: {
      alert: { id: 42, name: 'disk.full', runbook_url: '' },
      trigger_time: 1772442000,
      conditions: [{ id: 1, type: 'above', threshold: 90 }],
      violations: { 'db-1': [{ condition_violated: 1, metric: 'disk.used', value: 93, recorded_at: 1772442000 }] },
    },
  },
  handle(payload, request) {
    const given = parse(z.object({ alert: z.unknown().optional(), attachments: z.unknown().optional() }), payload)
    if (given.alert != null) return describeAlert(payload, request)
    return given.attachments == null ? badPayload() : describeSnapshots(payload, request)
  },
})
