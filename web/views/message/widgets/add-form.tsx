import Check from 'lucide-react/icons/check'
import Plus from 'lucide-react/icons/plus'
import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { t } from '../../../text/t.ts'
import { ContentTool } from '../../../ui/message-html/content-tool.tsx'

/**
 * A field with a button; Enter saves as well. The field is cleared when `onSave` returns true. With `onCancel`, the
 * field gets the focus immediately, and Escape cancels. `problem` returns the error of a value.
 */
export function AddForm(props: {
  label: string
  initial?: string
  problem?: (value: string) => string | null
  onSave: (value: string) => Promise<boolean>
  onCancel?: () => void
}): ReactNode {
  const { label, initial = '', problem = () => null, onSave, onCancel } = props
  const [value, setValue] = useState(initial)
  const [isSaving, setSaving] = useState(false)
  const text = value.trim()
  const error = text === '' ? null : problem(text)

  async function save(event: FormEvent) {
    event.preventDefault()
    if (text === '' || error !== null || isSaving) return
    setSaving(true)
    // The user may have typed something else meanwhile.
    if (await onSave(text)) setValue((now) => (now.trim() === text ? '' : now))
    setSaving(false)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || onCancel === undefined) return
    event.stopPropagation()
    onCancel()
  }

  const Icon = onCancel === undefined ? Plus : Check
  return (
    <form className="widget-form" onSubmit={(event) => void save(event)}>
      <input
        className="widget-input"
        aria-label={label}
        aria-invalid={error !== null}
        placeholder={label}
        dir="auto"
        value={value}
        // biome-ignore lint/a11y/noAutofocus: the user pressed a button to write here
        autoFocus={onCancel !== undefined}
        onChange={(event) => setValue(event.target.value)}
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
        <p className="widget-error" role="alert">
          {error}
        </p>
      )}
    </form>
  )
}
