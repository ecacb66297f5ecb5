import { z } from 'zod'
import { integration, need, parse, unknownEvent, type WebhookMessage } from '../integration.ts'
import { bold, codeBlock, lines, link, type Markdown, md, paragraphs, quote, quoteMarkdown, time } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()

const frame = z.object({
  filename: text,
  abs_path: text,
  lineno: z.number().nullish(),
  function: text,
  pre_context: z.array(z.string()).nullish(),
  context_line: text,
  post_context: z.array(z.string()).nullish(),
})
const frames = z.array(frame.nullish()).nullish()
const exceptions = z.object({
  values: z
    .array(z.object({ type: text, value: text, stacktrace: z.object({ frames }).nullish() }).nullish())
    .nullish(),
})

const event = z.object({
  title: z.string(),
  event_id: text,
  level: text,
  platform: text,
  datetime: text,
  timestamp: z.union([z.number(), z.string()]).nullish(),
  received: z.number().nullish(),
  web_url: text,
  culprit: text,
  message: text,
  location: text,
  metadata: z.object({ filename: text, title: text }).nullish(),
  logentry: z.object({ formatted: text }).nullish(),
  exception: exceptions.nullish(),
})
type Event = z.output<typeof event>

/** The languages of platforms, for the colors of code. */
const LANGUAGES = new Map<string, string>(
  Object.entries({
    python: 'python3',
    javascript: 'javascript',
    node: 'javascript',
    go: 'go',
    ruby: 'ruby',
    java: 'java',
    csharp: 'csharp',
    php: 'php',
    rust: 'rust',
  }),
)

/** Returns the code around the place of the exception, with a mark before its line. */
function sourceOf({ exception, platform }: Event): Markdown {
  const last = exception?.values?.at(-1)?.stacktrace?.frames?.at(-1)
  if (!last?.context_line) return md``
  const before = (last.pre_context ?? []).slice(-5).map((line) => `   ${line}`)
  const after = (last.post_context ?? []).slice(0, 5).map((line) => `   ${line}`)
  return codeBlock([...before, `-> ${last.context_line}`, ...after].join('\n'), LANGUAGES.get(platform ?? ''))
}

function describe(given: Event, url: string | null | undefined): WebhookMessage {
  const isException = given.exception !== null && given.exception !== undefined
  const last = given.exception?.values?.at(-1)?.stacktrace?.frames?.at(-1)
  const file = given.metadata?.filename ?? last?.filename ?? last?.abs_path ?? given.location ?? 'unknown'
  const at = given.datetime ?? given.timestamp ?? given.received
  return {
    event: 'event',
    topic: given.title,
    content: paragraphs(
      md`${bold(isException ? 'New exception:' : 'New message event:')} ${link(given.title, given.web_url ?? url)}`,
      lines(
        md`${bold('level:')} ${given.level ?? 'unknown'}`,
        md`${bold('timestamp:')} ${at === null || at === undefined ? 'unknown' : time(at)}`,
        isException && md`${bold('filename:')} ${file}`,
      ),
      isException && sourceOf(given),
    ),
  }
}

const named = z.object({ name: text, type: text })

const issue = z.object({
  title: z.string(),
  permalink: text,
  web_url: text,
  level: text,
  firstSeen: text,
  lastSeen: text,
  platform: text,
  assignedTo: named.nullish(),
})

const issuePayload = z.object({ action: z.string(), data: z.object({ issue }), actor: named.nullish() })

function describeIssue({ action, data: { issue }, actor }: z.output<typeof issuePayload>): WebhookMessage {
  const title = bold(issue.title)
  const url = issue.web_url ?? issue.permalink
  const who = actor?.name ? bold(actor.name) : 'Sentry'
  const more = url ? md` (${link('details', url)})` : null
  switch (action) {
    case 'created':
      return {
        event: 'issue',
        topic: issue.title,
        content: paragraphs(
          md`${bold('New issue created:')} ${link(issue.title, url)}`,
          lines(
            issue.level && md`${bold('level:')} ${issue.level}`,
            issue.firstSeen && md`${bold('timestamp:')} ${time(issue.firstSeen)}`,
            md`${bold('assignee:')} ${issue.assignedTo?.name ?? 'No one'}`,
          ),
        ),
      }
    case 'resolved':
      return {
        event: 'issue',
        topic: issue.title,
        content: md`Issue ${title} was marked as resolved by ${who}${more}.`,
      }
    case 'ignored':
    case 'archived':
      return { event: 'issue', topic: issue.title, content: md`Issue ${title} was ignored by ${who}${more}.` }
    case 'unresolved':
      return {
        event: 'issue',
        topic: issue.title,
        content: md`Issue ${title} was marked as unresolved by ${who}${more}.`,
      }
    case 'assigned': {
      const to = issue.assignedTo
      const name = to?.type === 'team' ? `team ${to.name}` : (to?.name ?? 'someone')
      return {
        event: 'issue',
        topic: issue.title,
        content: md`Issue ${title} was assigned to ${bold(name)} by ${who}${more}.`,
      }
    }
    default:
      return unknownEvent(`issue:${action}`)
  }
}

