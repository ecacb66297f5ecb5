import { z } from 'zod'
import { integration, on } from '../integration.ts'
import {
  bold,
  bullets,
  code,
  fact,
  join,
  lines,
  link,
  type MarkdownValue,
  md,
  paragraphs,
  time,
  valueText,
} from '../markdown.ts'

const text = z.string().nullish()
const texts = z.array(z.string())
const stamp = z.union([z.number(), z.string()])

const issue = z.object({
  issueUrl: z.string(),
  title: z.string(),
  priority: z.string(),
  totalIncidents: z.number(),
  state: z.string(),
  createdAt: stamp,
  updatedAt: stamp,
  alertPolicyNames: texts,
  alertConditionNames: texts,
})

const whole = z.object({
  ...Object.fromEntries(Object.keys(issue.shape).map((name) => [name, z.unknown().optional()])),
  owner: text,
  zulipCustomFields: z.record(z.string(), z.unknown()).nullish(),
})

const icons: Readonly<Record<string, string>> = { CREATED: '🚨', ACTIVATED: '🚨', CLOSED: '✅' }

const spaced = (values: readonly string[]): MarkdownValue =>
  join(
    values.map((value) => code(value)),
    ', ',
  )

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

/** Returns the value of a field that the user has added; only plain values and lists of them can be shown. */
function customValue(value: unknown): string | null {
  const values = Array.isArray(value) ? (value as unknown[]) : [value]
  if (values.some((one) => typeof one === 'object' && one !== null)) return null
  return values.map((one) => (one === null ? 'none' : valueText(one))).join(', ')
}

export const newrelic = integration({
  name: 'newrelic',
  title: 'New Relic',
  category: 'Monitoring',
  summary: 'Incidents',
  logo: { letter: 'N', color: '#1ce783' },
  steps: [
    'In New Relic, open **Alerts**, then **Destinations**, and add a **Webhook** with the URL.',
    'Add the destination to a workflow, and keep the default payload.',
    'Fields that you add to the payload under `zulipCustomFields` appear in the messages.',
  ],
  sample: {
    payload: {
      issueUrl: 'https://radar-api.service.newrelic.com/accounts/1/issues/42',
      title: 'Memory used is above 90 %',
      priority: 'CRITICAL',
      totalIncidents: 1,
      state: 'ACTIVATED',
      createdAt: 1772442000000,
      updatedAt: 1772442000000,
      alertPolicyNames: ['Servers'],
      alertConditionNames: ['Memory'],
    },
  },
  handle: on(whole, (payload) => {
    const missing = Object.keys(issue.shape).filter((name) => (payload as Record<string, unknown>)[name] === undefined)
    if (missing.length > 0)
      return {
        topic: 'New Relic incident alerts',
        content: lines(
          md`⚠️ ${bold('Warning')}: the payload of an alert lacks fields that a message needs. Change it in ${link('New Relic', 'https://one.newrelic.com/alerts-ai')}.`,
          fact('Missing fields', spaced(missing)),
        ),
      }
    const given = issue.safeParse(payload)
    const known = given.success ? given.data : null
    if (known === null)
      return { topic: 'New Relic incident alerts', content: md`⚠️ A field of an alert has an unexpected form.` }
    const owner = payload.owner && payload.owner !== 'N/A' ? payload.owner : null
    return {
      event: known.state.toLowerCase(),
      topic: known.title,
      content: paragraphs(
        md`${icons[known.state] ?? '⚠️'} ${link(known.title, known.issueUrl)}`,
        bullets([
          fact('Priority', known.priority.toLowerCase()),
          fact('State', known.state.toLowerCase()),
          fact('Updated at', time(known.updatedAt)),
          fact('Acknowledged by', owner),
          fact('Alert policies', spaced(known.alertPolicyNames)),
          fact('Conditions', spaced(known.alertConditionNames)),
          fact('Total incidents', known.totalIncidents),
          fact('Incident created at', time(known.createdAt)),
          ...Object.entries(payload.zulipCustomFields ?? {}).map(
            ([name, value]): MarkdownValue =>
              md`${bold(capital(name))}: ${customValue(value) ?? 'a value that cannot be shown'}`,
          ),
        ]),
      ),
    }
  }),
})
