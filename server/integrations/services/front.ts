import { z } from 'zod'
import { integration, on, parse, type WebhookMessage } from '../integration.ts'
import { bold, link, type Markdown, md, paragraphs, quote, quoteMarkdown } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const recipient = z.object({ handle: text, role: text })

const delivery = z.object({
  type: z.string(),
  conversation: z.object({ id: z.string(), subject: text }),
  source: z.object({ _meta: z.object({ type: text }).nullish(), data: z.unknown().optional() }).nullish(),
  target: z.object({ _meta: z.object({ type: text }).nullish(), data: z.unknown().optional() }).nullish(),
})
type Delivery = z.output<typeof delivery>

const named = z.object({ first_name: text, last_name: text, name: text, username: text, email: text, id: text })

/** Returns the name of a teammate, rule or tag; '' if there is none. */
function nameOf(data: unknown): string {
  const known = named.safeParse(data).data
  if (!known) return ''
  return (
    [known.first_name, known.last_name].filter(Boolean).join(' ') || known.name || known.username || known.email || ''
  )
}

/** Returns who did it: a teammate, a rule, or another program. */
function actor({ source }: Delivery): Markdown {
  const type = source?._meta?.type ?? 'unknown'
  const name = nameOf(source?.data)
  if (type === 'teammate') return bold(name || 'Someone')
  return type === 'rule' ? bold(`'${name}' rule`) : bold(`(${type})`)
}

const about = (wordsOf: (payload: Delivery) => Markdown) =>
  on(delivery, (payload): WebhookMessage => ({ topic: payload.conversation.id, content: wordsOf(payload) }))

const did = (words: string) => about((payload) => md`${actor(payload)} ${words}.`)

const message = z.object({ id: text, text, recipients: z.array(recipient).nullish() })

const handleOf = ({ recipients }: z.output<typeof message>, role: string) =>
  recipients?.find((one) => one.role === role)?.handle ?? 'an unknown address'

const mail = (label: string) =>
  about(({ target, conversation }) => {
    const known = parse(message, target?.data)
    return paragraphs(
      md`${link(label, known.id && `https://app.frontapp.com/open/${known.id}`)} from ${bold(handleOf(known, 'from'))} to ${bold(handleOf(known, 'to'))}:`,
      quote(conversation.subject),
    )
  })

const comment = about((payload) => {
  const { body } = parse(z.object({ body: text }), payload.target?.data)
  return paragraphs(md`${actor(payload)} commented:`, quoteMarkdown(body))
})

const assigned = about((payload) => {
  const { source, target } = payload
  const [by, to] = [nameOf(source?.data), nameOf(target?.data)]
  if (to === '' || (source?._meta?.type === 'teammate' && by === to))
    return md`${actor(payload)} took over the conversation.`
  return md`${actor(payload)} assigned the conversation to ${bold(to)}.`
})

const tag = (verb: string) =>
  about((payload) => md`${actor(payload)} ${verb} the tag ${bold(nameOf(payload.target?.data) || 'without a name')}.`)

export const front = integration({
  name: 'front',
  title: 'Front',
  category: 'Customer support',
  summary: 'Conversations',
  logo: { letter: 'F', color: '#a857f1' },
  steps: [
    'In Front, open **Settings**, then **Integrations**, find **Webhooks**, and turn it on.',
    'Open **Rules** in the settings, click **Create a rule**, and choose when a conversation is sent.',
    'As the action, choose **Send to a webhook**, paste the URL, and save. If you want deliveries to be verified, set the API secret of Front for the bot.',
  ],
  sample: {
    payload: {
      type: 'inbound',
      conversation: { id: 'cnv_42', subject: 'Where is the north?', status: 'unassigned' },
      target: {
        data: {
          subject: 'Where is the north?',
          body: '<p>The map has no compass.</p>',
          author: null,
          recipients: [
            { handle: 'ada@example.com', role: 'from' },
            { handle: 'help@example.com', role: 'to' },
          ],
        },
      },
      source: { data: [] },
      emitted_at: 1772442000,
    },
  },
  verify: hmacSignature({ header: 'X-Front-Signature', algorithm: 'sha1', encoding: 'base64' }),
  eventOf: (payload) => parse(z.object({ type: z.string() }), payload).type,
  events: {
    assign: assigned,
    unassign: did('left the conversation to others'),
    archive: did('archived the conversation'),
    reopen: did('reopened the conversation'),
    trash: did('threw the conversation away'),
    restore: did('restored the conversation'),
    move: did('moved the conversation to another inbox'),
    reminder: did('is reminded of the conversation'),
    snooze: did('snoozed the conversation'),
    comment,
    mention: comment,
    inbound: mail('Incoming message'),
    outbound: mail('Outgoing message'),
    out_reply: mail('Reply'),
    forward: mail('Forwarded message'),
    autoreply: did('sent an automatic reply'),
    sending_error: did('could not send a message'),
    message_bounce_error: did('got a message back that could not be delivered'),
    tag: tag('added'),
    untag: tag('removed'),
    link_added: did('linked the conversation with something'),
    link_removed: did('removed a link from the conversation'),
  },
})
