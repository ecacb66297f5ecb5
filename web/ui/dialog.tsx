import X from 'lucide-react/icons/x'
import { type FormEvent, type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { Button } from './button.tsx'
import { useCloseWhenHidden } from './is-shown.ts'
import './dialog.css'
import { t } from '../text/t.ts'

/**
 * A modal dialog. Escape, its button, and a click outside close it; `ignoresClicksOutside` turns off the last. The
 * focus stays inside, and then returns to the previous element.
 */
export function Dialog(props: {
  title: string
  isOpen: boolean
  onClose: () => void
  /**
   * `side` is a wide pane at the end of the window. `start` and `end` are narrow panes at the start and end of the
   * window.
   */
  size?: 'small' | 'large' | 'side' | 'start' | 'end'
  role?: 'dialog' | 'alertdialog'
  /** True if a click outside doesn't close the dialog, because its content would be lost. */
  ignoresClicksOutside?: boolean
  /** A link to help, beside the button that closes the dialog. */
  help?: ReactNode
  children: ReactNode
}): ReactNode {
  const {
    title,
    isOpen,
    onClose,
    size = 'small',
    role = 'dialog',
    ignoresClicksOutside = false,
    help,
    children,
  } = props
  useCloseWhenHidden(() => isOpen && onClose())
  return (
    <ModalOverlay
      className="overlay"
      data-size={size}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={role === 'dialog' && !ignoresClicksOutside}
    >
      <Modal className="modal" data-size={size}>
        <AriaDialog className="dialog" role={role}>
          <header className="dialog-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <span className="dialog-tools">
              {help}
              <Button
                kind="quiet"
                aria-label={t('Close')}
                data-keys={t('Esc')}
                icon={<X className="icon" aria-hidden="true" />}
                onPress={onClose}
              />
            </span>
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** The buttons at the end of a dialog. They stay visible while its content scrolls. */
export function DialogActions({ children }: { children: ReactNode }): ReactNode {
  return <footer className="dialog-actions">{children}</footer>
}

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
