import type { FormEvent, ReactNode, Ref } from 'react'
import { t } from '../../text/t.ts'
import { Button } from '../buttons/button.tsx'
import { DialogActions } from './dialog.tsx'

/** A form that fills a dialog. While what was submitted is pending it submits nothing more. */
export function DialogForm(props: {
  ref?: Ref<HTMLFormElement>
  label?: string
  /** What is on the button that submits. */
  action: ReactNode
  icon?: ReactNode
  /** What it does cannot be taken back. */
  isDanger?: boolean
  isPending: boolean
  onSubmit: () => void
  onCancel: () => void
  children: ReactNode
}): ReactNode {
  const { ref, label, action, icon, isDanger = false, isPending, onSubmit, onCancel, children } = props

  function submit(event: FormEvent) {
    event.preventDefault()
    // For React a form that the dialog was opened from stands around it.
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
