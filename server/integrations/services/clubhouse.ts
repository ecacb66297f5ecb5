import { z } from 'zod'
import { integration, on, parse, type WebhookMessage } from '../integration.ts'
import { bold, code, enumerate, link, type Markdown, md, paragraphs, quoteMarkdown } from '../markdown.ts'
import { hmacSignature } from '../signatures.ts'

// A delivery lists everything that one request changed. A comment, a task or a pull request comes with the story that it
// belongs to; stories that are changed together come in one delivery, and each has a message of its own.

const text = z.string().nullish()
const id = z.union([z.string(), z.number()])

const reference = z.object({ id, entity_type: text, name: text, app_url: text })

const action = z.object({
  id: id.nullish(),
  entity_type: z.string(),
  action: z.string(),
  name: text,
  title: text,
  text,
  description: text,
  complete: z.boolean().nullish(),
  story_type: text,
  story_id: id.nullish(),
  epic_id: id.nullish(),
  number: z.number().nullish(),
  url: text,
  app_url: text,
  changes: z.record(z.string(), z.unknown()).nullish(),
})
type Action = z.output<typeof action>

/** The maximum number of items of a list that are read. Each item of one is looked up in another. */
const MAX_ITEMS = 500

/** Returns the type of a list of which only the first items are read. */
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).transform((list) => list.slice(0, MAX_ITEMS))

const delivery = z.object({
  primary_id: id.nullish(),
  actions: listOf(action),
  references: listOf(reference).nullish(),
})
type Delivery = z.output<typeof delivery>

const change = z.object({
  old: z.unknown().optional(),
  new: z.unknown().optional(),
  adds: listOf(id).nullish(),
  removes: listOf(id).nullish(),
})

function changeOf({ changes }: Action, field: string) {
  const parsed = change.safeParse(changes?.[field]).data
  return parsed && { old: parsed.old, new: parsed.new, adds: parsed.adds ?? [], removes: parsed.removes ?? [] }
}

/** Returns the name of something that a change refers to, or that the same request created. */
const nameOf = ({ references, actions }: Delivery, wanted: unknown): string | null =>
  wanted === undefined || wanted === null
    ? null
    : (references?.find(({ id }) => id === wanted)?.name ?? actions.find(({ id }) => id === wanted)?.name ?? null)

const asText = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : null)

/** Describes a move of a story between epics, projects, iterations or teams. */
function moved(payload: Delivery, story: Action, field: string, noun: string): Markdown | null {
  const change = changeOf(story, field)
  if (!change) return null
  const [from, to] = [nameOf(payload, change.old), nameOf(payload, change.new)]
  if (to !== null && from !== null) return md`went from the ${noun} ${bold(from)} to ${bold(to)}`
  if (to !== null) return md`is now in the ${noun} ${bold(to)}`
  return from === null ? null : md`is no longer in the ${noun} ${bold(from)}`
}

const changedState = (payload: Delivery, story: Action): readonly [string, string] | null => {
  const change = changeOf(story, 'workflow_state_id')
  const [from, to] = [nameOf(payload, change?.old), nameOf(payload, change?.new)]
  return from === null || to === null ? null : [from, to]
}

const labelsAdded = (payload: Delivery, story: Action): Markdown | null => {
  const names = (changeOf(story, 'label_ids')?.adds ?? [])
    .map((label) => nameOf(payload, label))
    .filter((name) => name !== null)
  return names.length === 0
    ? null
    : md`has the new ${names.length === 1 ? 'label' : 'labels'} ${enumerate(names.map(bold))}`
}

const typeChanged = (story: Action): Markdown | null => {
  const change = changeOf(story, 'story_type')
  return change ? md`is a ${bold(asText(change.new))} now, not a ${bold(asText(change.old))} anymore` : null
}

function fileAdded(payload: Delivery, story: Action): Markdown | null {
  const file = changeOf(story, 'file_ids')?.adds[0]
  const name = nameOf(payload, file)
  return name ? md`has the new attachment ${code(name)}` : null
}

