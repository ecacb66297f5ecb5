import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import './settings.css'
import { t } from '../../text/t.ts'

export type SaveState = 'still' | 'saving' | 'saved'

/** Says that what was changed is being saved, and that it is. */
export function SaveStatus({ state }: { state: SaveState }): ReactNode {
  return (
    <p className="small saved" role="status">
      {state === 'saving' && t('Saving…')}
      {state === 'saved' && (
        <>
          <Check className="icon" aria-hidden="true" /> {t('Saved')}
        </>
      )}
    </p>
  )
}
