import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog } from 'react-aria-components/Dialog'
import { Heading } from 'react-aria-components/Heading'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { Button } from '../buttons/button.tsx'
import { useCloseWhenHidden } from '../layout/is-shown.ts'
import './dialog.css'
import { t } from '../../text/t.ts'

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
      className={`overlay overlay-${size}`}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={role === 'dialog' && !ignoresClicksOutside}
    >
      <Modal className={`modal modal-${size}`}>
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