/** The changes of a single story, the most important first: only one of them is the message. */
function storyChange(payload: Delivery, story: Action): Markdown | null {
  const field = (name: string) => changeOf(story, name)
  const description = field('description')
  if (description) {
    if (asText(description.old) && !asText(description.new)) return md`has no description anymore`
    return asText(description.old) ? md`has another description` : md`has a description now`
  }
  const state = changedState(payload, story)
  if (state) return md`went from ${bold(state[0])} to ${bold(state[1])}`
  const name = field('name')
  if (name) return md`was called ${asText(name.old)} before`
  const archived = field('archived')
  if (archived) return archived.new === true ? md`was archived` : md`was restored from the archive`
  const estimate = field('estimate')
  const points = asText(estimate?.new)
  const blocked = field('blocked')
  return (
    moved(payload, story, 'epic_id', 'epic') ??
    (estimate
      ? points === null
        ? md`has no estimate anymore`
        : md`was estimated: ${points} ${points === '1' ? 'point' : 'points'}`
      : null) ??
    fileAdded(payload, story) ??
    labelsAdded(payload, story) ??
    moved(payload, story, 'project_id', 'project') ??
    typeChanged(story) ??
    (field('owner_ids')?.adds.length ? md`has a new owner` : null) ??
    moved(payload, story, 'iteration_id', 'iteration') ??
    (blocked ? (blocked.new === true ? md`is blocked` : md`is not blocked anymore`) : null)
  )
}

/** The changes of a story that was changed together with others. */
function batchChange(payload: Delivery, story: Action): Markdown | null {
  const changes = [
    moved(payload, story, 'epic_id', 'epic'),
    moved(payload, story, 'project_id', 'project'),
    typeChanged(story),
    labelsAdded(payload, story),
  ].filter((one) => one !== null)
  const state = changedState(payload, story)
  if (changes.length === 0) return state && md`went from ${bold(state[0])} to ${bold(state[1])}`
  return md`${enumerate(changes)}${state && changes.length > 1 && md` (${state[0]} → ${state[1]})`}`
}

const storyLink = (story: { name?: string | null | undefined; app_url?: string | null | undefined }) =>
  link(story.name ?? 'without a name', story.app_url)

function fromStory(payload: Delivery, story: Action): WebhookMessage | null {
  const topic = story.name ?? 'Stories'
  if (story.action === 'delete') return { topic, content: md`The story ${bold(story.name)} was deleted.` }
  if (story.action === 'create') {
    const epic = nameOf(payload, story.epic_id)
    const content = epic
      ? md`The story ${storyLink(story)} was created in the epic ${bold(epic)}.`
      : md`The story ${storyLink(story)} was created as a ${bold(story.story_type)}.`
    return { topic, content }
  }
  const isBatch = payload.primary_id === undefined || payload.primary_id === null
  const what = isBatch ? batchChange(payload, story) : storyChange(payload, story)
  return what && { topic, content: md`The story ${storyLink(story)} ${what}.` }
}

function fromEpic(epic: Action): WebhookMessage | null {
  const name = epic.name ?? 'without a name'
  const message = (what: Markdown) => ({ topic: name, content: md`The epic ${bold(name)} ${what}.` })
  if (epic.action === 'create') return message(md`was created`)
  if (epic.action === 'delete') return message(md`was deleted`)
  const [description, state, renamed, archived] = ['description', 'state', 'name', 'archived'].map((field) =>
    changeOf(epic, field),
  )
  if (description) {
    if (asText(description.old) && !asText(description.new)) return message(md`has no description anymore`)
    return message(asText(description.old) ? md`has another description` : md`has a description now`)
  }
  if (state) return message(md`went from ${bold(asText(state.old))} to ${bold(asText(state.new))}`)
  if (renamed) return message(md`was called ${asText(renamed.old)} before`)
  if (archived) return message(archived.new === true ? md`was archived` : md`was restored from the archive`)
  return null
}

/** Returns the story or epic that an action is about: it was changed along with it, or is referred to. */
function parentOf({ actions, references }: Delivery, kind: 'story' | 'epic', parentId: unknown) {
  const known = actions.find(
    (one) => one.entity_type === kind && (parentId === null || parentId === undefined || one.id === parentId),
  )
  return (
    known ??
    references?.find(
      (one) => one.entity_type === kind && (parentId === null || parentId === undefined || one.id === parentId),
    )
  )
}

function fromTask(payload: Delivery, task: Action): WebhookMessage | null {
  const story = parentOf(payload, 'story', task.story_id)
  if (!story) return null
  const isDone = changeOf(task, 'complete')?.new === true
  if (task.action === 'update' && !isDone) return null
  const verb = task.action === 'create' ? 'was added to' : task.action === 'delete' ? 'was removed from' : 'is done in'
  return {
    topic: story.name ?? 'Stories',
    content: md`The task ${bold(task.description)} ${verb} the story ${storyLink(story)}.`,
  }
}

