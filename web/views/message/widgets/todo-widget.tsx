import ListTodo from 'lucide-react/icons/list-todo'
import { type ReactNode, useId } from 'react'
import { MAX_WIDGET_INDEX } from '#rules/limits.ts'
import type { Task, TodoList } from '../../../store/messages/widgets/todo-list.ts'
import { t } from '../../../text/t.ts'
import { AddForm } from './add-form.tsx'
import { changeWidget } from './change-widget.ts'
import { WidgetTitle } from './widget-title.tsx'

/** A to-do list. All readers can tick tasks and add tasks. */
export function TodoWidget(props: { list: TodoList; messageId: number; isAuthor: boolean }): ReactNode {
  const { list, messageId, isAuthor } = props
  const done = list.tasks.filter(({ isDone }) => isDone).length
  const isKnown = (task: string) => list.tasks.some(({ name }) => name === nameAndDescription(task).name)

  function add(typed: string): Promise<boolean> {
    const { name, description } = nameAndDescription(typed)
    const change = { type: 'new_task', key: list.nextIndex, task: name, desc: description, completed: false } as const
    return changeWidget(messageId, change)
  }

  return (
    <section className="widget" aria-label={t('To-do list')}>
      <WidgetTitle
        icon={<ListTodo className="icon" aria-hidden="true" />}
        title={list.title}
        untitled={t('Task list')}
        label={t('Title')}
        editLabel={t('Edit title')}
        onSave={isAuthor ? (title) => changeWidget(messageId, { type: 'new_task_list_title', title }) : null}
      />
      <ul className="todo-tasks">
        {list.tasks.map((task) => (
          <li key={task.key}>
            <TaskBox task={task} messageId={messageId} />
          </li>
        ))}
      </ul>
      {list.tasks.length > 0 && (
        <p className="widget-progress">{t('{done} of {count} done', { done, count: list.tasks.length })}</p>
      )}
      {list.nextIndex <= MAX_WIDGET_INDEX && (
        <AddForm
          label={t('Add a task')}
          problem={(task) => (isKnown(task) ? t('The list already has this task.') : null)}
          onSave={add}
        />
      )}
    </section>
  )
}

function TaskBox({ task, messageId }: { task: Task; messageId: number }): ReactNode {
  const id = useId()
  return (
    <label className="todo-task" data-done={task.isDone ? '' : undefined}>
      <input
        type="checkbox"
        checked={task.isDone}
        aria-describedby={task.description === '' ? undefined : id}
        onChange={() => void changeWidget(messageId, { type: 'strike', key: task.key })}
      />
      <span className="todo-text" dir="auto">
        <span className="todo-name">{task.name}</span>
        {task.description !== '' && (
          <span className="todo-description" id={id}>
            {task.description}
          </span>
        )}
      </span>
    </label>
  )
}

/** Splits a task at the first colon into its name and its description, as `/todo` does. */
function nameAndDescription(typed: string): { name: string; description: string } {
  const at = typed.indexOf(':')
  if (at <= 0) return { name: typed, description: '' }
  return { name: typed.slice(0, at).trim(), description: typed.slice(at + 1).trim() }
}
