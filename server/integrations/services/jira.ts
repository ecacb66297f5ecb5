import { z } from 'zod'
import { jiraText } from '../families/jira-markup.ts'
import { badPayload, integration, on, parse, type WebhookMessages } from '../integration.ts'
import {
  bold,
  bullets,
  fact,
  lines,
  link,
  type Markdown,
  type MarkdownValue,
  md,
  paragraphs,
  quoteOf,
} from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const person = z.object({ displayName: text, emailAddress: text, name: text })
type Person = z.output<typeof person>

/** Text of Jira Cloud may be a document instead of markup; it is then left out. */
const markup = z.union([z.string(), z.unknown().transform(() => undefined)]).nullish()

const issue = z.object({
  id: text,
  key: z.string(),
  self: text,
  fields: z.object({
    summary: text,
    assignee: person.nullish(),
    priority: z.object({ name: text }).nullish(),
    status: z.object({ name: text }).nullish(),
  }),
})
type Issue = z.output<typeof issue>

const comment = z.object({ body: markup, author: person.nullish(), updateAuthor: person.nullish(), self: text })

const base = z.object({
  user: person.nullish(),
  comment: z.union([comment, z.string()]).nullish(),
  issue,
})

const changelog = z
  .object({
    items: z
      .array(z.object({ field: z.string(), fromString: text, toString: z.unknown().optional(), from: text, to: text }))
      .nullish(),
  })
  .nullish()

const nameOf = (given: Person | null | undefined) => given?.displayName ?? given?.name ?? 'Someone'

/** Returns the address of an issue in the browser; Jira sends only that of its API. */
function urlOf({ key, self }: Issue): string | null {
  const home = self?.split('/rest/api', 1)[0]
  return home ? `${home}/browse/${key}` : null
}

const issueLink = (given: Issue, withTitle = true) =>
  link(withTitle && given.fields.summary ? `${given.key}: ${given.fields.summary}` : given.key, urlOf(given))

const topicOf = ({ key, fields }: Issue) => `${key}: ${fields.summary ?? 'without a title'}`

const assigneeOf = ({ fields: { assignee } }: Issue): MarkdownValue =>
  assignee && md` (assigned to ${bold(assignee.emailAddress ?? assignee.displayName ?? 'someone')})`

/** Jira Server names the exact kind of an update in this field. */
const kinds = z.object({
  webhookEvent: text,
  issue_event_type_name: text,
  transition: z.unknown().optional(),
  comment: z.unknown().optional(),
})

const quoted = (body: string | null | undefined): Markdown => (body ? quoteOf(jiraText(body)) : md``)

function commentMessage(verb: 'commented on' | 'edited their comment on' | 'deleted their comment on') {
  return on(
    z.object({ user: person.nullish(), comment: comment.nullish(), issue: issue.nullish() }),
    ({ user, comment, issue }): WebhookMessages => {
      // Jira Server leaves out comments that were deleted.
      const author = user ?? comment?.updateAuthor ?? comment?.author
      const body = verb === 'deleted their comment on' ? md`` : quoted(comment?.body)
      if (!issue) {
        const id = /\/issue\/([^/]+)\//.exec(comment?.self ?? '')?.[1] ?? badPayload()
        return {
          topic: `${id}: Upgrade Jira to get the issue title here.`,
          content: paragraphs(md`${nameOf(author)} ${verb} the issue ${id}${body.markdown === '' ? '.' : ':'}`, body),
        }
      }
      return {
        topic: topicOf(issue),
        content: paragraphs(
          md`${nameOf(author)} ${verb} ${issueLink(issue)}${user && assigneeOf(issue)}${body.markdown === '' ? '.' : ':'}`,
          body,
        ),
      }
    },
  )
}

