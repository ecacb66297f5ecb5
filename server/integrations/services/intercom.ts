import { z } from 'zod'
import { integration, need, on, parse, type WebhookMessages } from '../integration.ts'
import { bold, code, htmlToText, type MarkdownValue, md, paragraphs, quote } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const person = z.object({ type: text, name: text, pseudonym: text, email: text, id: text, user_id: text, phone: text })
type Person = z.output<typeof person>

const nameOf = ({ name, pseudonym, email, user_id: userId, id }: Person): string =>
  name || pseudonym || email || userId || id || 'Someone'

/** Returns the topic of a person, by their kind. */
const topicOf = (given: Person, fallback: string): string => {
  const kind = given.type || fallback
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${nameOf(given)}`
}

const tag = z.object({ name: text })

const conversation = z.object({
  user: person,
  assignee: person.nullish(),
  conversation_message: z.object({ body: text, subject: text, url: text, author: person.nullish() }).nullish(),
  conversation_parts: z
    .object({
      conversation_parts: z
        .array(z.object({ body: text, author: person.nullish(), assigned_to: person.nullish() }))
        .nullish(),
    })
    .nullish(),
})
type Conversation = z.output<typeof conversation>

const partOf = ({ conversation_parts: parts }: Conversation) => parts?.conversation_parts?.[0]

const authorOf = (given: Conversation, fallback: string) => {
  const author = partOf(given)?.author
  return author ? nameOf(author) : fallback
}

function inConversation(describe: (given: Conversation, admin: string, user: string) => MarkdownValue) {
  return (item: unknown): WebhookMessages => {
    const given = parse(conversation, item)
    const user = nameOf(given.user)
    const content = describe(given, authorOf(given, given.assignee?.name ?? 'An admin'), user)
    return { topic: topicOf(given.user, 'user'), content: md`${content}` }
  }
}

const withQuote = (line: MarkdownValue, html: string | null | undefined) => {
  const body = quote(htmlToText(html))
  return paragraphs(md`${line}${body.markdown === '' ? '.' : ':'}`, body)
}

const started = inConversation((given, _, user) =>
  withQuote(md`${user} started a conversation`, given.conversation_message?.body),
)
const replied = inConversation((given, _, user) => withQuote(md`${user} replied`, partOf(given)?.body))
const adminReplied = inConversation((given, admin, user) =>
  withQuote(md`${admin} replied to ${user}`, partOf(given)?.body),
)
const adminStarted = inConversation((given, admin, user) => {
  const message = given.conversation_message
  return withQuote(
    md`${admin} started a conversation with ${user}${message?.subject && md` about ${htmlToText(message.subject)}`}`,
    message?.body,
  )
})

const contact =
  (verb: string) =>
  (item: unknown): WebhookMessages => {
    const given = parse(person, item)
    const email = verb.endsWith('email') && given.email ? md` (${given.email})` : null
    return { topic: topicOf(given, 'contact'), content: md`${nameOf(given)} ${verb}${email}.` }
  }

const tagged =
  (verb: string, place: 'contact' | 'user') =>
  (item: unknown): WebhookMessages => {
    const shape = z.object({ tag, contact: person.nullish(), user: person.nullish() })
    const given = parse(shape, item)
    const of = need(given[place] ?? given.contact ?? given.user)
    return { topic: topicOf(of, place), content: md`The tag ${code(given.tag.name)} was ${verb} ${nameOf(of)}.` }
  }

const handlers: Readonly<Record<string, (item: unknown) => WebhookMessages>> = {
  'company.created': (item) => {
    const given = parse(
      z.object({ name: text, user_count: z.number().nullish(), monthly_spend: z.number().nullish() }),
      item,
    )
    return {
      topic: 'Companies',
      content: md`The company ${bold(given.name)} was created (${given.user_count ?? 0} users).`,
    }
  },
  'contact.added_email': contact('was given an email'),
  'contact.created': contact('was created as a contact'),
  'contact.signed_up': contact('signed up'),
  'contact.deleted': contact('was deleted'),
  'contact.tag.created': tagged('added to', 'contact'),
  'contact.tag.deleted': tagged('removed from', 'contact'),
  'conversation.admin.assigned': inConversation((given, admin, user) => {
    const to = partOf(given)?.assigned_to ?? given.assignee
    return withQuote(
      md`${admin} assigned the conversation with ${user} to ${to ? nameOf(to) : 'nobody'}`,
      partOf(given)?.body,
    )
  }),
  'conversation.admin.closed': inConversation((_, admin, user) => md`${admin} closed the conversation with ${user}.`),
  'conversation.admin.opened': inConversation((_, admin, user) => md`${admin} opened the conversation with ${user}.`),
  'conversation.admin.snoozed': inConversation((_, admin, user) => md`${admin} snoozed the conversation with ${user}.`),
  'conversation.admin.unsnoozed': inConversation(
    (_, admin, user) => md`${admin} unsnoozed the conversation with ${user}.`,
  ),
  'conversation.admin.replied': adminReplied,
  'conversation.admin.noted': inConversation((given, admin) =>
    withQuote(md`${admin} added a note`, partOf(given)?.body),
  ),
  'conversation.admin.single.created': adminStarted,
  'conversation.user.created': started,
  'conversation.user.replied': replied,
  'event.created': (item) => {
    const given = parse(z.object({ event_name: z.string() }), item)
    return { topic: 'Events', content: md`New event: ${bold(given.event_name)}.` }
  },
  'user.created': contact('was created as a user'),
  'user.deleted': contact('was deleted'),
  'user.email.updated': contact('has another email'),
  'user.tag.created': tagged('added to', 'user'),
  'user.tag.deleted': tagged('removed from', 'user'),
  'user.unsubscribed': contact('unsubscribed from emails'),
}

const payload = z.object({ topic: z.string(), data: z.object({ item: z.unknown().optional() }) })

/** The kinds of notifications that no message is sent for. */
const QUIET = new Set(['conversation_part.tag.created', 'ping'])

export const intercom = integration({
  name: 'intercom',
  title: 'Intercom',
  category: 'Customer support',
  logo: { letter: 'I', color: '#1f8ded' },
  steps: [
    'In Intercom, create an app in the **Developer Hub**, and open **Webhooks**.',
    'Paste the URL, choose the topics, and save.',
    'If you want deliveries to be verified, set the client secret of the app for the bot.',
  ],
  verify: hmacSignature({ header: 'X-Hub-Signature', algorithm: 'sha1', prefix: 'sha1=' }),
  eventOf: (given) => parse(payload, given).topic,
  events: {
    ...Object.fromEntries(
      Object.entries(handlers).map(([topic, handle]) => [topic, on(payload, ({ data }) => handle(data.item))]),
    ),
    ...Object.fromEntries([...QUIET].map((topic) => [topic, () => null])),
  },
})
