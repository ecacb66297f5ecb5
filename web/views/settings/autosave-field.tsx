import { useMutation } from '@tanstack/react-query'
import { type FocusEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { TextField } from '../../ui/fields/field.tsx'
import { SaveStatus } from './save-status.tsx'

/** A text that is saved when one leaves it or presses Enter, and says so; Escape takes back what was typed. */
export function AutosaveField(props: {
  label: string
  value: string
  description?: ReactNode
  autoComplete?: string
  /** What is wrong with a value, before the server is asked. */
  check?: (value: string) => string | null
  save: (value: string) => Promise<unknown>
  isReadOnly?: boolean
  isRequired?: boolean
  /** Of the input; a text when omitted. */
  type?: 'date' | 'url'
  /** Number of lines; where there are many, Enter begins a new one. */
  rows?: number
}): ReactNode {
  const { label, value, description, autoComplete, check, save, isReadOnly = false, isRequired, type, rows } = props
  const [draft, setDraft] = useState<string | null>(null)
  const [problem, setComplaint] = useState<string | null>(null)
  const { mutate, reset, isSuccess, isPending, error, variables } = useMutation({
    mutationFn: save,
    // One after the other, so that the last one stays.
    scope: { id: `save ${label}` },
    onSuccess: (_, saved) => setDraft((now) => (now === saved ? null : now)),
  })
  const shown = draft ?? value

  function saveDraft({ target }: FocusEvent | KeyboardEvent) {
    // A day that is typed in part has no value yet, and looks as if none were given.
    if (target instanceof HTMLInputElement && target.validity.badInput) return setComplaint(t('Complete this field.'))
    if (draft === null || draft === value || (isPending && draft === variables)) return
    const found = check?.(draft) ?? null
    setComplaint(found)
    if (found === null) mutate(draft)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && rows === undefined) saveDraft(event)
    if (event.key !== 'Escape') return
    setDraft(null)
    setComplaint(null)
    reset()
  }

  return (
    <div className="stack" style={{ '--gap': '0.25rem' } as object}>
      <TextField
        label={label}
        value={shown}
        autoComplete={autoComplete ?? 'off'}
        isReadOnly={isReadOnly}
        {...(isRequired && { isRequired })}
        {...(type !== undefined && { type })}
        {...(rows !== undefined && { rows })}
        error={problem ?? (error === null ? null : toAppError(error).message)}
        description={description}
        onChange={(text) => {
          setDraft(text)
          setComplaint(null)
          reset()
        }}
        onBlur={saveDraft}
        onKeyDown={onKeyDown}
      />
      <SaveStatus state={isPending ? 'saving' : isSuccess && draft === null ? 'saved' : 'still'} />
    </div>
  )
}
