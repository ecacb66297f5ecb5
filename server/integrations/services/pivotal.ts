import { z } from 'zod'
import { ignore, integration, on, parse, unknownEvent } from '../integration.ts'
import { bold, bullets, decodeEntities, lines, link, type MarkdownValue, md, paragraphs, quote } from '../markdown.ts'

// Version 5 sends JSON. Version 3, which old projects still use, sends XML; of it, only a few elements are read.

const text = z.string().nullish()

const version3 = z.object({ xml: z.string() })

/** Returns the text of the first element with this name; null if there is none. */
function element(xml: string, name: string): string | null {
  const start = xml.search(new RegExp(`<${name}[\\s>]`))
  if (start === -1) return null
  const from = xml.indexOf('>', start)
  const to = xml.indexOf(`</${name}>`, from)
  return from === -1 || to === -1 ? null : decodeEntities(xml.slice(from + 1, to)).trim()
}

const version3Event = on(version3, ({ xml }) => {
  const event = element(xml, 'event_type') ?? ''
  const author = element(xml, 'author') ?? 'Someone'
  const description = element(xml, 'description') ?? ''
  const stories = xml.slice(Math.max(0, xml.indexOf('<stories')))
  const [project, story] = [element(xml, 'project_id'), element(stories, 'id')]
  const url = `https://www.pivotaltracker.com/s/projects/${encodeURIComponent(project?.toWellFormed() ?? '')}/stories/${encodeURIComponent(story?.toWellFormed() ?? '')}`
  const name = /"([^"]+)"/.exec(description)?.[1] || element(stories, 'name') || 'Story changed'
  const state = element(stories, 'current_state')
  switch (event) {
    case 'note_create':
      return {
        event,
        topic: 'Comment added',
        content: paragraphs(
          md`${author} commented on ${link('a story', url)}:`,
          quote(element(stories, 'text') || description),
        ),
      }
    case 'story_update':
      return {
        event,
        topic: name,
        content: md`${author} ${state ? `set the state of ${JSON.stringify(name)} to ${state}` : `edited ${JSON.stringify(name)}`} (${link('view', url)}).`,
      }
    case 'story_create':
      return {
        event,
        topic: name,
        content: paragraphs(
          md`${author} created the ${element(stories, 'story_type') || 'story'} ${link(name, url)}${state && md` (${state})`}.`,
          quote(element(stories, 'description')),
        ),
      }
    default:
      return unknownEvent(event)
  }
})

const values = z
  .object({
    current_state: text,
    story_type: text,
    estimate: z.number().nullish(),
    text: text,
    description: text,
    name: text,
  })
  .nullish()

const version5 = z.object({
  kind: z.string(),
  project: z.object({ id: z.union([z.number(), z.string()]), name: text }),
  performed_by: z.object({ name: text }).nullish(),
  message: text,
  changes: z.array(z.object({ kind: text, new_values: values, original_values: values })).nullish(),
  primary_resources: z
    .array(z.object({ id: z.union([z.number(), z.string()]), name: text, story_type: text, url: text }))
    .nullish(),
})
type Version5 = z.output<typeof version5>

function describe(
  payload: Version5,
  contentOf: (story: MarkdownValue, changes: NonNullable<Version5['changes']>) => MarkdownValue,
) {
  const { project, performed_by: by, primary_resources: resources, changes } = payload
  const story = resources?.[0]
  const url = `https://www.pivotaltracker.com/s/projects/${encodeURIComponent(String(project.id).toWellFormed())}`
  const it = md`${link(story?.name ?? 'a story', story?.url)}`
  const name = project.name ? link(project.name, url) : link('project', url)
  return {
    topic: story ? `#${story.id}: ${story.name ?? ''}` : (project.name ?? 'Stories'),
    content: paragraphs(md`${name}: ${by?.name ?? 'Someone'} ${contentOf(it, changes ?? [])}`),
  }
}

