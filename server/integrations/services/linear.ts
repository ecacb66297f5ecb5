import { z } from 'zod'
import { integration, on, parse, unknownEvent } from '../integration.ts'
import { bold, bullets, link, type MarkdownValue, md, paragraphs, quoteMarkdown } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const named = z.object({ name: text }).nullish()

const base = z.object({ action: z.string(), url: text, actor: named })

const issue = base.extend({
  data: z.object({
    title: z.string(),
    number: z.number().nullish(),
    description: text,
    parentId: text,
    priorityLabel: text,
    state: named,
    team: named,
    assignee: named,
    labels: z.array(z.object({ name: text })).nullish(),
  }),
  updatedFrom: z.record(z.string(), z.unknown()).nullish(),
})

const verbs: Readonly<Record<string, string>> = { create: 'created', update: 'updated', remove: 'deleted' }
const verbOf = (kind: string, action: string) => verbs[action] ?? unknownEvent(`${kind}_${action}`)

/** Returns the facts about an issue. */
function facts({ data }: z.output<typeof issue>): MarkdownValue[] {
  const { state, priorityLabel, assignee, labels } = data
  return [
    state?.name && md`Status: ${state.name}`,
    priorityLabel && priorityLabel !== 'No priority' && md`Priority: ${priorityLabel}`,
    assignee?.name && md`Assignee: ${assignee.name}`,
    labels && labels.length > 0 && md`Labels: ${labels.map(({ name }) => name).join(', ')}`,
  ]
}

export const linear = integration({
  name: 'linear',
  title: 'Linear',
  category: 'Project management',
  summary: 'Issues, comments, projects',
  logo: { letter: 'L', color: '#5e6ad2' },
  steps: [
    'In Linear, open **Settings**, then **API**, and click **New webhook**.',
    'Paste the URL, choose the team and the events **Issues** and **Comments**, and click **Create webhook**.',
    'If you want deliveries to be verified, set the signing secret that Linear shows for the bot.',
  ],
  sample: {
    payload: {
      type: 'Issue',
      action: 'create',
      url: 'https://linear.app/example/issue/MAP-42',
      data: {
        title: 'Maps have gaps',
        number: 42,
        description: 'See the coast.',
        priorityLabel: 'High',
        state: { name: 'Todo' },
        team: { name: 'Maps' },
        assignee: { name: 'Ben' },
      },
    },
  },
  verify: hmacSignature({ header: 'Linear-Signature' }),
  eventOf: (payload) => {
    const { type, action } = parse(z.object({ type: z.string(), action: z.string() }), payload)
    return `${type.toLowerCase()}_${action}`
  },
  events: Object.fromEntries([
    ...['create', 'update', 'remove'].map((action) => [
      `issue_${action}`,
      on(issue, (payload) => {
        const { title, parentId, description, team } = payload.data
        const kind = parentId ? 'Sub-Issue' : 'Issue'
        const name = link(`${kind.toLowerCase()}${payload.data.number ? ` #${payload.data.number}` : ''}`, payload.url)
        const verb = verbOf('issue', action)
        const by = payload.actor?.name
        return {
          topic: `${kind}: ${title}`,
          content: paragraphs(
            md`The ${name}${team?.name && md` of the team ${team.name}`} was ${verb}${by && md` by ${by}`}.`,
            action !== 'remove' && bullets(facts(payload)),
            action === 'create' && quoteMarkdown(description),
          ),
        }
      }),
    ]),
    ...['create', 'update', 'remove'].map((action) => [
      `comment_${action}`,
      on(
        base.extend({ data: z.object({ body: text, user: named, issue: z.object({ title: z.string() }) }) }),
        ({ data, url, actor }) => ({
          topic: `Issue: ${data.issue.title}`,
          content: paragraphs(
            action === 'create'
              ? md`${data.user?.name ?? actor?.name ?? 'Someone'} ${link('commented', url)} on ${bold(data.issue.title)}:`
              : md`${data.user?.name ?? actor?.name ?? 'Someone'} ${verbOf('comment', action)} a ${link('comment', url)} on ${bold(data.issue.title)}${action === 'remove' ? '.' : ':'}`,
            action !== 'remove' && quoteMarkdown(data.body),
          ),
        }),
      ),
    ]),
  ]),
})
