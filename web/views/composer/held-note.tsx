import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import './warnings/warnings.css'

/** The line with the button that undoes sending a message. */
export function HeldNote({ onUndo }: { onUndo: () => void }): ReactNode {
  return (
    <div className="warning" role="status">
      <span className="warning-text">{t('Sending in a moment…')}</span>
      <Button kind="quiet" onPress={onUndo}>
        {t('Undo')}
      </Button>
    </div>
  )
}
