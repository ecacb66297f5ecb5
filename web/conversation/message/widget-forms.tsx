import Check from 'lucide-react/icons/check'
import Pencil from 'lucide-react/icons/pencil'
import Plus from 'lucide-react/icons/plus'
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { ContentTool } from '../../message-html/content-tool.tsx'
import { showChange } from '../../messages/messages.ts'
import { toAppError } from '../../store/app-error.ts'
import { currentOrganization, useOwnId } from '../../store/organization.ts'
import { useIsStored, useStoredState } from '../../store/stored-state.ts'
import { t } from '../../text/t.ts'
import { showToast } from '../../ui/toasts.ts'
import * as css from './widget.module.css'

/**
 * A field with a button; Enter saves as well. The field is cleared when `onSave` returns true. With `onCancel`, Escape
 * cancels. `problem` returns the error of a value. Typed text is stored under `name` until it is saved or cancelled.
 */
export function AddForm(props: {
  name: string
  label: string
  initial?: string
  problem?: (value: string) => string | null
  onSave: (value: string) => Promise<boolean>
  onCancel?: () => void
  isFocused?: boolean
}): ReactNode {
  const { name, label, initial = '', problem = () => null, onSave, onCancel, isFocused = false } = props
  const [{ value }, keep, forget] = useStoredState(name, () => ({ value: initial }))
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  const [isSaving, setSaving] = useState(false)
  const text = value.trim()
  const error = text === '' ? null : problem(text)

  async function save(event: FormEvent) {
    event.preventDefault()
    if (text === '' || error !== null || isSaving) return
    setSaving(true)
    // The user may have typed something else meanwhile.
    if ((await onSave(text)) && latest.current.trim() === text) forget()
    setSaving(false)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || onCancel === undefined) return
    event.stopPropagation()
    forget()
    onCancel()
  }

  const Icon = onCancel === undefined ? Plus : Check
  return (
    <form className={css.widgetForm} onSubmit={(event) => void save(event)}>
      <input
        className={css.widgetInput}
        aria-label={label}
        aria-invalid={error !== null}
        placeholder={label}
        dir="auto"
        value={value}
        // biome-ignore lint/a11y/noAutofocus: the user pressed a button to write here
        autoFocus={isFocused}
        onChange={({ target }) => (target.value === initial ? forget() : keep({ value: target.value }))}
        onKeyDown={onKeyDown}
      />
      <ContentTool
        type="submit"
        aria-label={onCancel === undefined ? t('Add') : t('Save')}
        disabled={text === '' || error !== null}
      >
        <Icon className="icon" aria-hidden="true" />
      </ContentTool>
      {error !== null && (
        <p className={css.widgetError} role="alert">
          {error}
        </p>
      )}
    </form>
  )
}

/** The question of a poll or the title of a to-do list. Its author can change it. */
export function WidgetTitle(props: {
  messageId: number
  icon: ReactNode
  title: string
  /** The text that is shown if there is no title. */
  untitled: string
  label: string
  editLabel: string
  onSave: ((title: string) => Promise<boolean>) | null
}): ReactNode {
  const { messageId, icon, title, untitled, label, editLabel, onSave } = props
  const [isOpened, setOpened] = useState(false)
  const name = `widget-title.${messageId}`
  const isKept = useIsStored(useOwnId(), name)

  async function save(changed: string): Promise<boolean> {
    const isSaved = changed === title || ((await onSave?.(changed)) ?? false)
    if (isSaved) setOpened(false)
    return isSaved
  }

  if (onSave !== null && (isOpened || isKept))
    return (
      <AddForm
        name={name}
        label={label}
        initial={title}
        onSave={save}
        onCancel={() => setOpened(false)}
        isFocused={isOpened}
      />
    )
  return (
    <div className={css.widgetTitle}>
      {icon}
      <p dir="auto">{title || untitled}</p>
      {onSave !== null && (
        <ContentTool aria-label={editLabel} onClick={() => setOpened(true)}>
          <Pencil className="icon" aria-hidden="true" />
        </ContentTool>
      )}
    </div>
  )
}

/** A change to a poll or to-do list in the form that all clients of the API understand. */
type WidgetChange =
  | { type: 'vote'; key: string; vote: 1 | -1 }
  | { type: 'question'; question: string }
  | { type: 'new_option'; idx: number; option: string }
  | { type: 'strike'; key: string }
  | { type: 'new_task'; key: number; task: string; desc: string; completed: false }
  | { type: 'new_task_list_title'; title: string }

/** Says which change failed, unless its text is still in a field. */
function failureText({ type }: WidgetChange, problem: string): string {
  if (type === 'vote') return t('Couldn’t save your vote. {problem}', { problem })
  return type === 'strike' ? t('Couldn’t change the task. {problem}', { problem }) : problem
}

/**
 * Shows a change immediately, and sends it. If sending fails, reverts the change, shows the error and returns false.
 */
export async function changeWidget(messageId: number, change: WidgetChange): Promise<boolean> {
  const content = JSON.stringify(change)
  const revert = showChange(messageId, currentOrganization()?.user_id ?? 0, content)
  try {
    await call('POST /submessage', { message_id: messageId, msg_type: 'widget', content })
    return true
  } catch (error) {
    revert()
    showToast(failureText(change, toAppError(error).message), { kind: 'error' })
    return false
  }
}
