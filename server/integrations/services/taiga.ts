import { z } from 'zod'
import { integration, on, parse, unknownEvent } from '../integration.ts'
import { bold, lines, link, type Markdown, md, paragraphs, quoteMarkdown } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const user = z.object({ full_name: text, username: text, permalink: text }).nullish()
const object = z.object({ subject: text, name: text, slug: text, permalink: text })
type TaigaObject = z.output<typeof object>

const delivery = z.object({
  action: z.string(),
  type: z.string(),
  by: user,
  data: object.extend({
    milestone: z.object({ name: text }).nullish(),
    epic: object.nullish(),
    user_story: object.nullish(),
  }),
  change: z
    .object({
      comment: text,
      delete_comment_date: text,
      edit_comment_date: text,
      diff: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
})
type TaigaDelivery = z.output<typeof delivery>

const NOUNS = new Map<string, string>(
  Object.entries({
    epic: 'epic',
    userstory: 'user story',
    task: 'task',
    issue: 'issue',
    milestone: 'sprint',
    wikipage: 'wiki page',
  }),
)

const nameOf = ({ subject, name, slug }: TaigaObject) => subject ?? name ?? slug ?? 'without a name'

const refer = (given: TaigaObject): Markdown =>
  given.permalink ? link(nameOf(given), given.permalink) : bold(nameOf(given))

const by = ({ by }: TaigaDelivery) => link(by?.full_name || by?.username || 'Someone', by?.permalink)

const asText = (value: unknown): string => {
  if (typeof value === 'string') return value === 'None' ? '' : value
  return typeof value === 'number' || value === true ? String(value) : ''
}

/** The old and the new value of a field; '' for none. */
function values(change: unknown): { from: string; to: string } {
  const { from, to } =
    z.object({ from: z.unknown().optional(), to: z.unknown().optional() }).safeParse(change).data ?? {}
  return { from: asText(from), to: asText(to) }
}

/** Fields whose values are named in the message. */
const LABELS = new Map<string, string>(
  Object.entries({
    status: 'status',
    priority: 'priority',
    severity: 'severity',
    type: 'type',
    estimated_start: 'start date',
    estimated_finish: 'end date',
  }),
)

/** Describes the change of a field; null for fields that nobody looks at. */
function describeChange(field: string, change: unknown, it: Markdown, noun: string): Markdown | null {
  const { from, to } = values(change)
  if (LABELS.has(field)) {
    const label = LABELS.get(field)
    if (from === to) return null
    if (to === '') return md`removed the ${label} ${from} of the ${noun} ${it}`
    return md`set the ${label} of the ${noun} ${it} to ${to}${from && md` (was ${from})`}`
  }
  switch (field) {
    case 'assigned_to':
      if (to === '') return md`removed ${from || 'the assignee'} from the ${noun} ${it}`
      return md`assigned the ${noun} ${it} to ${to}${from && md`, who takes over from ${from}`}`
    case 'milestone':
      if (to === '') return md`removed the ${noun} ${it} from the sprint ${from}`
      return md`planned the ${noun} ${it} for the sprint ${to}${from && md` (was ${from})`}`
    case 'user_story':
      return md`moved the ${noun} ${it}${from && md` from the user story ${from}`}${to && md` to the user story ${to}`}`
    case 'due_date':
      if (to === '') return md`removed the due date of the ${noun} ${it}`
      return md`set the due date of the ${noun} ${it} to ${to}${from && md` (was ${from})`}`
    case 'is_blocked':
      return md`${to === 'true' ? 'marked' : 'unmarked'} the ${noun} ${it} as blocked`
    case 'is_closed':
      return md`${to === 'true' ? 'closed' : 'reopened'} the ${noun} ${it}`
    case 'subject':
    case 'name':
      return md`gave the ${noun} ${noun === 'epic' ? bold(from) : from} a new name: ${bold(to)}`
    case 'points':
      return md`estimated the ${noun} ${it} anew`
    case 'description_diff':
      return md`rewrote the description of the ${noun} ${it}`
    case 'content_diff':
      return md`rewrote the ${noun} ${it}`
    default:
      return null
  }
}

const handler = on(delivery, (payload) => {
  const { action, type, data, change } = payload
  const topic = data.milestone?.name || 'General'
  const noun = NOUNS.get(type) ?? unknownEvent(type)
  const it = refer(data)
  const who = by(payload)
  switch (action) {
    case 'create':
      return { topic, content: md`${who} created the ${noun} ${it}.` }
    case 'delete':
      return { topic, content: md`${who} deleted the ${noun} ${it}.` }
    case 'change': {
      const changes = Object.entries(change?.diff ?? {})
        .map(([field, value]) => describeChange(field, value, it, noun))
        .filter((one) => one !== null)
      const comment = change?.comment
      if (changes.length === 0 && !comment) return null
      const verb = change?.delete_comment_date
        ? 'deleted a comment'
        : change?.edit_comment_date
          ? 'edited a comment'
          : 'commented'
      return {
        topic,
        content: paragraphs(
          lines(...changes.map((one) => md`${who} ${one}.`)),
          comment && md`${who} ${verb} on the ${noun} ${it}:`,
          quoteMarkdown(comment),
        ),
      }
    }
    default:
      return unknownEvent(`${type}:${action}`)
  }
})

/** A user story was added to an epic, or removed from it. */
const relatedStory = on(delivery, (payload) => {
  const { action, data } = payload
  const [story, epic] = [refer(data.user_story ?? data), refer(data.epic ?? data)]
  const who = by(payload)
  if (action === 'create')
    return { topic: 'General', content: md`${who} put the user story ${story} into the epic ${epic}.` }
  if (action === 'delete')
    return { topic: 'General', content: md`${who} took the user story ${story} out of the epic ${epic}.` }
  return action === 'change' ? null : unknownEvent(`relateduserstory:${action}`)
})

export const taiga = integration({
  name: 'taiga',
  title: 'Taiga',
  category: 'Project management',
  summary: 'User stories, tasks, issues',
  logo: { letter: 'T', color: '#83eede' },
  steps: [
    'In your project on Taiga, open **Settings**, then **Integrations**, and choose **Webhooks**.',
    'Click **Add a new webhook**, enter a name and a secret key, paste the URL into the field for it, and save.',
    'If you want deliveries to be verified, enter the same secret key as **Secret** under **More options** of the integration.',
  ],
  sample: {
    payload: {
      action: 'create',
      type: 'userstory',
      by: { full_name: 'Ada', username: 'ada', permalink: 'https://tree.taiga.io/profile/ada' },
      data: { subject: 'Draw maps without gaps', permalink: 'https://tree.taiga.io/project/example-atlas/us/42' },
    },
  },
  verify: hmacSignature({ header: 'X-TAIGA-WEBHOOK-SIGNATURE', algorithm: 'sha1' }),
  eventOf: (payload) => parse(z.object({ type: z.string() }), payload).type,
  events: {
    ...Object.fromEntries([...NOUNS.keys()].map((type) => [type, handler])),
    relateduserstory: relatedStory,
    test: on(z.object({ by: user }), ({ by }) => ({
      topic: 'General',
      content: md`${link(by?.full_name || by?.username || 'Someone', by?.permalink)} tested the webhook.`,
    })),
  },
})
