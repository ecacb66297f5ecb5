import { z } from 'zod'
import { integration, on } from '../integration.ts'
import { bold, bullets, lines, link, md, paragraphs, plainText, time, valueText } from '../markdown.ts'

const text = z.string().nullish()
const scalar = z.union([z.string(), z.number(), z.boolean()]).nullish()

const oldAlert = z.object({
  title: text,
  ruleName: text,
  ruleUrl: text,
  state: z.string(),
  message: text,
  imageUrl: text,
  evalMatches: z.array(z.object({ metric: text, value: scalar })).nullish(),
})

const alert = z.object({
  status: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
  startsAt: text,
  endsAt: text,
  generatorURL: text,
  fingerprint: text,
  silenceURL: text,
  dashboardURL: text,
  panelURL: text,
  imageURL: text,
  valueString: text,
  values: z.record(z.string(), z.unknown()).nullish(),
})

const icons: Readonly<Record<string, string>> = { alerting: '🚨', ok: '✅', no_data: '❔', paused: '⏸', pending: '⏳' }

const fields = (record: Readonly<Record<string, unknown>>) =>
  bullets(Object.entries(record).map(([name, value]) => md`${name}: ${valueText(value)}`))

/** Returns the topic: the name or the fingerprint of the alert, or else the labels of its group, which its title has. */
const topicOf = (name: string | null | undefined, title: string | null | undefined) =>
  name ? `[${name}]` : title?.replace(/^\[\w+(?::\d+)?(?:, \w+:\d+)*\] /, '') || 'Grafana'

export const grafana = integration({
  name: 'grafana',
  title: 'Grafana',
  category: 'Monitoring',
  summary: 'Alerts',
  logo: { letter: 'G', color: '#f46800' },
  steps: [
    'In Grafana, open **Alerting**, then **Contact points**, and add a contact point of the kind **Webhook**.',
    'Paste the URL, keep the method **POST**, and click **Test**.',
    'Choose the contact point in a notification policy.',
  ],
  sample: {
    payload: {
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'Disk almost full', instance: 'db-1' },
          annotations: { summary: 'The disk of db-1 is 93 % full.' },
          startsAt: '2026-03-02T09:12:00Z',
          generatorURL: 'https://grafana.example.com/alerting/1/view',
          silenceURL: 'https://grafana.example.com/alerting/silence/new',
        },
      ],
    },
  },
  handle: on(z.union([z.object({ alerts: z.array(alert), title: text }), oldAlert]), (payload) => {
    if (!('alerts' in payload)) {
      const { title, ruleName, ruleUrl, state, message, imageUrl, evalMatches } = payload
      return {
        event: state,
        topic: title || ruleName || 'Grafana',
        content: paragraphs(
          md`${icons[state] ?? '❔'} ${bold(state.toUpperCase())} ${link(ruleName ?? title, ruleUrl)}`,
          plainText(message),
          lines(
            ...(evalMatches ?? []).map(
              ({ metric, value }) => md`${bold(`${(metric ?? '').replace(/:$/, '')}:`)} ${String(value ?? '')}`,
            ),
          ),
          imageUrl && link('Picture', imageUrl),
        ),
      }
    }
    return payload.alerts.map((one) => {
      const name = one.labels['alertname']
      const isFiring = one.status === 'firing'
      const { summary, description, ...annotations } = one.annotations
      const { alertname: _, ...labels } = one.labels
      return {
        event: one.status,
        topic: topicOf(name || one.fingerprint, payload.title),
        content: paragraphs(
          md`${isFiring ? '🚨' : '✅'} ${bold(one.status.toUpperCase())} ${bold(name)} (${isFiring ? md`since ${time(one.startsAt)}` : md`until ${time(one.endsAt)}`})`,
          plainText(summary),
          plainText(description),
          one.values && lines('Values:', fields(one.values)),
          Object.keys(labels).length > 0 && lines('Labels:', fields(labels)),
          Object.keys(annotations).length > 0 && lines('Annotations:', fields(annotations)),
          md`${one.generatorURL && link('Source', one.generatorURL)} ${one.silenceURL && link('Silence', one.silenceURL)} ${one.dashboardURL && link('Dashboard', one.dashboardURL)} ${one.panelURL && link('Panel', one.panelURL)} ${one.imageURL && link('Picture', one.imageURL)}`,
        ),
      }
    })
  }),
})
