import { type Poll, readPoll } from './poll.ts'
import { readTodoList, type TodoList } from './todo-list.ts'
import { type Fields, isFields, readFields, type Submessage, textIn, toList } from './widget-data.ts'

/** A form that a bot attached to a message. Choosing one of the `choices` sends its `reply`. */
export type ChoiceForm = {
  readonly kind: 'choices'
  readonly heading: string
  readonly choices: readonly { readonly label: string; readonly text: string; readonly reply: string }[]
}

export type Widget = Poll | TodoList | ChoiceForm

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