const updated = on(version5, (payload) =>
  describe(payload, (it, changes) => {
    const facts = changes.flatMap(({ original_values: old, new_values: next }) => [
      old?.current_state &&
        next?.current_state &&
        md`The state went from ${bold(old.current_state)} to ${bold(next.current_state)}`,
      old?.estimate !== undefined &&
        next?.estimate !== undefined &&
        md`The estimate is ${bold(`${next.estimate ?? 0} points`)}${old.estimate !== null && md` (was ${old.estimate})`}`,
      old?.story_type && next?.story_type && md`The type went from ${bold(old.story_type)} to ${bold(next.story_type)}`,
    ])
    const list = bullets(facts)
    return lines(md`edited the story ${it}${list.markdown === '' ? '.' : ':'}`, list)
  }),
)

const simple = (verb: string) => on(version5, (payload) => describe(payload, (it) => md`${verb} ${it}.`))

const kinds = {
  story_update_activity: updated,
  comment_create_activity: on(version5, (payload) =>
    describe(payload, (it, changes) =>
      paragraphs(
        md`commented on ${it}:`,
        quote(changes.find(({ new_values: next }) => typeof next?.text === 'string')?.new_values?.text),
      ),
    ),
  ),
  story_create_activity: on(version5, (payload) =>
    describe(payload, (it, changes) => {
      const { current_state: state, description } =
        changes.find(({ kind }) => kind === 'story')?.new_values ?? changes[0]?.new_values ?? {}
      return paragraphs(
        md`created the ${payload.primary_resources?.[0]?.story_type ?? 'story'} ${it}${state && md` (${bold(state)})`}.`,
        quote(description),
      )
    }),
  ),
  story_move_activity: on(version5, (payload) =>
    describe(payload, (it, changes) => {
      const moved = changes.find(
        ({ original_values: old, new_values: next }) => old?.current_state && next?.current_state,
      )
      const { original_values: old, new_values: next } = moved ?? {}
      return md`moved ${it}${moved && md` from ${bold(old?.current_state)} to ${bold(next?.current_state)}`}.`
    }),
  ),
  story_delete_activity: simple('deleted the story'),
  story_move_into_project_activity: simple('moved another story into the project:'),
  story_move_from_project_activity: simple('moved a story to another project:'),
  task_create_activity: simple('added a task to the story'),
  task_update_activity: simple('changed a task of the story'),
  task_delete_activity: simple('removed a task from the story'),
  comment_update_activity: ignore,
  comment_delete_activity: ignore,
  epic_create_activity: ignore,
  epic_update_activity: ignore,
  epic_delete_activity: ignore,
  epic_move_activity: ignore,
  label_create_activity: ignore,
  label_update_activity: ignore,
  label_delete_activity: ignore,
}

export const pivotal = integration({
  name: 'pivotal',
  title: 'Pivotal Tracker',
  category: 'Project management',
  summary: 'Stories',
  logo: { letter: 'P', color: '#d36b08' },
  steps: [
    'In your project on Pivotal Tracker, open **More**, then **Webhooks**.',
    'Paste the URL into **Webhook URL**, choose version 5, and click **Add**.',
  ],
  sample: {
    payload: {
      kind: 'story_create_activity',
      project: { id: 1, name: 'Atlas' },
      performed_by: { name: 'Ada' },
      message: 'Ada added this feature',
      changes: [
        {
          kind: 'story',
          new_values: { name: 'Draw maps without gaps', story_type: 'feature', current_state: 'unscheduled' },
        },
      ],
      primary_resources: [
        {
          id: 42,
          name: 'Draw maps without gaps',
          story_type: 'feature',
          url: 'https://www.pivotaltracker.com/story/show/42',
        },
      ],
    },
  },
  read: ({ rawBody }) => {
    const body = rawBody.toString('utf8').trim()
    return body.startsWith('<') ? { xml: body } : null
  },
  eventOf: (payload) => {
    const { xml, kind } = parse(z.object({ xml: text, kind: text }), payload)
    return typeof xml === 'string' ? 'version3' : (kind ?? '')
  },
  events: { version3: version3Event, ...kinds },
})
