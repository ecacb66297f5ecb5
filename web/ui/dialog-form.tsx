import { type FormEvent, type ReactNode, type RefObject, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { DialogActions } from './dialog.tsx'
import { ErrorSummary, focusFirst } from './error-summary.tsx'

/** What is wrong in a form, by the names of its fields. */
export type FormErrors<Name extends string> = {
  readonly found: Readonly<Partial<Record<Name, string>>>
  readonly form: RefObject<HTMLFormElement | null>
  /** Shows these in place of those before, and focuses the first field that is wrong. */
  complain(errors: Partial<Record<Name, string>>): void
  /** Takes back what was said of a field. */
  forgive(name: Name): void
}

export function useFormErrors<Name extends string>(): FormErrors<Name> {
  const [found, setFound] = useState<Partial<Record<Name, string>>>({})
  const form = useRef<HTMLFormElement>(null)
  return {
    found,
    form,
    complain(errors) {
      setFound(errors)
      focusFirst(form.current, errors)
    },
    forgive: (name) => setFound((errors) => ({ ...errors, [name]: undefined })),
  }
}

/** A form that fills a dialog. It is sent when `check` finds nothing wrong, and not again while it `isPending`. */
export function DialogForm<Name extends string>(props: {
  errors: FormErrors<Name>
  /** What went wrong when it was sent. */
  failure: ReactNode
  check: () => Partial<Record<Name, string>>
  onSend: () => void
  isPending: boolean
  action: string
  icon?: ReactNode
  onClose: () => void
  children: ReactNode
}): ReactNode {
  const { errors, failure, check, onSend, isPending, action, icon, onClose, children } = props

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    const found = check()
    errors.complain(found)
    if (Object.keys(found).length === 0) onSend()
  }

  return (
    <form ref={errors.form} className="dialog-form" noValidate onSubmit={submit}>
      <div className="dialog-body">
        {failure}
        <ErrorSummary errors={errors.found} />
        {children}
      </div>
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" isPending={isPending} {...(icon !== undefined && { icon })}>
          {action}
        </Button>
      </DialogActions>
    </form>
  )
}
