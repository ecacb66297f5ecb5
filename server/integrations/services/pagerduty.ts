import { z } from 'zod'
import { badPayload, integration, need, on, parse, unknownEvent, type WebhookMessage } from '../integration.ts'
import { bareLink, bullets, enumerate, fact, link, type MarkdownValue, md, paragraphs, quote } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()

/** Services, users and incidents, as versions 2 and 3 refer to them. */
const reference = z.object({ summary: text, html_url: text })
type Reference = z.output<typeof reference>
const refer = ({ summary, html_url }: Reference) => link(summary ?? 'someone', html_url)

const named = z.object({ name: text, html_url: text })

/** The kinds of events of all versions, as what happened to the incident. */
const EVENTS: Readonly<Record<string, string>> = {
  trigger: 'triggered',
  acknowledge: 'acknowledged',
  unacknowledge: 'unacknowledged',
  resolve: 'resolved',
  assign: 'assigned',
  delegate: 'reassigned',
  escalate: 'escalated',
  triggered: 'triggered',
  acknowledged: 'acknowledged',
  unacknowledged: 'unacknowledged',
  resolved: 'resolved',
  reassigned: 'reassigned',
  delegated: 'reassigned',
  escalated: 'escalated',
  reopened: 'reopened',
  priority_updated: 'given another priority',
  service_updated: 'moved to another service',
  'incident_type.changed': 'given another type',
  'custom_field_values.updated': 'given other values',
  'conference_bridge.updated': 'given another conference bridge',
  'responder.added': 'given another responder',
  'responder.replied': 'answered by a responder',
  'workflow.started': 'passed to a workflow, which started',
  'workflow.completed': 'passed to a workflow, which ended',
  annotated: 'annotated',
  status_update_published: 'updated',
}

const verbOf = (event: string) => EVENTS[event.replace(/^incident\./, '')] ?? unknownEvent(event)

/** The verbs of events that give an incident other assignees. */
const ASSIGNED = ['assigned', 'reassigned', 'escalated']

type Incident = {
  verb: string
  incident: MarkdownValue
  service: MarkdownValue
  assignees: readonly MarkdownValue[]
  agent: MarkdownValue
  details?: string | null | undefined
}

function describe({ verb, incident, service, assignees, agent, details }: Incident) {
  const isTriggered = verb === 'triggered'
  const to = assignees.length > 0 ? enumerate(assignees) : md`nobody`
  const by = agent && md` by ${agent}`
  if (isTriggered || verb === 'unacknowledged')
    return paragraphs(
      md`Incident ${incident} of ${service} was ${verb}${!isTriggered && by} (assigned to ${to})${isTriggered && details ? ':' : '.'}`,
      isTriggered && quote(details),
    )
  const target = ASSIGNED.includes(verb) && assignees.length > 0 && md` to ${to}`
  return md`Incident ${incident} was ${verb}${target}${by}.`
}

const version1 = z.object({
  type: z.string(),
  data: z.object({
    incident: z.object({
      incident_number: z.number().nullish(),
      incident_key: text,
      id: text,
      html_url: text,
      service: named.nullish(),
      assigned_to_user: named.nullish(),
      resolved_by_user: named.nullish(),
      last_status_change_by: named.nullish(),
      trigger_summary_data: z.object({ subject: text, description: text }).nullish(),
    }),
  }),
})

function fromVersion1({ type, data: { incident } }: z.output<typeof version1>): WebhookMessage {
  const verb = verbOf(type)
  const number = incident.incident_number ?? incident.incident_key ?? incident.id ?? badPayload()
  const agent =
    incident.resolved_by_user ??
    incident.last_status_change_by ??
    (verb === 'triggered' ? null : incident.assigned_to_user)
  return {
    event: type,
    topic: `Incident ${number}`,
    content: describe({
      verb,
      incident: link(String(number), incident.html_url),
      service: link(incident.service?.name ?? 'a service', incident.service?.html_url),
      assignees: incident.assigned_to_user
        ? [link(incident.assigned_to_user.name, incident.assigned_to_user.html_url)]
        : [],
      agent: agent && link(agent.name, agent.html_url),
      details: incident.trigger_summary_data?.subject ?? incident.trigger_summary_data?.description,
    }),
  }
}

