import type { FormEvent, ReactNode, Ref } from 'react'
import { t } from '../../text/t.ts'
import { Button } from '../buttons/button.tsx'
import { DialogActions } from './dialog.tsx'

/** A form that fills a dialog. It ignores further submits while one is pending. */
export function DialogForm(props: {
  ref?: Ref<HTMLFormElement>
  label?: string
  /** The label of the submit button. */
  action: ReactNode
  icon?: ReactNode
  /** The action can't be undone. */
  isDanger?: boolean
  isPending: boolean
  onSubmit: () => void
  onCancel: () => void
  children: ReactNode
}): ReactNode {
  const { ref, label, action, icon, isDanger = false, isPending, onSubmit, onCancel, children } = props

  function submit(event: FormEvent) {
    event.preventDefault()
    // React bubbles the event to the form that opened the dialog.
    event.stopPropagation()
    if (!isPending) onSubmit()
  }

  return (
    <form ref={ref} className="dialog-form" aria-label={label} noValidate onSubmit={submit}>
      <div className="dialog-body">{children}</div>
      <DialogActions>
        <Button onPress={onCancel}>{t('Cancel')}</Button>
        <Button type="submit" kind={isDanger ? 'danger' : 'primary'} isPending={isPending} icon={icon}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}
