import { z } from 'zod'
import { integration, on, unknownEvent, type WebhookMessage } from '../integration.ts'
import { code, md } from '../markdown.ts'

const text = z.string().nullish()

const event = z.object({
  event: z.string(),
  check: z.object({ url: z.string(), alias: text, last_status: z.number().nullish(), error: text }),
  downtime: z.object({ started_at: text, ended_at: text, error: text, duration: z.number().nullish() }).nullish(),
})

/** Returns seconds as a text, such as `4 minutes 25 seconds`. */
function duration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [Math.floor(seconds) % 60, 'second'],
  ] as const
  const shown = parts
    .filter(([number]) => number > 0)
    .map(([number, unit]) => `${number} ${unit}${number === 1 ? '' : 's'}`)
  return shown.join(' ') || '0 seconds'
}

function describe({ event: name, check, downtime }: z.output<typeof event>): WebhookMessage {
  const topic = check.alias || check.url
  const error = downtime?.error ?? check.error
  switch (name) {
    case 'check.down':
      return { event: 'down', topic, content: md`🚨 The service is ${code('down')}${error && md` (${error})`}.` }
    case 'check.up': {
      const seconds = downtime?.duration
      return {
        event: 'up',
        topic,
        content: md`✅ The service is ${code('up')}${typeof seconds === 'number' && md` again after ${duration(seconds)}`}.`,
      }
    }
    default:
      return unknownEvent(name)
  }
}

export const updown = integration({
  name: 'updown',
  title: 'updown.io',
  category: 'Monitoring',
  logo: { letter: 'U', color: '#d9534f' },
  steps: ['In updown.io, open **Settings**, and add a webhook with the URL.'],
  handle: on(z.array(event), (events) => events.map(describe)),
})
