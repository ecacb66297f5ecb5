import { useSelector } from '@tanstack/react-store'
import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import { draftConflicts, settleConflict } from '../../messages/draft-sync.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import * as composerCss from '../composer.module.css'
import * as warningsCss from '../sending/warnings.module.css'

/** The line that replaces the compose box if the user can't post. */
export function BlockedComposer({ reason }: { reason: string }): ReactNode {
  return (
    <div className={composerCss.composer}>
      <p className={composerCss.composerShut}>
        <Lock className="icon" aria-hidden="true" />
        <span>{reason}</span>
      </p>
    </div>
  )
}

/** The line with the button that undoes sending a message. */
export function HeldNote({ onUndo }: { onUndo: () => void }): ReactNode {
  return (
    <div className={warningsCss.warning} role="status">
      <span className={warningsCss.warningText}>{t('Sending in a moment…')}</span>
      <Button kind="quiet" onPress={onUndo}>
        {t('Undo')}
      </Button>
    </div>
  )
}

/** Lets the user choose between the draft of this browser and a newer draft from another device. */
export function DraftConflict({ draftKey }: { draftKey: string }): ReactNode {
  const other = useSelector(draftConflicts).get(draftKey)
  if (other === undefined) return null
  return (
    <div className={warningsCss.warning} data-kind="warn" role="status">
      <span className={warningsCss.warningText}>
        {t('This draft was also changed on another device: “{text}”', { text: shortened(other) })}
      </span>
      <Button kind="quiet" onPress={() => settleConflict(draftKey, false)}>
        {t('Use that version')}
      </Button>
      <Button kind="quiet" onPress={() => settleConflict(draftKey, true)}>
        {t('Keep this one')}
      </Button>
    </div>
  )
}

const shortened = (text: string) => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
