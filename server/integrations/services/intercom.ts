import { z } from 'zod'
import { ignore, integration, on, parse, type WebhookMessage } from '../integration.ts'
import {
  bold,
  bullets,
  code,
  fact,
  htmlToText,
  lines,
  link,
  type Markdown,
  md,
  paragraphs,
  quote,
} from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()

/** Users, leads, contacts, visitors and companies. */
const person = z.object({
  type: text,
  role: text,
  name: text,
  pseudonym: text,
  email: text,
  location_data: z.object({ city_name: text, country_name: text }).nullish(),
  location: z.object({ city: text, country: text }).nullish(),
})
type Person = z.output<typeof person>

const author = z.object({ name: text, type: text }).nullish()
const part = z.object({ part_type: text, body: text, author, assigned_to: author })

const partList = z.object({ conversation_parts: z.array(part).nullish() }).nullish()

const conversation = z.object({
  id: z.union([z.string(), z.number()]).nullish(),
  user: person.nullish(),
  contacts: z.object({ contacts: z.array(person).nullish() }).nullish(),
  assignee: author,
  conversation_message: z.object({ subject: text, body: text, author }).nullish(),
  source: z.object({ subject: text, body: text, author }).nullish(),
  conversation_parts: partList,
  priority: text,
  rating: z.unknown().optional(),
})
type Conversation = z.output<typeof conversation>

const delivery = <Item extends z.ZodType>(item: Item) => z.object({ data: z.object({ item }) })

const nameOf = ({ name, pseudonym, email }: Person) => name || pseudonym || email || 'someone'

function topicOf(given: Person): string {
  const type = given.type ?? given.role ?? 'contact'
  return `${type.slice(0, 1).toUpperCase()}${type.slice(1)}: ${nameOf(given)}`
}

const aboutPerson = (contentOf: (given: Person) => Markdown) =>
  on(delivery(person), ({ data: { item } }) => ({ topic: topicOf(item), content: contentOf(item) }))

function place({ location_data: old, location }: Person): string {
  return [old?.city_name ?? location?.city, old?.country_name ?? location?.country].filter(Boolean).join(', ')
}

const newContact = (words: string) =>
  aboutPerson((given) =>
    lines(
      md`${words}:`,
      bullets([
        fact('Name (or pseudonym)', nameOf(given)),
        fact('Email', given.email || 'none'),
        fact('Location', place(given) || 'unknown'),
      ]),
    ),
  )

const newUser = aboutPerson((given) =>
  lines(md`There is a new user:`, bullets([fact('Name', nameOf(given)), fact('Email', given.email || 'none')])),
)

const tag = z.object({ name: text }).nullish()
const tagged = z.object({ tag, user: person.nullish(), contact: person.nullish(), company: person.nullish() })

const tagChanged = (wordsOf: (name: Markdown) => Markdown) =>
  on(delivery(tagged), ({ data: { item } }): WebhookMessage => {
    const owner = item.contact ?? item.user ?? item.company ?? { type: 'contact' }
    return { topic: topicOf(owner as Person), content: wordsOf(code(item.tag?.name ?? 'without a name')) }
  })

const tagAdded = tagChanged((name) => md`The tag ${name} was added.`)
const tagRemoved = tagChanged((name) => md`The tag ${name} was removed.`)

const topicOfConversation = ({ user, contacts, id }: Conversation) => {
  const contact = user ?? contacts?.contacts?.[0]
  return contact ? topicOf(contact) : `Conversation ${id ?? ''}`.trim()
}

const lastPart = ({ conversation_parts: parts }: Conversation) => parts?.conversation_parts?.at(-1)

const aboutConversation = (contentOf: (given: Conversation) => Markdown) =>
  on(delivery(conversation), ({ data: { item } }) => ({ topic: topicOfConversation(item), content: contentOf(item) }))

const adminOf = (given: Conversation) => lastPart(given)?.author?.name || given.assignee?.name || 'A teammate'

const contactOf = (given: Conversation) => {
  const contact = given.user ?? given.contacts?.contacts?.[0]
  return contact ? nameOf(contact) : 'The contact'
}

/** Describes what a teammate did, with the text of the last part if there is one. */
const byAdmin = (verb: string) =>
  aboutConversation((given) => withText(md`${adminOf(given)} ${verb}`, lastPart(given)?.body))

const withText = (sentence: Markdown, html: string | null | undefined) => {
  const content = htmlToText(html)
  return paragraphs(md`${sentence}${content === '' ? '.' : ':'}`, quote(content))
}

const firstText = (given: Conversation) => (given.conversation_message ?? given.source)?.body

const assigned = aboutConversation((given) => {
  const last = lastPart(given)
  const to = last?.assigned_to?.name ?? given.assignee?.name
  return withText(
    to ? md`The conversation was assigned to ${to}` : md`The conversation is not assigned to anyone now`,
    last?.body,
  )
})

