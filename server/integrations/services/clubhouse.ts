import { z } from 'zod'
import { integration, on, unknownEvent, type WebhookMessage } from '../integration.ts'
import {
  bold,
  enumerate,
  lines,
  link,
  type Markdown,
  type MarkdownValue,
  md,
  paragraphs,
  quoteMarkdown,
  valueText,
} from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

const text = z.string().nullish()
const id = z.union([z.number(), z.string()])
const ids = z.object({ adds: z.array(id).nullish(), removes: z.array(id).nullish() }).nullish()
const changed = z.object({ old: z.unknown().optional(), new: z.unknown().optional() }).nullish()

const action = z.object({
  id: id.nullish(),
  entity_type: z.string(),
  action: z.string(),
  name: text,
  title: text,
  number: z.number().nullish(),
  story_type: text,
  app_url: text,
  url: text,
  description: text,
  text,
  story_id: id.nullish(),
  epic_id: id.nullish(),
  state: text,
  changes: z
    .object({
      name: changed,
      description: changed,
      archived: changed,
      state: changed,
      story_type: changed,
      estimate: changed,
      epic_id: changed,
      project_id: changed,
      workflow_state_id: changed,
      complete: changed,
      deadline: changed,
      label_ids: ids,
      owner_ids: ids,
      file_ids: ids,
      branch_ids: ids,
      pull_request_ids: ids,
      comment_ids: ids,
    })
    .nullish(),
})
type Action = z.output<typeof action>

const reference = z.object({
  id,
  entity_type: z.string(),
  name: text,
  app_url: text,
  url: text,
  number: z.number().nullish(),
})

const payload = z.object({
  primary_id: id.nullish(),
  actions: z.array(action),
  references: z.array(reference).nullish(),
})
type Payload = z.output<typeof payload>

const storyLink = ({ name, app_url }: { name?: string | null | undefined; app_url?: string | null | undefined }) =>
  link(name ?? 'a story', app_url)

/** Returns the name of something that a change refers to by its id. */
function nameIn({ references }: Payload, kind: string, wanted: unknown): string | null {
  const found = references?.find((one) => one.entity_type === kind && valueText(one.id) === valueText(wanted))
  return found?.name ?? null
}

function move(given: Payload, kind: string, change: z.output<typeof changed>, label: string): MarkdownValue {
  if (!change) return null
  const [from, to] = [nameIn(given, kind, change.old), nameIn(given, kind, change.new)]
  if (from && to) return md`moved from the ${label} ${bold(from)} to ${bold(to)}`
  if (to) return md`added to the ${label} ${bold(to)}`
  return from ? md`removed from the ${label} ${bold(from)}` : null
}

/** Returns the changes of a story that are worth a message. */
function storyChanges(given: Payload, story: Action): MarkdownValue[] {
  const { changes } = story
  if (!changes) return []
  const isBatch = given.primary_id === null || given.primary_id === undefined
  const parts: MarkdownValue[] = [
    changes.archived && (changes.archived.new === true ? 'archived' : 'unarchived'),
    changes.name && (typeof changes.name.old === 'string' ? md`renamed; it was ${changes.name.old}` : 'renamed'),
    changes.description &&
      (changes.description.new === ''
        ? 'left without a description'
        : changes.description.old === ''
          ? 'given a description'
          : 'given another description'),
    move(given, 'epic', changes.epic_id, 'epic'),
    move(given, 'project', changes.project_id, 'project'),
    changes.story_type &&
      md`changed from the type ${bold(valueText(changes.story_type.old))} to ${bold(valueText(changes.story_type.new))}`,
    changes.estimate &&
      (changes.estimate.new === null || changes.estimate.new === undefined
        ? 'left without an estimate'
        : `estimated at ${valueText(changes.estimate.new)} points`),
    labels(given, changes.label_ids?.adds),
    !isBatch && changes.owner_ids?.adds && changes.owner_ids.adds.length > 0 && 'given a new owner',
    changes.file_ids?.adds && changes.file_ids.adds.length > 0 && 'given an attachment',
  ]
  const shown = parts.filter(Boolean)
  const state = changes.workflow_state_id
  const [from, to] = [nameIn(given, 'workflow-state', state?.old), nameIn(given, 'workflow-state', state?.new)]
  if (from && to)
    shown.push(shown.length === 0 ? md`moved from ${bold(from)} to ${bold(to)}` : md`moved from ${from} to ${to}`)
  return shown
}

function labels(given: Payload, adds: readonly (number | string)[] | null | undefined): MarkdownValue {
  const names = (adds ?? []).map((wanted) => nameIn(given, 'label', wanted) ?? labelAmong(given, wanted))
  const known = names.filter((name) => name !== null)
  return known.length === 0
    ? null
    : md`given the ${known.length === 1 ? 'label' : 'labels'} ${enumerate(known.map((name) => bold(name)))}`
}

/** A new label is an action rather than a reference. */
const labelAmong = ({ actions }: Payload, wanted: number | string) =>
  actions.find((one) => one.entity_type === 'label' && valueText(one.id) === valueText(wanted))?.name ?? null

