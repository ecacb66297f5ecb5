import ChartBar from 'lucide-react/icons/chart-bar'
import Check from 'lucide-react/icons/check'
import ListTodo from 'lucide-react/icons/list-todo'
import { type CSSProperties, type ReactNode, useId, useMemo, useState } from 'react'
import { MAX_WIDGET_INDEX } from '#rules/shared-limits.ts'
import { call } from '../../api/call.ts'
import type { Message } from '../../messages/message.ts'
import { peopleOf } from '../../messages/narrow.ts'
import {
  type ChoiceForm,
  type Poll,
  type PollOption,
  readWidget,
  type Task,
  type TodoList,
} from '../../messages/widgets.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { showToast } from '../../ui/toasts.ts'
import { namesOf, useNames } from './reaction-chips.ts'
import * as css from './widget.module.css'
import { AddForm, changeWidget, WidgetTitle } from './widget-forms.tsx'

const PollVoters = lazyPart(async () => (await import('./poll-voters.tsx')).PollVoters)

/** The choices that a bot offers. Choosing one sends its reply to the conversation. */
function ChoiceWidget({ form, message }: { form: ChoiceForm; message: Message }): ReactNode {
  const { user_id } = useOrganization('user_id')

  async function send(content: string) {
    const to =
      message.stream_id === undefined
        ? { type: 'direct' as const, to: JSON.stringify(peopleOf(message, user_id)) }
        : { type: 'channel' as const, to: JSON.stringify([message.stream_id]), topic: message.subject }
    await call('POST /messages', { ...to, content }).catch((error: unknown) =>
      showToast(toAppError(error).message, { kind: 'error' }),
    )
  }

  return (
    <section className={css.widget} aria-label={t('Choices')}>
      <p className={css.widgetTitle}>{form.heading}</p>
      <ul className={css.pollOptions}>
        {form.choices.map(({ label, text, reply }) => (
          <li key={`${label} ${reply}`}>
            <button type="button" className={css.pollOption} onClick={() => void send(reply)}>
              <b>{label}</b>
              <span className={css.pollText}>{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A poll. All readers can vote for any number of options and add options. */
function PollWidget(props: { poll: Poll; messageId: number; isAuthor: boolean }): ReactNode {
  const { poll, messageId, isAuthor } = props
  const total = poll.options.reduce((sum, { voters }) => sum + voters.length, 0)
  const isKnown = (text: string) => poll.options.some((option) => option.text === text)
  return (
    <section className={css.widget} aria-label={t('Poll')}>
      <WidgetTitle
        messageId={messageId}
        icon={<ChartBar className="icon" aria-hidden="true" />}
        title={poll.question}
        untitled={t('Poll')}
        label={t('Question')}
        editLabel={t('Edit question')}
        onSave={isAuthor ? (question) => changeWidget(messageId, { type: 'question', question }) : null}
      />
      <ul className={css.pollOptions}>
        {poll.options.map((option) => (
          <li key={option.key}>
            <Option option={option} total={total} messageId={messageId} />
          </li>
        ))}
      </ul>
      {poll.nextIndex <= MAX_WIDGET_INDEX && (
        <AddForm
          name={`widget-item.${messageId}`}
          label={t('Add an option')}
          problem={(option) => (isKnown(option) ? t('The poll already has this option.') : null)}
          onSave={(option) => changeWidget(messageId, { type: 'new_option', idx: poll.nextIndex, option })}
        />
      )}
    </section>
  )
}

/** An option with its votes. Below it are the names of the voters; a press lists all of them. */
function Option(props: { option: PollOption; total: number; messageId: number }): ReactNode {
  const { option, total, messageId } = props
  const { user_id } = useOrganization('user_id')
  const nameOf = useNames()
  const namesId = useId()
  const [trigger, setTrigger] = useState<Element | null>(null)
  const { key, text, voters } = option
  const isOwn = voters.includes(user_id)
  const share = total === 0 ? 0 : Math.round((voters.length / total) * 100)
  const names = namesOf(voters, user_id, nameOf)
  return (
    <>
      <button
        type="button"
        className={css.pollOption}
        aria-pressed={isOwn}
        aria-describedby={voters.length === 0 ? undefined : namesId}
        style={{ '--share': `${share}%` } as CSSProperties}
        onClick={() => void changeWidget(messageId, { type: 'vote', key, vote: isOwn ? -1 : 1 })}
      >
        {isOwn && <Check className="icon" aria-hidden="true" />}
        <span className={css.pollText} dir="auto">
          {text}
        </span>
        <span className={css.pollCount}>
          {t('{count, plural, one {# vote} other {# votes}} · {share}%', { count: voters.length, share })}
        </span>
      </button>
      {voters.length > 0 && (
        <button
          type="button"
          className={css.pollVoters}
          aria-haspopup="dialog"
          aria-expanded={trigger !== null}
          aria-label={t('{names} voted for {option}', { names, option: text })}
          onClick={({ currentTarget }) => setTrigger(currentTarget)}
        >
          <span id={namesId}>{names}</span>
        </button>
      )}
      {trigger !== null && voters.length > 0 && (
        <PollVoters option={text} voters={voters} trigger={trigger} onClose={() => setTrigger(null)} />
      )}
    </>
  )
}

/** A to-do list. All readers can tick tasks and add tasks. */
function TodoWidget(props: { list: TodoList; messageId: number; isAuthor: boolean }): ReactNode {
  const { list, messageId, isAuthor } = props
  const done = list.tasks.filter(({ isDone }) => isDone).length
  const isKnown = (task: string) => list.tasks.some(({ name }) => name === nameAndDescription(task).name)

  function add(typed: string): Promise<boolean> {
    const { name, description } = nameAndDescription(typed)
    const change = { type: 'new_task', key: list.nextIndex, task: name, desc: description, completed: false } as const
    return changeWidget(messageId, change)
  }

  return (
    <section className={css.widget} aria-label={t('To-do list')}>
      <WidgetTitle
        messageId={messageId}
        icon={<ListTodo className="icon" aria-hidden="true" />}
        title={list.title}
        untitled={t('Task list')}
        label={t('Title')}
        editLabel={t('Edit title')}
        onSave={isAuthor ? (title) => changeWidget(messageId, { type: 'new_task_list_title', title }) : null}
      />
      <ul className={css.todoTasks}>
        {list.tasks.map((task) => (
          <li key={task.key}>
            <TaskBox task={task} messageId={messageId} />
          </li>
        ))}
      </ul>
      {list.tasks.length > 0 && (
        <p className={css.widgetProgress}>{t('{done} of {count} done', { done, count: list.tasks.length })}</p>
      )}
      {list.nextIndex <= MAX_WIDGET_INDEX && (
        <AddForm
          name={`widget-item.${messageId}`}
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
    <label className={css.todoTask} data-done={task.isDone ? '' : undefined}>
      <input
        type="checkbox"
        checked={task.isDone}
        aria-describedby={task.description === '' ? undefined : id}
        onChange={() => void changeWidget(messageId, { type: 'strike', key: task.key })}
      />
      <span className={css.todoText} dir="auto">
        <span className={css.todoName}>{task.name}</span>
        {task.description !== '' && (
          <span className={css.todoDescription} id={id}>
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

/** Shows the widget of a message, such as a poll. For messages without a widget, shows `children`, the text. */
export function MessageWidget({ message, children }: { message: Message; children: ReactNode }): ReactNode {
  return message.submessages.length === 0 ? children : <Widget message={message}>{children}</Widget>
}

function Widget({ message, children }: { message: Message; children: ReactNode }): ReactNode {
  const { user_id } = useOrganization('user_id')
  const widget = useMemo(() => readWidget(message, user_id), [message, user_id])
  const shared = { messageId: message.id, isAuthor: message.sender_id === user_id }
  switch (widget?.kind) {
    case 'poll':
      return <PollWidget poll={widget} {...shared} />
    case 'todo':
      return <TodoWidget list={widget} {...shared} />
    case 'choices':
      return (
        <>
          {children}
          <ChoiceWidget form={widget} message={message} />
        </>
      )
    case undefined:
      return children
  }
}
