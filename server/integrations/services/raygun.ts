import { z } from 'zod'
import { integration, on, unknownEvent } from '../integration.ts'
import {
  bold,
  bullets,
  enumerate,
  fact,
  lines,
  link,
  type MarkdownValue,
  md,
  paragraphs,
  quote,
  time,
  valueText,
} from '../markdown.ts'

const text = z.string().nullish()

const error = z.object({
  url: text,
  message: text,
  user: text,
  comment: text,
  status: text,
  assignedTo: text,
  activityDate: text,
  firstOccurredOn: text,
  lastOccurredOn: text,
  usersAffected: z.number().nullish(),
  totalOccurrences: z.number().nullish(),
  instance: z
    .object({
      tags: z.array(z.string()).nullish(),
      affectedUser: z.object({ Identifier: text, UUID: text }).nullish(),
      customData: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
})

const payload = z.object({
  event: z.string(),
  eventType: z.string(),
  error,
  application: z.object({ name: text, url: text }),
})
type Payload = z.output<typeof payload>

const appFact = ({ application }: Payload) => fact('Application details', link(application.name, application.url))

const notification = on(payload, (given) => {
  const { eventType, error: found } = given
  const it = link('error', found.url)
  const followUp = /^(\w+?)MinuteFollowUp$/.exec(eventType)?.[1]
  const first =
    eventType === 'NewErrorOccurred'
      ? md`🚨 A new ${it} occurred.`
      : eventType === 'ErrorReoccurred'
        ? md`🚨 An ${it} occurred again.`
        : followUp
          ? md`⏳ ${followUp} minute after: this ${it} is still there.`
          : eventType === 'HourlyFollowUp' || eventType === 'OneHourFollowUp'
            ? md`⏳ An hour after: this ${it} is still there.`
            : unknownEvent(eventType)
  const { tags, affectedUser, customData } = found.instance ?? {}
  const numbers = md`${found.usersAffected ?? 0} users affected, ${found.totalOccurrences ?? 0} occurrences in total`
  return {
    topic: 'test',
    content: paragraphs(
      first,
      quote(found.message),
      bullets([
        fact('First occurred', time(found.firstOccurredOn)),
        fact('Last occurred', time(found.lastOccurredOn)),
        numbers,
        tags && tags.length > 0 && fact('Tags', enumerate(tags)),
        affectedUser && fact('Affected user', md`${affectedUser.Identifier ?? affectedUser.UUID ?? 'unknown'}`),
        ...Object.entries(customData ?? {}).map(([name, value]): MarkdownValue => fact(name, valueText(value))),
        appFact(given),
      ]),
    ),
  }
})

const activity = on(payload, (given) => {
  const { eventType, error: found } = given
  const it = link(found.message || 'an error', found.url)
  const who = found.user ?? 'Someone'
  const what = {
    StatusChanged: md`${who} changed the status of ${it} to ${bold(found.status)}:`,
    CommentAdded: md`${who} commented on ${it}:`,
    AssignedToUser: md`${who} assigned ${it} to ${found.assignedTo ?? 'someone'}:`,
  }[eventType]
  return {
    topic: 'test',
    content: paragraphs(
      what ?? unknownEvent(eventType),
      eventType === 'CommentAdded' && quote(found.comment),
      lines(md`* ${fact('Timestamp', time(found.activityDate))}`, md`* ${appFact(given)}`),
    ),
  }
})

export const raygun = integration({
  name: 'raygun',
  title: 'Raygun',
  category: 'Monitoring',
  summary: 'Errors and comments',
  logo: { letter: 'R', color: '#e1301f' },
  steps: ['In your application on Raygun, open **Integrations**, then **Webhook**, and paste the URL.'],
  sample: {
    payload: {
      event: 'error_notification',
      eventType: 'NewErrorOccurred',
      error: {
        url: 'https://app.raygun.com/crashreporting/1/errors/42',
        message: 'The map did not load within 10 seconds',
        firstOccurredOn: '2026-03-02T09:12:00Z',
        lastOccurredOn: '2026-03-02T09:12:00Z',
        usersAffected: 1,
        totalOccurrences: 1,
      },
      application: { name: 'atlas', url: 'https://app.raygun.com/dashboard/1' },
    },
  },
  eventOf: (given) => z.object({ event: z.string() }).safeParse(given).data?.event ?? unknownEvent('unknown'),
  events: { error_notification: notification, error_activity: activity },
})
