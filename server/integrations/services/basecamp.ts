import { z } from 'zod'
import { integration, on, unknownEvent } from '../integration.ts'
import { htmlToText, link, md, paragraphs, quote } from '../markdown.ts'

const text = z.string().nullish()
const recording = z.object({ title: text, app_url: text, content: text })

/** The things in Basecamp, longest names first. */
const KINDS: readonly (readonly [string, string])[] = [
  ['question_answer', 'answer'],
  ['schedule_entry', 'event'],
  ['todolist_group', 'group of to-dos'],
  ['todolist', 'to-do list'],
  ['todo', 'to-do'],
  ['google_document', 'document'],
  ['document', 'document'],
  ['question', 'question'],
  ['message', 'message'],
  ['comment', 'comment'],
  ['upload', 'file'],
  ['vault', 'folder'],
  ['inbox_forward', 'email'],
  ['client_forward', 'email'],
  ['client_approval_response', 'response'],
  ['client_approval', 'approval'],
  ['client_correspondence', 'correspondence'],
  ['client_reply', 'reply'],
  ['kanban_card', 'card'],
]

/** The verbs at the end of the names of events. */
const VERBS: Readonly<Record<string, string>> = {
  created: 'created',
  active: 'activated',
  archived: 'archived',
  unarchived: 'unarchived',
  trashed: 'trashed',
  untrashed: 'restored',
  publicized: 'published',
  copied: 'copied',
  moved: 'moved',
  inserted: 'inserted',
  completed: 'completed',
  uncompleted: 'reopened',
  paused: 'paused',
  resumed: 'resumed',
  title_changed: 'changed the title of',
  subject_changed: 'changed the subject of',
  name_changed: 'changed the name of',
  content_changed: 'changed the content of',
  description_changed: 'changed the description of',
  due_on_changed: 'changed the due date of',
  due_date_changed: 'changed the due date of',
  assignment_changed: 'changed the people assigned to',
  schedule_changed: 'changed the schedule of',
  subscribers_changed: 'changed the subscribers of',
  rescheduled: 'rescheduled',
}

export const basecamp = integration({
  name: 'basecamp',
  title: 'Basecamp',
  category: 'Project management',
  summary: 'Documents, to-dos, messages',
  logo: { letter: 'B', color: '#1d2d35' },
  steps: [
    'In your project on Basecamp, open the menu, then **Set up webhooks**, and click **Add a new webhook**.',
    'Paste the URL into the payload URL, choose the events, and click **Add this webhook**.',
  ],
  sample: {
    payload: {
      kind: 'todo_created',
      creator: { name: 'Ada' },
      recording: {
        title: 'Print the map',
        app_url: 'https://3.basecamp.com/1/buckets/2/todos/3',
        parent: { title: 'Before the fair', app_url: 'https://3.basecamp.com/1/buckets/2/todolists/4' },
        bucket: { name: 'Atlas' },
      },
    },
  },
  handle: on(
    z.object({
      kind: z.string(),
      creator: z.object({ name: text }).nullish(),
      recording: recording.extend({ parent: recording.nullish(), bucket: z.object({ name: z.string() }) }),
    }),
    ({ kind, creator, recording: given }) => {
      const [prefix, noun] = KINDS.find(([name]) => kind.startsWith(`${name}_`)) ?? unknownEvent(kind)
      const verb = VERBS[kind.slice(prefix.length + 1)] ?? unknownEvent(kind)
      const user = creator?.name ?? 'Someone'
      const topic = given.bucket.name
      const body = quote(htmlToText(given.content))
      const isChanged = verb === 'created' || verb === 'changed the content of'
      const end = isChanged && body.markdown !== '' ? ':' : '.'
      const parent = given.parent && link(given.parent.title, given.parent.app_url)
      if (prefix === 'comment') {
        const it = link('comment', given.app_url)
        const words =
          verb === 'created' ? md`${link('commented', given.app_url)} on ${parent}` : md`${verb} a ${it} on ${parent}`
        return { event: kind, topic, content: paragraphs(md`${user} ${words}${end}`, isChanged && body) }
      }
      const of = prefix === 'question_answer' && parent ? md` to the question ${parent}` : null
      const it =
        prefix === 'question_answer' ? link('answer', given.app_url) : md`${noun} ${link(given.title, given.app_url)}`
      const shows = isChanged && prefix !== 'todo'
      return {
        event: kind,
        topic,
        content: paragraphs(md`${user} ${verb} the ${it}${of}${shows ? end : '.'}`, shows && body),
      }
    },
  ),
})
