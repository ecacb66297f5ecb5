import { z } from 'zod'
import { eventIn, integration, on } from '../integration.ts'
import { bold, lines, link, type Markdown, type MarkdownValue, md, paragraphs, quote } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const person = z.object({ first_name: text, last_name: text, email: text, name: text })

const payload = z.object({
  type: z.string(),
  conversation: z.object({ id: z.string(), subject: text }),
  source: z.object({ _meta: z.object({ type: text }).nullish(), data: z.unknown().optional() }).nullish(),
  target: z.object({ _meta: z.object({ type: text }).nullish(), data: z.unknown().optional() }).nullish(),
})
type Payload = z.output<typeof payload>

const fullName = ({ first_name: first, last_name: last, name, email }: z.output<typeof person>) =>
  [first, last].filter(Boolean).join(' ') || name || email || 'Someone'

/** Returns who did something: a person, a rule, or a service such as Gmail. */
function sourceOf({ source }: Payload): Markdown {
  const type = source?._meta?.type
  if (type === 'teammate' || type === 'teammates') {
    const found = person.safeParse(Array.isArray(source?.data) ? source?.data[0] : source?.data)
    return bold(found.success ? fullName(found.data) : 'Someone')
  }
  if (type === 'rule') {
    const name = z.object({ name: z.string() }).safeParse(source?.data).data?.name
    return bold(`'${name ?? 'A'}' rule`)
  }
  return bold(`(${type ?? 'unknown'})`)
}

function targetPerson({ target }: Payload): Markdown {
  const found = person.safeParse(target?.data)
  return bold(found.success ? fullName(found.data) : 'someone')
}

const message = z.object({
  id: text,
  subject: text,
  text,
  body: text,
  recipients: z.array(z.object({ handle: text, role: text })).nullish(),
})

const MESSAGE_URL = 'https://app.frontapp.com/open/'

function mail(verb: 'received' | 'sent') {
  return on(payload, (given) => {
    const { id, subject, text, recipients } = message.safeParse(given.target?.data).data ?? {}
    const handles = (role: string): MarkdownValue => {
      const found = (recipients ?? []).filter((one) => one.role === role).map((one) => one.handle ?? 'unknown')
      return bold(found.join(', ') || 'unknown')
    }
    const name = link(verb === 'received' ? 'Inbound message' : 'Outbound message', id ? `${MESSAGE_URL}${id}` : null)
    return {
      topic: given.conversation.id,
      content: paragraphs(
        lines(
          md`${name} from ${handles('from')} to ${handles('to')}:`,
          md`Subject: ${subject ?? given.conversation.subject ?? 'none'}`,
        ),
        quote(text),
      ),
    }
  })
}

const act = (describe: (given: Payload) => MarkdownValue) =>
  on(payload, (given) => ({
    topic: given.conversation.id,
    content: md`${sourceOf(given)} ${describe(given)}`,
  }))

const bodyOf = ({ target }: Payload) => z.object({ body: text }).safeParse(target?.data).data?.body

const commented = on(payload, (given) => ({
  topic: given.conversation.id,
  content: paragraphs(md`${sourceOf(given)} left a comment:`, quote(bodyOf(given))),
}))

const tagName = ({ target }: Payload) => z.object({ name: text }).safeParse(target?.data).data?.name ?? 'unknown'

export const front = integration({
  name: 'front',
  title: 'Front',
  category: 'Customer support',
  logo: { letter: 'F', color: '#001b38' },
  steps: [
    'In Front, open **Settings**, then **Rules & Macros**, and create a rule.',
    'Choose when it applies, choose **Send to a Webhook** as its action, and paste the URL.',
  ],
  verify: hmacSignature({ header: 'X-Front-Signature', algorithm: 'sha1', encoding: 'base64' }),
  eventOf: eventIn('type'),
  events: {
    inbound: mail('received'),
    outbound: mail('sent'),
    out_reply: mail('sent'),
    comment: commented,
    mention: commented,
    assign: act((given) => md`assigned ${targetPerson(given)} to this conversation.`),
    unassign: act(() => md`unassigned this conversation.`),
    archive: act(() => md`archived this conversation.`),
    reopen: act(() => md`reopened this conversation.`),
    trash: act(() => md`deleted this conversation.`),
    restore: act(() => md`restored this conversation.`),
    tag: act((given) => md`added the tag ${bold(tagName(given))}.`),
    untag: act((given) => md`removed the tag ${bold(tagName(given))}.`),
  },
})