const contactStarted = aboutConversation((given) =>
  withText(md`${contactOf(given)} started a conversation`, firstText(given)),
)
const contactReplied = aboutConversation((given) => withText(md`${contactOf(given)} replied`, lastPart(given)?.body))
const adminStarted = aboutConversation((given) =>
  withText(
    md`${given.conversation_parts?.conversation_parts?.length ? adminOf(given) : given.assignee?.name || 'A teammate'} started a conversation`,
    firstText(given),
  ),
)

const company = z.object({
  name: text,
  user_count: z.number().nullish(),
  monthly_spend: z.union([z.number(), z.string()]).nullish(),
})

const aboutCompany = (contentOf: (given: z.output<typeof company>) => Markdown) =>
  on(delivery(company), ({ data: { item } }) => ({ topic: 'Companies', content: contentOf(item) }))

const ticket = z.object({
  id: z.union([z.string(), z.number()]).nullish(),
  ticket_id: z.union([z.string(), z.number()]).nullish(),
  ticket_attributes: z.record(z.string(), z.unknown()).nullish(),
  ticket_state: text,
  admin_assignee_id: z.unknown().optional(),
})

/** Tickets are in `item`, or in its field `ticket`. */
const ticketItem = z.union([z.object({ ticket }), ticket.transform((value) => ({ ticket: value }))])

const aboutTicket = (words: string) =>
  on(delivery(ticketItem), ({ data: { item } }) => {
    const { id, ticket_id: number = id, ticket_attributes: attributes, ticket_state: state } = item.ticket
    const title = attributes?.['_default_title_']
    return {
      topic: `Ticket ${number ?? ''}`.trim(),
      content: md`The ticket ${typeof title === 'string' ? title : ''} ${words}${words === 'has another state' && state && md`: ${state}`}.`,
    }
  })

/** Describes something that teammates did outside of conversations, or that happened to them. */
const aboutTeammate = (words: string) =>
  on(delivery(z.object({ name: text, email: text })), ({ data: { item } }) => ({
    topic: 'Team',
    content: md`${item.name || item.email || 'A teammate'} ${words}.`,
  }))

const awayModeChanged = on(
  delivery(z.object({ name: text, email: text, away_mode_enabled: z.boolean().nullish() })),
  ({ data: { item } }) => ({
    topic: 'Team',
    content: md`${item.name || item.email || 'A teammate'} is ${item.away_mode_enabled ? 'away' : 'back'}.`,
  }),
)

const aboutArticle = (words: string) =>
  on(delivery(z.object({ title: text, url: text })), ({ data: { item } }) => ({
    topic: 'Articles',
    content: md`The article ${link(item.title || 'without a title', item.url)} ${words}.`,
  }))

const companyContact = (words: string) =>
  on(delivery(z.object({ company: company.nullish(), contact: person.nullish() })), ({ data: { item } }) => ({
    topic: 'Companies',
    content: md`${item.contact ? nameOf(item.contact) : 'A contact'} ${words} the company ${bold(item.company?.name || 'without a name')}.`,
  }))

const deletedPerson = (words: string) => aboutPerson(() => md`${words}.`)
const emailChanged = aboutPerson(({ email }) => md`The email address is ${email || 'empty'} now.`)
const emailAdded = aboutPerson(({ email }) => md`The email address ${email || ''} was added.`)
const unsubscribed = aboutPerson(() => md`Emails are not wanted anymore.`)