const metricAlert = z.object({
  action: z.string(),
  data: z.object({
    metric_alert: z.object({ title: text, alert_rule: z.object({ name: text }).nullish() }),
    description_title: text,
    description_text: text,
    web_url: text,
  }),
})

const METRIC_STATES = new Map(Object.entries({ critical: '🚨', warning: '⚠️', resolved: '✅' }))

/** Describes an alert about a metric. All messages of a rule have the same topic. */
function describeMetric({ action, data }: z.output<typeof metricAlert>): WebhookMessage {
  const { title, alert_rule: rule } = data.metric_alert
  const name = rule?.name ?? title ?? 'Metric alert'
  const icon = METRIC_STATES.get(action) ?? unknownEvent(`metric_alert:${action}`)
  return {
    event: 'metric_alert',
    topic: name,
    content: paragraphs(
      md`${icon} ${link(data.description_title ?? name, data.web_url)}`,
      quote(data.description_text),
    ),
  }
}

const commentPayload = z.object({
  action: z.enum(['created', 'updated', 'deleted']),
  data: z.object({ comment: text, issue_id: z.union([z.number(), z.string()]), project_slug: text }),
  actor: named.nullish(),
})

const describeComment = ({ action, data, actor }: z.output<typeof commentPayload>): WebhookMessage => ({
  event: 'comment',
  topic: data.project_slug ?? 'Sentry',
  content: paragraphs(
    md`${bold(actor?.name ?? 'Someone')} ${action} a comment on the issue ${data.issue_id}${action === 'deleted' || !data.comment ? '.' : ':'}`,
    action !== 'deleted' && quoteMarkdown(data.comment),
  ),
})

/** The payload of the plugin for webhooks, which is older than the integration platform. */
const fromPlugin = z.object({ project: text, project_name: text, culprit: text, level: text, message: text, url: text })

/** SDKs whose reports lack the facts that a message needs. */
const isRaven = (payload: unknown) =>
  z.object({ event: z.object({ sdk: z.object({ name: z.string().startsWith('raven-python') }) }) }).safeParse(payload)
    .success

const has = (payload: unknown, name: string) =>
  typeof payload === 'object' && payload !== null && Object.hasOwn(payload, name)

export const sentry = integration({
  name: 'sentry',
  title: 'Sentry',
  category: 'Monitoring',
  summary: 'Errors, regressions, alerts',
  logo: { letter: 'S', color: '#362d59' },
  steps: [
    'In Sentry, open **Settings**, then **Developer Settings**, and create an internal integration.',
    'Paste the URL into **Webhook URL**, turn on **Alert Rule Action**, and choose the webhooks **issue**, and **comment** if you want them.',
    'If you want deliveries to be verified, set the client secret that Sentry shows for the bot.',
    'Choose the integration as the action of your alert rules.',
  ],
  sample: {
    headers: { 'Sentry-Hook-Resource': 'issue' },
    payload: {
      action: 'created',
      data: {
        issue: {
          title: 'TimeoutError: The map did not load',
          permalink: 'https://example.sentry.io/issues/42/',
          level: 'error',
          firstSeen: '2026-03-02T09:12:00Z',
          lastSeen: '2026-03-02T09:12:00Z',
          platform: 'javascript',
        },
      },
    },
  },
  verify: hmacSignature({ header: 'Sentry-Hook-Signature' }),
  handle(payload, request) {
    if (has(payload, 'data')) {
      const { data } = parse(z.object({ data: z.unknown().optional() }), payload)
      if (has(data, 'event')) return describe(parse(z.object({ event }), data).event, null)
      if (has(data, 'error')) return describe(parse(z.object({ error: event }), data).error, null)
      if (has(data, 'issue')) return describeIssue(parse(issuePayload, payload))
      if (has(data, 'metric_alert')) return describeMetric(parse(metricAlert, payload))
      if (has(data, 'comment')) return describeComment(parse(commentPayload, payload))
      return unknownEvent(request.header('Sentry-Hook-Resource') ?? 'unknown')
    }
    const given = parse(fromPlugin, payload)
    if (isRaven(payload)) return unknownEvent('Raven SDK')
    const known = z.object({ event }).safeParse(payload)
    if (known.success) {
      const { event_id: id } = known.data.event
      const url = given.url && id ? `${given.url.split('?', 1)[0]}events/${id}/` : given.url
      return describe(known.data.event, url)
    }
    const level = need(given.level)
    return {
      event: 'event',
      topic: need(given.project_name ?? given.project),
      content: paragraphs(md`New ${link(level, given.url)}: ${given.culprit ?? 'unknown'}.`, quote(given.message)),
    }
  },
})
