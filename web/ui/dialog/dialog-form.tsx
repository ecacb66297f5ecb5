import { type FormEvent, type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { t } from '../../text/t.ts'
import { Button } from '../buttons/button.tsx'
import { DialogActions } from './dialog.tsx'

const INVALID = ':is(input, textarea, button, [tabindex])[aria-invalid="true"]'

/**
 * A form that fills a dialog. It ignores further submits while a submit is pending, and focuses the first field with an
 * error.
 */
export function DialogForm(props: {
  ref?: Ref<HTMLFormElement>
  label?: string
  /** The label of the submit button. */
  action: ReactNode
  icon?: ReactNode
  /** True if the action can't be undone. */
  isDanger?: boolean
  /** A short text beside the buttons. */
  note?: ReactNode
  isPending: boolean
  onSubmit: () => void
  onCancel: () => void
  children: ReactNode
}): ReactNode {
  const { ref, label, action, icon, isDanger = false, note, isPending, onSubmit, onCancel, children } = props

  const form = useRef<HTMLFormElement>(null)
  useImperativeHandle(ref, () => form.current!)
  const isChecked = useRef(false)
  useEffect(() => {
    const invalid = isPending ? null : form.current?.querySelector<HTMLElement>(INVALID)
    if (isChecked.current && invalid) {
      isChecked.current = false
      invalid.focus()
    }
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    isChecked.current = true
    // React also passes the event to the form that opened the dialog.
    event.stopPropagation()
    if (!isPending) onSubmit()
  }

  return (
    <form
      ref={form}
      className="dialog-form"
      aria-label={label}
      noValidate
      onSubmit={submit}
      onInput={() => {
        isChecked.current = false
      }}
    >
      <div className="dialog-body">{children}</div>
      <DialogActions>
        {note !== undefined && <span className="dialog-note soft small">{note}</span>}
        <Button onPress={onCancel}>{t('Cancel')}</Button>
        <Button type="submit" kind={isDanger ? 'danger' : 'primary'} isPending={isPending} icon={icon}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}
