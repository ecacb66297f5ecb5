import type { ReactNode } from 'react'
import { draftConflicts, settleConflict } from '../../../store/drafts/draft-sync.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import './warnings.css'

/** Lets the user choose between the draft of this browser and a newer draft from another device. */
export function DraftConflict({ draftKey }: { draftKey: string }): ReactNode {
  const other = draftConflicts.use().get(draftKey)
  if (other === undefined) return null
  return (
    <div className="warning" data-kind="warn" role="status">
      <span className="warning-text">
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
