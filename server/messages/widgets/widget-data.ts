/** The maximum index of an option or task. Clients number the items that each user adds to a widget. */
const MAX_INDEX = 1000

/** Returns the error message of the reference server for an invalid value; null for a valid one. */
type FieldCheck = (name: string, value: unknown) => string | null

const isText: FieldCheck = (name, value) => (typeof value === 'string' ? null : `${name} is not a string`)
const isFlag: FieldCheck = (name, value) => (typeof value === 'boolean' ? null : `${name} is not a boolean`)

const isIndex: FieldCheck = (name, value) => {
  if (!Number.isInteger(value)) return `${name} is not an integer`
  if ((value as number) < 0) return `${name} is too small`
  return (value as number) > MAX_INDEX ? `${name} is too large` : null
}

const isVote: FieldCheck = (name, value) => {
  if (!Number.isInteger(value)) return `${name} is not an integer`
  return value === 1 || value === -1 ? null : `Invalid ${name}`
}

/** The fields of a change to a widget, apart from `type`. */
type Change = {
  fields: Readonly<Record<string, FieldCheck>>
  /** The error message for users other than the author. It is absent if all users may make the change. */
  onlyAuthor?: string
}

type Widget = { name: string; changes: Readonly<Record<string, Change>> }

const widgets: Readonly<Record<string, Widget>> = {
  poll: {
    name: 'poll data',
    changes: {
      vote: { fields: { key: isText, vote: isVote } },
      question: { fields: { question: isText }, onlyAuthor: "You can't edit a question unless you are the author." },
      new_option: { fields: { option: isText, idx: isIndex } },
    },
  },
  todo: {
    name: 'todo data',
    changes: {
      new_task: { fields: { key: isIndex, task: isText, desc: isText, completed: isFlag } },
      strike: { fields: { key: isText } },
      new_task_list_title: {
        fields: { title: isText },
        onlyAuthor: "You can't edit the task list title unless you are the author.",
      },
    },
  },
}

/** Returns the widget type in the content of the first submessage; null if there is none. */
export function widgetTypeOf(content: string): string | null {
  try {
    const data: unknown = JSON.parse(content)
    const type = isObject(data) ? data['widget_type'] : null
    return typeof type === 'string' ? type : null
  } catch {
    return null
  }
}

/** Returns the error in a change to a poll or to-do list; null if it is valid. Other widgets accept any change. */
export function findWidgetDataError(widgetType: string | null, data: unknown, isAuthor: boolean): string | null {
  const widget = widgetType !== null && Object.hasOwn(widgets, widgetType) ? widgets[widgetType] : undefined
  if (widget === undefined) return null
  const { name, changes } = widget
  if (!isObject(data)) return `${name} is not a dict`
  if (!Object.hasOwn(data, 'type')) return `type key is missing from ${name}`
  const { type } = data
  if (typeof type !== 'string') return `${name}["type"] is not a string`
  const change = Object.hasOwn(changes, type) ? changes[type] : undefined
  if (change === undefined) return `Unknown type for ${name}: ${type}`
  if (change.onlyAuthor !== undefined && !isAuthor) return change.onlyAuthor
  return findFieldError(name, data, change.fields)
}

function findFieldError(
  name: string,
  data: Readonly<Record<string, unknown>>,
  fields: Change['fields'],
): string | null {
  for (const [field, check] of Object.entries(fields)) {
    if (!Object.hasOwn(data, field)) return `${field} key is missing from ${name}`
    const error = check(`${name}["${field}"]`, data[field])
    if (error !== null) return error
  }
  const unexpected = Object.keys(data).filter((field) => field !== 'type' && !Object.hasOwn(fields, field))
  return unexpected.length === 0 ? null : `Unexpected arguments: ${unexpected.join(', ')}`
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
