import { MAX_WIDGET_INDEX } from '#rules/shared-limits.ts'

/** A submessage of a message. The first submessage is the widget, and all others are changes to it. */
type Submessage = { readonly sender_id: number; readonly content: string }

/** Any JSON object. */
type Fields = Readonly<Record<string, unknown>>

/** The user who added an option or task; `canned` for options and tasks that the message itself contains. */
type Adder = number | 'canned'

/** Returns the object that a submessage contains; null for anything else. */
function readFields({ content }: Submessage): Fields | null {
  try {
    const value: unknown = JSON.parse(content)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const isIndex = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_WIDGET_INDEX

/** Returns the index of the next item that the user adds. `used` are the indexes of the user's earlier items. */
const nextIndex = (used: readonly number[]): number => Math.max(0, ...used) + 1

/** The key of an option is `adder,index`, as in all clients of the API. */
export type PollOption = { readonly key: string; readonly text: string; readonly voters: readonly number[] }

export type Poll = {
  readonly kind: 'poll'
  readonly question: string
  readonly options: readonly PollOption[]
  /** The index of the next option that the user adds. */
  readonly nextIndex: number
}

type Option = { text: string; voters: Set<number> }

/** Returns a poll after all changes to it. Ignores changes that no client would send. */
function readPoll(extra: Fields, changes: readonly Submessage[], users: { authorId: number; ownId: number }): Poll {
  const options = new Map<string, Option>()
  const used: number[] = []
  let question = textIn(extra['question'])

  const addOption = (adder: Adder, index: unknown, text: unknown) => {
    if (typeof text !== 'string' || !isIndex(index)) return
    if (adder === users.ownId) used.push(index)
    const isKnown = [...options.values()].some((option) => option.text === text)
    if (!isKnown) options.set(`${adder},${index}`, { text, voters: new Set() })
  }

  for (const [index, text] of toList(extra['options']).entries()) addOption('canned', index, text)
  for (const change of changes) {
    const data = readFields(change)
    const sender = change.sender_id
    if (data?.['type'] === 'new_option') addOption(sender, data['idx'], data['option'])
    if (data?.['type'] === 'question' && sender === users.authorId) question = textIn(data['question'])
    if (data?.['type'] === 'vote') vote(options.get(textIn(data['key'])), sender, data['vote'])
  }
  return {
    kind: 'poll',
    question,
    options: [...options].map(([key, { text, voters }]) => ({ key, text, voters: [...voters] })),
    nextIndex: nextIndex(used),
  }
}

function vote(option: Option | undefined, sender: number, value: unknown): void {
  if (value === 1) option?.voters.add(sender)
  if (value === -1) option?.voters.delete(sender)
}

/**
 * The key of a task is `index,adder`, as in all clients of the API. The keys of poll options have the reverse order.
 */
export type Task = {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly isDone: boolean
}

export type TodoList = {
  readonly kind: 'todo'
  readonly title: string
  readonly tasks: readonly Task[]
  /** The index of the next task that the user adds. */
  readonly nextIndex: number
}

/** Returns a to-do list after all changes to it. Ignores changes that no client would send. */
function readTodoList(
  extra: Fields,
  changes: readonly Submessage[],
  users: { authorId: number; ownId: number },
): TodoList {
  const tasks = new Map<string, Task>()
  const used: number[] = []
  let title = textIn(extra['task_list_title'])

  const addTask = (adder: Adder, index: unknown, task: unknown, description: unknown, isDone: boolean) => {
    if (typeof task !== 'string' || !isIndex(index)) return
    if (adder === users.ownId) used.push(index)
    const key = `${index},${adder}`
    const isKnown = [...tasks.values()].some(({ name }) => name === task)
    if (!isKnown) tasks.set(key, { key, name: task, description: textIn(description), isDone })
  }

  for (const [index, task] of toList(extra['tasks']).entries())
    if (isFields(task)) addTask('canned', index, task['task'], task['desc'], false)
  for (const change of changes) {
    const data = readFields(change)
    if (data?.['type'] === 'new_task')
      addTask(change.sender_id, data['key'], data['task'], data['desc'], data['completed'] === true)
    if (data?.['type'] === 'strike') toggle(tasks, textIn(data['key']))
    if (data?.['type'] === 'new_task_list_title' && change.sender_id === users.authorId) title = textIn(data['title'])
  }
  return { kind: 'todo', title, tasks: [...tasks.values()], nextIndex: nextIndex(used) }
}

function toggle(tasks: Map<string, Task>, key: string): void {
  const task = tasks.get(key)
  if (task !== undefined) tasks.set(key, { ...task, isDone: !task.isDone })
}

/** A form that a bot attached to a message. Choosing one of the `choices` sends its `reply`. */
export type ChoiceForm = {
  readonly kind: 'choices'
  readonly heading: string
  readonly choices: readonly { readonly label: string; readonly text: string; readonly reply: string }[]
}

type Widget = Poll | TodoList | ChoiceForm

type WidgetMessage = { readonly sender_id: number; readonly submessages: readonly Submessage[] }

/** Returns the widget of a message: a poll, a to-do list or a form. Returns null for a message without a widget. */
export function readWidget({ sender_id: authorId, submessages }: WidgetMessage, ownId: number): Widget | null {
  const [first, ...changes] = submessages
  const data = first === undefined ? null : readFields(first)
  if (data === null) return null
  const extra = isFields(data['extra_data']) ? data['extra_data'] : {}
  const users = { authorId, ownId }
  if (data['widget_type'] === 'poll') return readPoll(extra, changes, users)
  if (data['widget_type'] === 'todo') return readTodoList(extra, changes, users)
  return data['widget_type'] === 'zform' && extra['type'] === 'choices' ? readForm(extra) : null
}

function readForm(extra: Fields): ChoiceForm {
  const choices = toList(extra['choices'])
    .filter(isFields)
    .map(({ short_name, long_name, reply }) => ({
      label: textIn(short_name),
      text: textIn(long_name),
      reply: textIn(reply),
    }))
  return { kind: 'choices', heading: textIn(extra['heading']), choices }
}