export const intercom = integration({
  name: 'intercom',
  title: 'Intercom',
  category: 'Customer support',
  summary: 'Conversations, contacts, companies',
  logo: { letter: 'I', color: '#1f8ded' },
  steps: [
    'In the [Developer Hub](https://app.intercom.com/a/apps/_/developer-hub) of Intercom, open your app (or create one), then **Configure**, then **Webhooks**.',
    'Paste the URL into **Endpoint URL**, choose the topics to send, and save.',
    'If you want deliveries to be verified, set the client secret of the app (under **Basic information**) for the bot.',
  ],
  sample: {
    payload: {
      topic: 'conversation.user.created',
      data: {
        item: {
          type: 'conversation',
          id: '42',
          user: { type: 'user', id: '1', name: 'Ada' },
          conversation_message: { body: '<p>The map has no compass.</p>', author: { type: 'user' } },
          links: { conversation_web: 'https://app.intercom.com/a/apps/example/conversations/42' },
        },
      },
    },
  },
  verify: hmacSignature({ header: 'X-Hub-Signature', algorithm: 'sha1', prefix: 'sha1=' }),
  eventOf: (payload) => parse(z.object({ topic: z.string() }), payload).topic,
  events: {
    ping: ignore,
    'company.created': aboutCompany((given) =>
      lines(
        md`There is a new company, ${bold(given.name || 'without a name')}:`,
        bullets([
          fact('User count', given.user_count ?? 0),
          fact('Monthly spending', String(given.monthly_spend ?? 0)),
        ]),
      ),
    ),
    'company.updated': aboutCompany(({ name }) => md`The company ${bold(name || 'without a name')} was updated.`),
    'company.deleted': aboutCompany(({ name }) => md`The company ${bold(name || 'without a name')} was deleted.`),
    'contact.added_email': emailAdded,
    'contact.lead.added_email': emailAdded,
    'contact.created': newContact('There is a new contact'),
    'contact.lead.created': newContact('There is a new lead'),
    'contact.user.created': newUser,
    'contact.signed_up': newContact('A contact signed up'),
    'contact.lead.signed_up': newContact('A lead signed up'),
    'contact.user.updated': aboutPerson(() => md`The user was updated.`),
    'contact.lead.updated': aboutPerson(() => md`The lead was updated.`),
    'contact.email.updated': emailChanged,
    'contact.deleted': deletedPerson('The contact was deleted'),
    'contact.archived': deletedPerson('The contact was archived'),
    'contact.unarchived': deletedPerson('The contact was restored from the archive'),
    'contact.merged': deletedPerson('The contact was merged with another one'),
    'contact.subscribed': aboutPerson(() => md`Emails are wanted again.`),
    'contact.unsubscribed': unsubscribed,
    'contact.tag.created': tagAdded,
    'contact.tag.deleted': tagRemoved,
    'contact.lead.tag.created': tagAdded,
    'contact.lead.tag.deleted': tagRemoved,
    'contact.user.tag.created': tagAdded,
    'contact.user.tag.deleted': tagRemoved,
    'conversation.created': contactStarted,
    'conversation.user.created': contactStarted,
    'conversation.user.replied': contactReplied,
    'conversation.admin.replied': byAdmin('replied'),
    'conversation.admin.single.created': adminStarted,
    'conversation.admin.single.replied': byAdmin('replied'),
    'conversation.admin.assigned': assigned,
    'conversation.admin.open.assigned': assigned,
    'conversation.admin.noted': byAdmin('added a note'),
    'conversation.admin.closed': byAdmin('closed the conversation'),
    'conversation.admin.opened': byAdmin('opened the conversation'),
    'conversation.admin.snoozed': byAdmin('snoozed the conversation'),
    'conversation.admin.unsnoozed': byAdmin('woke up the conversation'),
    'conversation.operator.replied': aboutConversation((given) => withText(md`The bot replied`, lastPart(given)?.body)),
    'conversation.rating.added': aboutConversation((given) => md`${contactOf(given)} rated the conversation.`),
    'conversation.rating.remark.added': aboutConversation(
      (given) => md`${contactOf(given)} gave a reason for the rating.`,
    ),
    'conversation.priority.updated': aboutConversation(({ priority }) =>
      priority === 'priority' ? md`The conversation has priority now.` : md`The conversation has no priority anymore.`,
    ),
    'conversation.deleted': ignore,
    'conversation.read': ignore,
    'conversation_part.tag.created': ignore,
    'conversation_part.redacted': ignore,
    'conversation.contact.attached': aboutConversation(() => md`Another contact joined the conversation.`),
    'conversation.contact.detached': aboutConversation(() => md`A contact left the conversation.`),
    'admin.added_to_workspace': aboutTeammate('joined the workspace'),
    'admin.removed_from_workspace': aboutTeammate('left the workspace'),
    'admin.away_mode_updated': awayModeChanged,
    'admin.logged_in': ignore,
    'admin.logged_out': ignore,
    'admin.activity_log_event.created': ignore,
    'article.created': aboutArticle('was created'),
    'article.updated': aboutArticle('was updated'),
    'article.published': aboutArticle('was published'),
    'article.unpublished': aboutArticle('is not published anymore'),
    'article.deleted': aboutArticle('was deleted'),
    'company.contact.attached': companyContact('now belongs to'),
    'company.contact.detached': companyContact('does not belong anymore to'),
    'event.created': on(delivery(z.object({ event_name: z.string() })), ({ data: { item } }) => ({
      topic: 'Events',
      content: md`The event ${bold(item.event_name)} happened.`,
    })),
    'user.created': newUser,
    'user.deleted': deletedPerson('The user was deleted'),
    'user.email.updated': emailChanged,
    'user.unsubscribed': unsubscribed,
    'user.tag.created': tagAdded,
    'user.tag.deleted': tagRemoved,
    'visitor.signed_up': newContact('A visitor signed up'),
    'visitor.deleted_from_users': ignore,
    'ticket.created': aboutTicket('was created'),
    'ticket.closed': aboutTicket('was closed'),
    'ticket.state.updated': aboutTicket('has another state'),
    'ticket.admin.assigned': aboutTicket('was assigned to a teammate'),
    'ticket.team.assigned': aboutTicket('was assigned to a team'),
    'ticket.admin.replied': aboutTicket('has a reply of a teammate'),
    'ticket.contact.replied': aboutTicket('has a reply of the contact'),
    'ticket.note.created': aboutTicket('has a new note'),
    'ticket.attribute.updated': aboutTicket('was updated'),
    'ticket.contact.attached': aboutTicket('has another contact'),
    'ticket.contact.detached': aboutTicket('has lost a contact'),
    'ticket.rating.provided': aboutTicket('was rated'),
  },
})
