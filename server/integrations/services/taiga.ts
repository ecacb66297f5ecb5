import { z } from 'zod'
import { integration, need, parse, unknownEvent, type WebhookMessage } from '../integration.ts'
import { bold, lines, link, type Markdown, type MarkdownValue, md, paragraphs, quote, valueText } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const named = z.object({ name: text, subject: text })

/** A change of a field. Some fields have only a note that they changed. */
const change = z.object({ from: z.unknown().optional(), to: z.unknown().optional() })

const payload = z.object({
  type: z.string(),
  action: z.string(),
  by: z.object({ full_name: text, permalink: text }).nullish(),
  data: z.object({
    subject: text,
    name: text,
    permalink: text,
    milestone: named.nullish(),
    user_story: z.object({ subject: text, permalink: text, milestone: named.nullish() }).nullish(),
    epic: z.object({ subject: text, permalink: text }).nullish(),
  }),
  change: z.object({ comment: text, diff: z.record(z.string(), z.unknown()).default({}) }).nullish(),
})
type Payload = z.output<typeof payload>

/** The kinds of things in Taiga. */
const KINDS: Readonly<Record<string, string>> = {
  epic: 'epic',
  issue: 'issue',
  task: 'task',
  userstory: 'user story',
  milestone: 'sprint',
  relateduserstory: 'related user story',
  wikipage: 'wiki page',
}

const nameOf = ({ data }: Payload): string => data.subject ?? data.name ?? 'without a name'

/** Things with an address are linked; others are bold. */
const linkOf = (given: Payload): Markdown =>
  given.data.permalink ? link(nameOf(given), given.data.permalink) : bold(nameOf(given))

const user = ({ by }: Payload) => link(by?.full_name ?? 'Someone', by?.permalink)

const words = (value: unknown) => {
  const shown = valueText(value)
  return shown === '' || shown === 'None' ? 'nothing' : shown
}

/** Returns what happened to one field; null for fields that follow from others. */
function describeChange(given: Payload, kind: string, field: string, diff: Record<string, unknown>): MarkdownValue {
  const { from, to } = change.safeParse(diff[field]).data ?? {}
  const it = md`the ${kind} ${linkOf(given)}`
  switch (field) {
    case 'subject':
    case 'name': {
      if (given.type === 'epic') return md`renamed the ${kind} from ${bold(words(from))} to ${bold(words(to))}`
      return md`renamed ${it}, which was ${words(from)}`
    }
    case 'assigned_to': {
      if (to === undefined || to === null) return md`unassigned ${words(from)} from ${it}`
      return from === undefined || from === null
        ? md`assigned ${it} to ${words(to)}`
        : md`reassigned ${it} from ${words(from)} to ${words(to)}`
    }
    case 'description_diff':
    case 'description':
      return md`changed the description of ${it}`
    case 'is_blocked':
      return to === true ? md`blocked ${it}` : md`unblocked ${it}`
    case 'milestone':
      if (to === undefined || to === null) return md`removed ${it} from the sprint ${words(from)}`
      return from === undefined || from === null
        ? md`added ${it} to the sprint ${words(to)}`
        : md`moved ${it} from the sprint ${words(from)} to ${words(to)}`
    case 'is_closed':
      return to === true ? md`closed ${it}` : md`reopened ${it}`
    case 'status':
      // Closing and reopening change the status, too.
      return Object.hasOwn(diff, 'is_closed')
        ? null
        : md`changed the status of ${it} from ${words(from)} to ${words(to)}`
    case 'points': {
      const roles = z.record(z.string(), change).safeParse(diff['points']).data ?? {}
      const [role, points] = Object.entries(roles)[0] ?? []
      if (role === undefined) return md`changed the estimate of ${it}`
      return md`changed the estimate (${role}) of ${it} from ${words(points?.from)} to ${words(points?.to)}`
    }
    case 'due_date':
      return to === undefined || to === null
        ? md`removed the due date of ${it}`
        : from === undefined || from === null
          ? md`set the due date of ${it} to ${words(to)}`
          : md`changed the due date of ${it} from ${words(from)} to ${words(to)}`
    case 'estimated_start':
    case 'estimated_finish':
      return words(from) === words(to)
        ? null
        : md`changed the ${field.replace('_', ' ')} of ${it} from ${words(from)} to ${words(to)}`
    case 'priority':
    case 'severity':
    case 'type':
    case 'color':
      return md`changed the ${field} of ${it} from ${words(from)} to ${words(to)}`
    case 'is_iocaine':
      return to === true ? md`marked ${it} as hard` : md`no longer marks ${it} as hard`
    case 'custom_attributes':
    case 'tags':
    case 'attachments':
    case 'watchers':
      return md`changed the ${field.replace('_', ' ')} of ${it}`
    default:
      // Taiga reports some changes a second time under names of its own.
      return null
  }
}

function describe(given: Payload): MarkdownValue[] {
  const kind = KINDS[given.type] ?? unknownEvent(given.type)
  const who = user(given)
  if (given.type === 'relateduserstory') {
    const { user_story: story, epic } = given.data
    const verb =
      given.action === 'create'
        ? 'added'
        : given.action === 'delete'
          ? 'removed'
          : unknownEvent(`relateduserstory:${given.action}`)
    return [
      md`${who} ${verb} the user story ${bold(need(story).subject)} ${verb === 'added' ? 'to' : 'from'} the epic ${bold(need(epic).subject)}.`,
    ]
  }
  switch (given.action) {
    case 'create':
      return [md`${who} created the ${kind} ${linkOf(given)}.`]
    case 'delete':
      return [md`${who} deleted the ${kind} ${linkOf(given)}.`]
    case 'change': {
      const { diff, comment } = need(given.change)
      const changes = Object.keys(diff)
        .map((field) => describeChange(given, kind, field, diff))
        .filter((one) => one !== null)
        .map((one) => md`${who} ${one}.`)
      const commented = comment
        ? paragraphs(md`${who} commented on the ${kind} ${linkOf(given)}:`, quote(comment))
        : null
      return commented === null ? changes : [...changes, commented]
    }
    default:
      return unknownEvent(`${given.type}:${given.action}`)
  }
}

export const taiga = integration({
  name: 'taiga',
  title: 'Taiga',
  category: 'Project management',
  logo: { letter: 'T', color: '#83eede' },
  steps: [
    'In your project on Taiga, open **Settings**, then **Integrations**, and **Webhooks**, and add one.',
    'Paste the URL, choose any secret key, and set the same for the bot if you want deliveries to be verified.',
  ],
  verify: hmacSignature({ header: 'X-Taiga-Webhook-Signature', algorithm: 'sha1' }),
  handle(given): WebhookMessage | null {
    if (parse(z.object({ type: z.string() }), given).type === 'test')
      return { event: 'test', topic: 'Taiga', content: md`Taiga reached this URL. Events will appear here.` }
    const known = parse(payload, given)
    const parts = describe(known)
    const sprint = known.data.milestone?.name ?? known.data.user_story?.milestone?.name
    if (parts.length === 0) return null
    return { event: `${known.type}:${known.action}`, topic: sprint || 'General', content: lines(...parts) }
  },
})