const updated = on(
  base.extend({
    changelog,
    transition: z.object({ from_status: text, to_status: text, transitionName: text }).nullish(),
  }),
  ({ user, comment: given, issue, changelog, transition }): WebhookMessages => {
    const changes = (changelog?.items ?? []).map((item): MarkdownValue => {
      const to = typeof item.toString === 'string' ? item.toString : ''
      const from = item.fromString
      const name = item.field
      if (to === '' && !from) return null
      if (to === '') return md`Removed ${bold(from)} from ${name}`
      if (!from) return md`Set ${name} to ${bold(to)}`
      return md`Changed ${name} from ${bold(from)} to ${bold(to)}`
    })
    const moved =
      transition?.to_status && md`Moved from ${bold(transition.from_status)} to ${bold(transition.to_status)}`
    const body = typeof given === 'string' ? given : given?.body
    return {
      topic: topicOf(issue),
      content: paragraphs(
        md`${nameOf(user)} updated ${issueLink(issue)}${assigneeOf(issue)}:`,
        bullets([moved, ...changes]),
        quoted(body),
      ),
    }
  },
)

const events = {
  'jira:issue_created': on(base, ({ user, issue }) => ({
    topic: topicOf(issue),
    content: paragraphs(
      md`${nameOf(user)} created ${issueLink(issue)}:`,
      lines(
        md`* ${fact('Priority', issue.fields.priority?.name ?? 'none')}`,
        md`* ${fact('Assignee', issue.fields.assignee?.displayName ?? 'nobody')}`,
      ),
    ),
  })),
  'jira:issue_updated': updated,
  'jira:issue_deleted': on(base, ({ user, issue }) => ({
    topic: topicOf(issue),
    content: md`${nameOf(user)} deleted ${issueLink(issue)}.`,
  })),
  comment_created: commentMessage('commented on'),
  comment_updated: commentMessage('edited their comment on'),
  comment_deleted: commentMessage('deleted their comment on'),
}

/** The kinds of updates that are comments. */
const COMMENT_EVENTS: Readonly<Record<string, keyof typeof events>> = {
  issue_commented: 'comment_created',
  issue_comment_edited: 'comment_updated',
  issue_comment_deleted: 'comment_deleted',
}

export const jira = integration({
  name: 'jira',
  title: 'Jira',
  category: 'Project management',
  summary: 'Issues and comments',
  logo: { letter: 'J', color: '#0052cc' },
  steps: [
    'In Jira, open **Settings**, then **System**, and **WebHooks**, and click **Create a WebHook**. Only administrators can.',
    'Paste the URL, and choose the events on issues and comments.',
    'Leave **Exclude body** off, and click **Create**.',
  ],
  sample: {
    payload: {
      webhookEvent: 'jira:issue_created',
      issue_event_type_name: 'issue_created',
      user: { displayName: 'Ada' },
      issue: {
        id: '1',
        key: 'MAP-42',
        self: 'https://example.atlassian.net/rest/api/2/issue/1',
        fields: {
          summary: 'Maps have gaps',
          assignee: { displayName: 'Ben' },
          priority: { name: 'High' },
          status: { name: 'To do' },
        },
      },
    },
  },
  escapesUrlTwice: true,
  verify: hmacSignature({ header: 'X-Hub-Signature', prefix: 'sha256=' }),
  eventOf: (payload) => {
    const { webhookEvent, issue_event_type_name: kind, transition, comment } = parse(kinds, payload)
    if (webhookEvent === 'jira:issue_updated' && typeof kind === 'string' && Object.hasOwn(COMMENT_EVENTS, kind))
      return COMMENT_EVENTS[kind] as string
    const hasChanges = z.object({ changelog: z.object({}) }).safeParse(payload).success
    // Old versions send comments as updates without changes.
    if (
      webhookEvent === 'jira:issue_updated' &&
      !hasChanges &&
      typeof comment === 'object' &&
      comment !== null &&
      kind == null
    )
      return 'comment_created'
    return webhookEvent ?? (transition === undefined ? badPayload() : 'jira:issue_updated')
  },
  events,
})
