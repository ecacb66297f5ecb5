import { type FocusEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { t } from '../text/t.ts'
import { TextField } from '../ui/field.tsx'
import { useSavedValue } from './saved-value.ts'
import { SaveLine } from './setting-row.tsx'

/**
 * A text field that saves its trimmed text on blur or Enter, shows a confirmation, and can undo the change; Escape
 * reverts the typed text. If someone else changes the value while the user types, the typed text stays, and the new
 * value is shown below.
 */
export function AutosaveField(props: {
  /** The name by which links find the field. */
  id?: string
  label: string
  value: string
  description?: ReactNode
  autoComplete?: string
  /** Returns the error of a value before it is sent; null if it is valid. */
  check?: (value: string) => string | null
  save: (value: string) => Promise<unknown>
  isReadOnly?: boolean
  isRequired?: boolean
  /** The type of the input; text if omitted. */
  type?: 'date' | 'url'
  /** The number of lines. If there is more than one, Enter adds a line instead of saving. */
  rows?: number
}): ReactNode {
  const { id, label, value, description, autoComplete, check, save, isReadOnly = false, isRequired, type, rows } = props
  const [draft, setDraft] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const { change, reset, error, shown, ...last } = useSavedValue(value, save, {
    scope: `save ${label}`,
    onSaved: (saved) => setDraft((now) => (now === saved ? null : now)),
  })
  const state = last.state === 'saved' && draft !== null ? 'idle' : last.state
  const undo = state === 'idle' ? null : last.undo

  function saveDraft({ target }: FocusEvent | KeyboardEvent) {
    // A partially typed date has an empty value.
    if (target instanceof HTMLInputElement && target.validity.badInput) return setProblem(t('Complete this field.'))
    if (draft === null) return
    const wanted = draft.trim()
    if (wanted === value) setDraft(null)
    if (wanted === value || (state === 'saving' && wanted === shown)) return
    const found = check?.(wanted) ?? null
    setProblem(found)
    if (found !== null) return
    setDraft(wanted)
    change(wanted)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' && rows === undefined) saveDraft(event)
    if (event.key !== 'Escape') return
    setDraft(null)
    setProblem(null)
    reset()
  }

  return (
    <div className="stack" style={{ '--gap': '0.25rem' } as object} data-setting={id}>
      <TextField
        label={label}
        value={draft ?? value}
        autoComplete={autoComplete ?? 'off'}
        isReadOnly={isReadOnly}
        {...(isRequired && { isRequired })}
        {...(type !== undefined && { type })}
        {...(rows !== undefined && { rows })}
        error={problem ?? error}
        description={description}
        onChange={(text) => {
          setDraft(text)
          setProblem(null)
          reset()
        }}
        onBlur={saveDraft}
        onKeyDown={onKeyDown}
      />
      {state === 'changed elsewhere' && draft !== null && draft !== value ? (
        <p className="soft small" role="status">
          {t('This was changed to “{value}” elsewhere. Press Escape to use it.', { value })}
        </p>
      ) : (
        <SaveLine {...{ label, state, undo }} />
      )}
    </div>
  )
}
