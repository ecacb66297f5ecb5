import { z } from 'zod'
import { integration, on, parse, unknownEvent, type WebhookMessage } from '../integration.ts'
import { code, count, type Markdown, md, time } from '../markdown.ts'

const text = z.string().nullish()

const event = z.object({
  event: z.string(),
  check: z.object({
    url: z.string(),
    alias: text,
    error: text,
    uptime: z.number().nullish(),
    apdex: z.number().nullish(),
  }),
  downtime: z.object({ error: text, started_at: text, duration: z.number().nullish() }).nullish(),
  ssl: z
    .object({ new_cert: z.unknown().optional(), days_before_expiration: z.number().nullish(), error: text })
    .nullish(),
  apdex_dropped: text,
})
type UpdownEvent = z.output<typeof event>

/** Returns a duration in its two largest units, such as `4 minutes and 25 seconds`. */
function durationOf(seconds: number): string {
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor((seconds % 86_400) / 3600), 'hour'],
    [Math.floor((seconds % 3600) / 60), 'minute'],
    [Math.floor(seconds % 60), 'second'],
  ]
  const shown = units.filter(([number]) => number > 0).slice(0, 2)
  return shown.length === 0 ? 'less than a second' : shown.map(([number, unit]) => count(number, unit)).join(' and ')
}

const EVENTS = new Map<string, (given: UpdownEvent) => Markdown>(
  Object.entries({
    'check.down': ({ check, downtime }) => {
      const error = downtime?.error ?? check.error
      return md`The service is ${code('down')}${downtime?.started_at && md` since ${time(downtime.started_at)}`}${error && md`: ${error}`}.`
    },
    'check.up': ({ downtime }) =>
      typeof downtime?.duration === 'number'
        ? md`The service is ${code('up')} again. It was down for ${durationOf(downtime.duration)}.`
        : md`The service is ${code('up')}.`,
    'check.still_down': ({ downtime }) =>
      md`The service is still ${code('down')}${downtime?.started_at && md` since ${time(downtime.started_at)}`}.`,
    'check.ssl_invalid': ({ ssl }) => md`The certificate is not valid${ssl?.error && md`: ${ssl.error}`}.`,
    'check.ssl_valid': () => md`The certificate is valid again.`,
    'check.ssl_expiration': ({ ssl }) =>
      md`The certificate expires in ${count(ssl?.days_before_expiration ?? 0, 'day')}.`,
    'check.ssl_renewed': () => md`The certificate was renewed.`,
    'check.performance_drop': ({ apdex_dropped: dropped }) =>
      md`The performance dropped${dropped && md` by ${dropped}`}.`,
  }),
)

export const updown = integration({
  name: 'updown',
  title: 'updown.io',
  category: 'Monitoring',
  summary: 'Outages of websites',
  logo: { letter: 'U', color: '#3a7bd5' },
  steps: [
    'On updown.io, open **Settings**, and add a recipient of the type **Webhook**.',
    'Paste the URL, and click **Create**.',
  ],
  sample: {
    payload: [
      {
        event: 'check.down',
        check: { url: 'https://www.example.com', error: 'Connection refused' },
        downtime: { error: 'Connection refused', started_at: '2026-03-02T09:12:00Z' },
      },
    ],
  },
  handle: on(z.array(z.unknown()).max(100), (events): WebhookMessage[] =>
    events.map((one) => {
      const given = parse(event, one)
      const describe = EVENTS.has(given.event) ? EVENTS.get(given.event) : undefined
      const content = describe ? describe(given) : unknownEvent(given.event)
      return { event: given.event.replace('check.', ''), topic: given.check.alias || given.check.url, content }
    }),
  ),
})
