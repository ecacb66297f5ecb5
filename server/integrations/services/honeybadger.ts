import { z } from 'zod'
import { eventIn, integration, on } from '../integration.ts'
import { bullets, code, count, fact, link, type MarkdownValue, md, paragraphs, quote, time } from '../markdown.ts'

const text = z.string().nullish()
const person = z.object({ name: text, email: text }).nullish()
const payload = z.object({
  message: text,
  project: z.object({ name: z.string() }).nullish(),
  fault: z
    .object({
      klass: text,
      message: text,
      environment: text,
      component: text,
      action: text,
      url: text,
      notices_count: z.number().nullish(),
      tags: z.array(z.string()).nullish(),
    })
    .nullish(),
  actor: person,
  assignee: person,
  author: person,
  comment: z.object({ body: text, author: text }).nullish(),
  deploy: z.object({ environment: text, revision: text, repository: text, local_username: text, url: text }).nullish(),
  site: z.object({ name: text, url: text }).nullish(),
  outage: z.object({ down_at: text, up_at: text, status: z.number().nullish(), reason: text }).nullish(),
  check_in: z.object({ name: text, url: text, reported_at: text }).nullish(),
  trigger: z.object({ name: text }).nullish(),
})
type Payload = z.output<typeof payload>

const handler = (describe: (payload: Payload) => MarkdownValue) =>
  on(payload, (given) => ({
    topic: given.project?.name ?? given.site?.name ?? 'Honeybadger',
    content: md`${describe(given)}`,
  }))

const nameOf = (person: Payload['actor']) => person?.name ?? person?.email ?? 'Someone'
const faultLink = ({ fault }: Payload) => link(fault?.klass ?? 'An error', fault?.url)

const aboutFault = (words: string) =>
  handler((given) => {
    const { fault } = given
    const place = [fault?.component, fault?.action].filter(Boolean).join('#')
    return paragraphs(
      md`${faultLink(given)} ${words}: ${fault?.message ?? given.message ?? 'no message'}`,
      bullets([
        fact('Environment', fault?.environment),
        fact('Place', place && code(place)),
        fact('Occurrences', fault?.notices_count != null && count(fault.notices_count, 'time')),
      ]),
    )
  })

const byActor = (words: string) => handler((given) => md`${nameOf(given.actor)} ${words} ${faultLink(given)}.`)

const plain = handler(({ message }) => message ?? 'Something happened.')

export const honeybadger = integration({
  name: 'honeybadger',
  title: 'Honeybadger',
  category: 'Monitoring',
  summary: 'Errors, outages, check-ins',
  logo: { letter: 'H', color: '#ea5937' },
  steps: [
    'In your project on Honeybadger, open **Settings**, then **Alerts & Integrations**, and choose **WebHook**.',
    'Paste the URL, choose the events to send, and save it.',
  ],
  sample: {
    payload: {
      event: 'occurred',
      message: 'The map did not load',
      project: { name: 'atlas' },
      fault: {
        klass: 'TimeoutError',
        message: 'The map did not load within 10 seconds',
        environment: 'production',
        url: 'https://app.honeybadger.io/projects/1/faults/42',
      },
    },
  },
  eventOf: eventIn('event'),
  events: {
    occurred: aboutFault('occurred'),
    rate_exceeded: aboutFault('occurs often'),
    resolved: byActor('resolved'),
    unresolved: byActor('reopened'),
    reopened: aboutFault('occurred again after it was resolved'),
    assigned: handler((given) => md`${nameOf(given.actor)} assigned ${faultLink(given)} to ${nameOf(given.assignee)}.`),
    unassigned: byActor('took away the assignment of'),
    commented: handler((given) =>
      paragraphs(
        md`${given.comment?.author ?? nameOf(given.author ?? given.actor)} commented on ${faultLink(given)}:`,
        quote(given.comment?.body ?? given.message),
      ),
    ),
    deployed: handler(
      ({ deploy }) =>
        md`${deploy?.local_username ?? 'Someone'} deployed ${link(deploy?.revision ?? 'a revision', deploy?.url)}${deploy?.environment && md` to ${deploy.environment}`}.`,
    ),
    down: handler(
      ({ site, outage }) =>
        md`${link(site?.name ?? 'The site', site?.url)} is down${outage?.status != null && md` (status ${outage.status})`}${outage?.reason && md`: ${outage.reason}`}.`,
    ),
    up: handler(
      ({ site, outage }) =>
        md`${link(site?.name ?? 'The site', site?.url)} is up again${outage?.down_at && md`. It was down since ${time(outage.down_at)}`}.`,
    ),
    check_in_missing: handler(
      ({ check_in }) => md`The check-in ${link(check_in?.name ?? 'of a job', check_in?.url)} is missing.`,
    ),
    check_in_reporting: handler(
      ({ check_in }) => md`The check-in ${link(check_in?.name ?? 'of a job', check_in?.url)} reports again.`,
    ),
    event_alarm_triggered: plain,
    event_alarm_recovered: plain,
    certificate_will_expire: plain,
  },
})