/** Returns a message about a story, if it was changed in a way that is worth one. */
function fromStory(given: Payload, story: Action): WebhookMessage | null {
  const topic = story.name ?? 'Story'
  const event = `story:${story.action}`
  const it = storyLink(story)
  if (story.action === 'create') {
    const epic = nameIn(given, 'epic', story.epic_id)
    return {
      event,
      topic,
      content: md`New ${bold(story.story_type)} story ${it} was created${epic && md` in the epic ${bold(epic)}`}.`,
    }
  }
  if (story.action === 'delete')
    return { event, topic, content: md`The ${story.story_type ?? ''} story ${bold(story.name)} was deleted.` }
  const linked = given.actions.filter(
    ({ entity_type: type, action }) => (type === 'pull-request' || type === 'branch') && action === 'create',
  )
  const isLinked =
    (story.changes?.pull_request_ids?.adds?.length ?? 0) > 0 || (story.changes?.branch_ids?.adds?.length ?? 0) > 0
  if (isLinked && linked.length > 0) {
    const names = linked.map((one) =>
      one.entity_type === 'branch'
        ? md`the branch ${link(one.name, one.url)}`
        : md`the pull request ${link(`#${one.number ?? '?'}`, one.url)}`,
    )
    return { event, topic, content: md`${enumerate(names)} was linked to the story ${it}.` }
  }
  const changes = storyChanges(given, story)
  return changes.length === 0 ? null : { event, topic, content: md`The story ${it} was ${enumerate(changes)}.` }
}

function fromEpic(given: Action): WebhookMessage | null {
  const topic = given.name ?? 'Epic'
  const event = `epic:${given.action}`
  const it: Markdown = bold(topic)
  const at = (content: Markdown): WebhookMessage => ({ event, topic, content })
  if (given.action === 'create') return at(md`New epic ${it} was created${given.state && md` (${given.state})`}.`)
  if (given.action === 'delete') return at(md`The epic ${it} was deleted.`)
  const { changes } = given
  if (!changes) return null
  const parts: MarkdownValue[] = [
    changes.name && (typeof changes.name.old === 'string' ? md`renamed; it was ${changes.name.old}` : 'renamed'),
    changes.archived && (changes.archived.new === true ? 'archived' : 'unarchived'),
    changes.description &&
      (changes.description.new === ''
        ? 'left without a description'
        : changes.description.old === ''
          ? 'given a description'
          : 'given another description'),
    changes.state && md`moved from ${bold(valueText(changes.state.old))} to ${bold(valueText(changes.state.new))}`,
  ]
  const shown = parts.filter(Boolean)
  return shown.length === 0 ? null : at(md`The epic ${it} was ${enumerate(shown)}.`)
}

function describe(given: Payload): (WebhookMessage | null)[] {
  const [first] = given.actions
  if (first === undefined) return []
  const { entity_type: type, action: verb } = first
  const story = given.actions.find((one) => one.entity_type === 'story')
  const storyReference = given.references?.find((one) => one.entity_type === 'story')
  if (type === 'story-task') {
    const task = bold(first.description)
    const of = story ?? storyReference
    const at = (content: Markdown) => [{ event: `${type}:${verb}`, topic: of?.name ?? 'Story', content }]
    if (verb === 'create') return at(md`The task ${task} was added to the story ${storyLink(of ?? {})}.`)
    if (verb === 'delete') return at(md`The task ${task} was removed from the story ${storyLink(of ?? {})}.`)
    return first.changes?.complete?.new === true
      ? at(md`The task ${task} of the story ${storyLink(of ?? {})} was completed. 🎉`)
      : []
  }
  if (type === 'story-comment') {
    if (verb !== 'create') return []
    const of = story ?? storyReference
    return [
      {
        event: `${type}:${verb}`,
        topic: of?.name ?? 'Story',
        content: paragraphs(md`New comment on the story ${storyLink(of ?? {})}:`, quoteMarkdown(first.text)),
      },
    ]
  }
  if (type === 'epic-comment') {
    if (verb !== 'create') return []
    const epic =
      given.actions.find((one) => one.entity_type === 'epic') ??
      given.references?.find((one) => one.entity_type === 'epic')
    return [
      {
        event: `${type}:${verb}`,
        topic: epic?.name ?? 'Epic',
        content: lines(md`New comment on the epic ${bold(epic?.name)}:`, quoteMarkdown(first.text)),
      },
    ]
  }
  if (type === 'epic') return [fromEpic(first)]
  const stories = given.actions.filter((one) => one.entity_type === 'story')
  if (stories.length === 0) return unknownEvent(`${type}:${verb}`)
  return stories.map((one) => fromStory(given, one))
}

export const clubhouse = integration({
  name: 'clubhouse',
  title: 'Shortcut',
  category: 'Project management',
  logo: { letter: 'S', color: '#58b1e4' },
  steps: [
    'In Shortcut, which was Clubhouse, open **Settings**, then **Integrations**, and **Webhooks**.',
    'Paste the URL into **Payload URL**. If you want deliveries to be verified, choose a secret, and set the same for the bot.',
  ],
  verify: hmacSignature({ header: 'Payload-Signature' }),
  handle: on(payload, (given) => describe(given).filter((message) => message !== null)),
})
