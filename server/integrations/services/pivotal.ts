import { z } from 'zod'
import { integration, on, parse } from '../integration.ts'
import { bold, decodeEntities, join, link, type Markdown, md, paragraphs, quote } from '../markdown.ts'

// Two versions of the webhooks of Pivotal Tracker: XML, and JSON since version 5.

const text = z.string().nullish()
const id = z.union([z.number(), z.string()])

const activity = z.object({
  eventType: z.string(),
  description: z.string(),
  projectId: z.string(),
  storyId: z.string(),
})

/** Returns the text of the first element of this name. */
const elementIn = (xml: string, name: string): string =>
  decodeEntities(new RegExp(`<${name}(?: [^<>]{0,100})?>([^<]*)</${name}>`).exec(xml)?.[1] ?? '').trim()

/** Reads the XML of version 3; null for anything else. */
function readXml({ rawBody }: { rawBody: Buffer }): z.output<typeof activity> | null {
  const xml = rawBody.toString('utf8').trimStart()
  if (!xml.startsWith('<')) return null
  const story = xml.indexOf('<story>')
  return {
    eventType: elementIn(xml, 'event_type'),
    description: elementIn(xml, 'description'),
    projectId: elementIn(xml, 'project_id'),
    storyId: story === -1 ? '' : elementIn(xml.slice(story), 'id'),
  }
}

const fromXml = on(activity, ({ eventType, description, projectId, storyId }) => {
  const title = /"([^"]*)"/.exec(description)?.[1]
  const url = `https://www.pivotaltracker.com/s/projects/${projectId}/stories/${storyId}`
  return {
    topic: eventType === 'note_create' ? 'Comment added' : title || 'Story changed',
    content: md`${description} (${link('view', url)})`,
  }
})

const values = z
  .object({
    current_state: text,
    story_type: text,
    estimate: z.number().nullish(),
    owned_by_id: z.number().nullish(),
    text,
    name: text,
    description: text,
  })
  .nullish()

const payload = z.object({
  project: z.object({ id, name: text }),
  performed_by: z.object({ name: text }).nullish(),
  message: text,
  primary_resources: z.array(z.object({ id, name: text, url: text, story_type: text, kind: text })).min(1),
  changes: z.array(z.object({ kind: text, original_values: values, new_values: values })).nullish(),
})
type Payload = z.output<typeof payload>

/** Returns the topic and the beginning of the messages about a story. */
function aboutStory({ project, primary_resources: [story] }: Payload): { topic: string; story: Markdown } {
  const label = `#${story?.id}: ${story?.name ?? ''}`
  const projectLink = link(project.name || 'the project', `https://www.pivotaltracker.com/s/projects/${project.id}`)
  return { topic: label, story: md`${projectLink}: ${link(label, story?.url)}` }
}

const points = (estimate: number | null | undefined) => bold(estimate === 1 ? '1 point' : `${estimate ?? 0} points`)

function changesIn({ changes }: Payload): (Markdown | null)[] {
  const [change] = (changes ?? []).filter(({ kind }) => kind === 'story')
  const [before, after] = [change?.original_values, change?.new_values]
  return [
    before?.current_state && after?.current_state
      ? md`changed the state from ${bold(before.current_state)} to ${bold(after.current_state)}`
      : null,
    before?.estimate != null || after?.estimate != null
      ? md`changed the estimate${before?.estimate == null || after?.estimate == null ? null : md` from ${points(before.estimate)}`} to ${points(after?.estimate)}`
      : null,
    before?.story_type && after?.story_type
      ? md`changed the type from ${bold(before.story_type)} to ${bold(after.story_type)}`
      : null,
  ]
}

const updated = on(payload, (given) => {
  const { topic, story } = aboutStory(given)
  const who = given.performed_by?.name || 'Someone'
  const changes = changesIn(given).filter((change) => change !== null)
  return {
    topic,
    content: md`${story}: ${changes.length === 0 ? (given.message ?? `${who} changed it`) : md`${who} ${join(changes, ', ')}`}.`,
  }
})

const commented = on(payload, (given) => {
  const { topic, story } = aboutStory(given)
  const comment = given.changes?.find(({ kind }) => kind === 'comment')?.new_values?.text
  return {
    topic,
    content: paragraphs(md`${story}: ${given.performed_by?.name || 'Someone'} added a comment:`, quote(comment)),
  }
})

const created = on(payload, (given) => {
  const { topic, story } = aboutStory(given)
  const values = given.changes?.find(({ kind }) => kind === 'story')?.new_values
  return {
    topic,
    content: paragraphs(
      md`${story}: ${given.performed_by?.name || 'Someone'} created the ${values?.current_state ? bold(values.current_state) : null} ${values?.story_type || 'story'}:`,
      quote(values?.description),
    ),
  }
})

const moved = on(payload, (given) => {
  const { topic, story } = aboutStory(given)
  const [change] = changesIn(given)
  return {
    topic,
    content: md`${story}: ${change ? md`${given.performed_by?.name || 'Someone'} ${change}` : given.message}.`,
  }
})

export const pivotal = integration({
  name: 'pivotal',
  title: 'Pivotal Tracker',
  category: 'Project management',
  logo: { letter: 'P', color: '#517a9e' },
  steps: ['In Pivotal Tracker, open **Settings** of the project, then **Webhooks**, and add the URL with version 5.'],
  read: readXml,
  eventOf: (given) => {
    const { eventType, kind } = parse(z.object({ eventType: text, kind: text }), given)
    return eventType != null ? eventType : (kind ?? '')
  },
  events: {
    story_create: fromXml,
    story_update: fromXml,
    story_delete: fromXml,
    note_create: fromXml,
    move_activity: fromXml,
    story_create_activity: created,
    story_update_activity: updated,
    story_move_activity: moved,
    story_move_into_project_activity: moved,
    story_delete_activity: updated,
    comment_create_activity: commented,
    comment_update_activity: commented,
  },
})
