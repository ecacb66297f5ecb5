import {
  type Adder,
  type Fields,
  isFields,
  isIndex,
  nextIndex,
  readFields,
  type Submessage,
  textIn,
  toList,
} from './widget-data.ts'

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
export function readTodoList(
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
