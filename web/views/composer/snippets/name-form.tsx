import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { focusFirst } from '../../../ui/fields/error-summary.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { MAX_NAME_LENGTH } from './snippets.ts'

export function NameForm(props: {
  label: string
  name: string
  onName: (name: string) => void
  /** The error of the last submit. */
  error: string | null
  isPending: boolean
  onSubmit: (name: string) => void
  /** Called on cancel; omitted if the form can't be canceled. */
  onCancel?: () => void
}): ReactNode {
  const { label, name, onName, error, isPending, onSubmit, onCancel } = props
  const [isMissing, setMissing] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  function submit(event: FormEvent) {
    event.preventDefault()
    // React bubbles the event to the form of the message.
    event.stopPropagation()
    if (isPending) return
    const isEmpty = name.trim() === ''
    setMissing(isEmpty)
    if (isEmpty) focusFirst(form.current, { name: '' })
    else onSubmit(name.trim())
  }

  return (
    <form ref={form} className="snippet-form" noValidate onSubmit={submit}>
      <TextField
        label={label}
        name="name"
        autoComplete="off"
        autoFocus={onCancel !== undefined}
        maxLength={MAX_NAME_LENGTH}
        value={name}
        error={isMissing ? t('Enter a name.') : error}
        onChange={(value) => {
          setMissing(false)
          onName(value)
        }}
      />
      <div className="row">
        <Button type="submit" isPending={isPending}>
          {t('Save')}
        </Button>
        {onCancel !== undefined && (
          <Button kind="quiet" onPress={onCancel}>
            {t('Cancel')}
          </Button>
        )}
      </div>
    </form>
  )
}
