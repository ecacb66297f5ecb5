import { z } from 'zod'
import { eventIn, integration, on } from '../integration.ts'
import { bullets, fact, link, type MarkdownValue, md, paragraphs, sentence } from '../markdown.ts'

const text = z.string().nullish()
const number = z.number().nullish()
const item = z.object({
  id: number,
  counter: number,
  title: text,
  environment: text,
  framework: text,
  level: z.union([z.string(), z.number()]).nullish(),
  total_occurrences: number,
  last_occurrence: z.object({ uuid: text }).nullish(),
  project: z.object({ name: text }).nullish(),
})
const payload = z.object({
  data: z.object({
    item: item.nullish(),
    url: text,
    occurrence: z.object({ uuid: text }).nullish(),
    trigger: z.object({ threshold: number, window_size_description: text }).nullish(),
    occurrences: number,
    user: z.object({ username: text }).nullish(),
    deploy: z
      .object({ environment: text, revision: text, local_username: text, comment: text, project_id: number })
      .nullish(),
    message: text,
  }),
})
type Data = z.output<typeof payload>['data']

/** Addresses of items are made of the occurrence or the item, if the event has none. */
function addressOf({ url, occurrence, item: given }: Data): string | null {
  if (url) return url
  const uuid = occurrence?.uuid ?? given?.last_occurrence?.uuid
  if (uuid) return `https://rollbar.com/item/uuid/?uuid=${encodeURIComponent(uuid.toWellFormed())}`
  return given?.id == null ? null : `https://rollbar.com/item/${given.id}/`
}

const LEVELS: Readonly<Record<number, string>> = { 10: 'debug', 20: 'info', 30: 'warning', 40: 'error', 50: 'critical' }
const levelOf = (level: string | number | null | undefined) => (typeof level === 'number' ? LEVELS[level] : level)

const about = (describe: (it: MarkdownValue, data: Data) => MarkdownValue) =>
  on(payload, ({ data }) => {
    const { item: given } = data
    const name = given?.counter == null ? (given?.title ?? 'An item') : `#${given.counter} ${given.title ?? ''}`.trim()
    return {
      topic: 'Rollbar',
      content: paragraphs(
        md`${describe(link(name, addressOf(data)), data)}`,
        bullets([
          fact('Project', given?.project?.name),
          fact('Environment', given?.environment),
          fact('Level', levelOf(given?.level)),
          fact('Occurrences', given?.total_occurrences),
        ]),
      ),
    }
  })

export const rollbar = integration({
  name: 'rollbar',
  title: 'Rollbar',
  category: 'Monitoring',
  summary: 'Errors and deployments',
  logo: { letter: 'R', color: '#3569f3' },
  steps: [
    'In your project on Rollbar, open **Settings**, then **Notifications**, and choose **Webhook**.',
    'Paste the URL, and click **Enable Webhook Integration**.',
    'Choose the rules for which it is called, and click **Send Test Notification**.',
  ],
  sample: {
    payload: {
      event_name: 'new_item',
      data: {
        item: {
          counter: 42,
          title: 'The map did not load within 10 seconds',
          environment: 'production',
          level: 40,
          project: { name: 'atlas' },
          last_occurrence: { language: 'javascript' },
        },
        url: 'https://rollbar.com/example/atlas/items/42',
      },
    },
  },
  eventOf: eventIn('event_name'),
  events: {
    test: on(payload, ({ data }) => ({
      topic: 'Rollbar',
      content: md`${sentence(data.message ?? 'The webhook of Rollbar works')}`,
    })),
    new_item: about((it) => md`A new item: ${it}`),
    occurrence: about((it) => md`${it} occurred.`),
    exp_repeat_item: about(
      (it, { occurrences }) => md`${it} occurred${occurrences != null && md` for the ${occurrences}th time`}.`,
    ),
    item_velocity: about(
      (it, { trigger }) =>
        md`${it} occurs often${trigger?.threshold != null && md`: ${trigger.threshold} times in ${trigger.window_size_description ?? 'a short time'}`}.`,
    ),
    reactivated_item: about((it) => md`${it} occurred again after it was resolved.`),
    reopened_item: about((it, { user }) => md`${user?.username ?? 'Someone'} reopened ${it}.`),
    resolved_item: about((it, { user }) => md`${user?.username ?? 'Someone'} resolved ${it}.`),
    deploy: on(payload, ({ data: { deploy } }) => ({
      topic: 'Rollbar',
      content: paragraphs(
        md`${deploy?.local_username ?? 'Someone'} deployed ${deploy?.revision ?? 'a revision'}${deploy?.environment && md` to ${deploy.environment}`}.`,
        deploy?.comment,
      ),
    })),
  },
})