const version2 = z.object({
  event: z.string(),
  incident: z.object({
    incident_number: z.number().nullish(),
    id: text,
    html_url: text,
    title: text,
    summary: text,
    service: reference.nullish(),
    assignments: z.array(z.object({ assignee: reference })).nullish(),
  }),
  log_entries: z.array(z.object({ agent: reference.nullish(), html_url: text })).nullish(),
})

function fromVersion2({ event, incident, log_entries: entries }: z.output<typeof version2>): WebhookMessage {
  const number = incident.incident_number ?? incident.id ?? badPayload()
  const agent = entries?.[0]?.agent
  return {
    event,
    topic: `Incident ${number}`,
    content: describe({
      verb: verbOf(event),
      incident: link(String(number), incident.html_url),
      service: incident.service ? refer(incident.service) : 'a service',
      assignees: (incident.assignments ?? []).map(({ assignee }) => refer(assignee)),
      agent: agent && refer(agent),
      details: incident.title ?? incident.summary,
    }),
  }
}

const version3 = z.object({
  event_type: z.string(),
  agent: reference.nullish(),
  data: z.object({
    number: z.number().nullish(),
    title: text,
    html_url: text,
    service: reference.nullish(),
    assignees: z.array(reference).nullish(),
    incident: reference.nullish(),
    content: text,
    message: text,
    user: reference.nullish(),
    priority: reference.nullish(),
    escalation_policy: reference.nullish(),
    incident_workflow: reference.nullish(),
    conference_url: text,
  }),
})

/** Returns what changed by the event: the text of a note, an update or a responder, and what the incident has now. */
function changeOf({ event_type: event, data }: z.output<typeof version3>): MarkdownValue {
  const { priority, service, escalation_policy: policy, user, incident_workflow: workflow } = data
  return paragraphs(
    quote(data.content ?? data.message),
    bullets([
      event === 'incident.priority_updated' && fact('Priority', priority?.summary ?? 'none'),
      event === 'incident.service_updated' && fact('Service', service && refer(service)),
      event === 'incident.delegated' && fact('Escalation policy', policy && refer(policy)),
      fact('Responder', user && refer(user)),
      fact('Workflow', workflow && refer(workflow)),
      fact('Conference bridge', bareLink(data.conference_url)),
    ]),
  )
}

function fromVersion3(given: z.output<typeof version3>): WebhookMessage {
  const { event_type: event, agent, data } = given
  const verb = verbOf(event)
  const title = data.title ?? data.incident?.summary ?? 'without a title'
  const number = data.number === null || data.number === undefined ? '' : ` (#${data.number})`
  return {
    event,
    topic: `Incident ${title}${number}`,
    content: paragraphs(
      describe({
        verb,
        incident: link(`${title}${number}`, data.html_url ?? data.incident?.html_url),
        service: data.service ? refer(data.service) : 'a service',
        assignees: (data.assignees ?? []).map(refer),
        agent: agent && refer(agent),
      }),
      changeOf(given),
    ),
  }
}

export const pagerduty = integration({
  name: 'pagerduty',
  title: 'PagerDuty',
  category: 'Monitoring',
  summary: 'Incidents',
  logo: { letter: 'P', color: '#06ac38' },
  steps: [
    'In PagerDuty, open **Integrations**, then **Generic Webhooks (v3)**, and click **New Webhook**.',
    'Paste the URL, choose the scope and the events, and click **Add Webhook**.',
    'If you want deliveries to be verified, set the secret that PagerDuty shows for the bot.',
  ],
  sample: {
    payload: {
      event: {
        event_type: 'incident.triggered',
        data: {
          number: 42,
          title: 'The disk of db-1 is almost full',
          html_url: 'https://example.pagerduty.com/incidents/42',
          service: { summary: 'Database', html_url: 'https://example.pagerduty.com/services/1' },
          assignees: [{ summary: 'Ada', html_url: 'https://example.pagerduty.com/users/1' }],
        },
      },
    },
  },
  verify: hmacSignature({ header: 'X-PagerDuty-Signature', prefix: 'v1=' }),
  handle: on(
    z.object({ messages: z.array(z.unknown()).nullish(), event: z.unknown().optional() }),
    ({ messages, event }): WebhookMessage[] => {
      if (messages == null) return [fromVersion3(parse(version3, need(event)))]
      return messages.map((one) => {
        const isVersion1 = z.object({ type: z.string() }).safeParse(one).success
        return isVersion1 ? fromVersion1(parse(version1, one)) : fromVersion2(parse(version2, one))
      })
    },
  ),
})