function fromComment(payload: Delivery, comment: Action): WebhookMessage | null {
  if (comment.action !== 'create') return null
  const kind = comment.entity_type === 'epic-comment' ? 'epic' : 'story'
  const parent = parentOf(payload, kind, kind === 'epic' ? comment.epic_id : comment.story_id)
  if (!parent) return null
  const it = kind === 'epic' ? bold(parent.name) : storyLink(parent)
  return {
    topic: parent.name ?? 'Stories',
    content: paragraphs(md`The ${kind} ${it} has a new comment:`, quoteMarkdown(comment.text)),
  }
}

/** A branch, commit or pull request was connected with stories. */
function fromForge(payload: Delivery, made: Action): (WebhookMessage | null)[] {
  const isPull = made.entity_type === 'pull-request'
  const label = isPull ? `#${made.number ?? '?'}` : (made.name ?? made.text?.split('\n', 1)[0] ?? String(made.id ?? ''))
  const kind = isPull ? 'pull request' : made.entity_type
  return payload.actions
    .filter((one) => one.entity_type === 'story')
    .map((story) => {
      const state = changedState(payload, story)
      return {
        topic: story.name ?? 'Stories',
        content: md`The ${kind} ${link(label, made.url)} belongs to the story ${storyLink(story)}${state && md` (${state[0]} → ${state[1]})`}.`,
      }
    })
}

/** Things whose creation and deletion are worth a message. */
const NAMED = new Map<string, string>(
  Object.entries({
    iteration: 'iteration',
    milestone: 'objective',
    objective: 'objective',
    project: 'project',
    label: 'label',
  }),
)

function fromNamed({ entity_type: type, action, name, app_url: url }: Action): WebhookMessage | null {
  if (action === 'update' || !name) return null
  const it = url && action !== 'delete' ? link(name, url) : bold(name)
  return { topic: name, content: md`The ${NAMED.get(type)} ${it} was ${action === 'create' ? 'created' : 'deleted'}.` }
}

/** The action that the request was about. Requests that change several stories have none. */
const mainAction = ({ actions, primary_id: id }: Delivery) => actions.find((one) => one.id === id) ?? actions[0]

const handler = on(delivery, (payload, { event }) => {
  const of = (...types: readonly string[]) => payload.actions.filter(({ entity_type: type }) => types.includes(type))
  const [tasks, comments] = [of('story-task'), of('story-comment', 'epic-comment')]
  const connected = of('pull-request', 'branch', 'commit').find(
    ({ action }) => action === 'create' || action === 'comment',
  )
  const found = (messages: readonly (WebhookMessage | null)[]) => messages.filter((one) => one !== null)
  if (tasks.length + comments.length > 0)
    return found([...tasks.map((one) => fromTask(payload, one)), ...comments.map((one) => fromComment(payload, one))])
  if (connected) return found(fromForge(payload, connected))
  if (event === 'epic') return found(of('epic').map(fromEpic))
  const stories = of('story')
  if (stories.length > 0) return found(stories.map((one) => fromStory(payload, one)))
  return found(NAMED.has(event) ? of(event).map(fromNamed) : [])
})

const EVENTS = [
  ...['story', 'story-task', 'story-comment', 'story-link', 'file', 'linked-file', 'epic', 'epic-comment'],
  ...['pull-request', 'branch', 'commit', ...[...NAMED.keys()]],
]

export const clubhouse = integration({
  name: 'clubhouse',
  title: 'Shortcut',
  category: 'Project management',
  summary: 'Stories and epics',
  logo: { letter: 'S', color: '#58b1e4' },
  steps: [
    'In Shortcut, open **Settings**, then **Integrations**, then **Webhooks**, and click **Add new webhook**.',
    'Paste the URL into **Payload URL**. If you want deliveries to be verified, enter a secret, and enter the same as **Secret** under **More options** of the integration.',
    'Click **Add webhook**.',
  ],
  sample: {
    payload: {
      primary_id: 42,
      actions: [
        {
          id: 42,
          entity_type: 'story',
          action: 'create',
          story_type: 'feature',
          name: 'Draw maps without gaps',
          app_url: 'https://app.shortcut.com/example/story/42',
        },
      ],
    },
  },
  verify: hmacSignature({ header: 'Payload-Signature' }),
  // Shortcut sends requests without content now and then.
  read: ({ rawBody }) => (/^\s*(?:null\s*)?$/.test(rawBody.subarray(0, 100).toString()) ? { actions: [] } : null),
  eventOf: (payload) => mainAction(parse(delivery, payload))?.entity_type ?? 'story',
  events: Object.fromEntries(EVENTS.map((event) => [event, handler])),
})
