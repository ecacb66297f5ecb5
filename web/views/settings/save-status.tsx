import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import './settings.css'
import { t } from '../../text/t.ts'

export type SaveState = 'still' | 'saving' | 'saved' | 'changed elsewhere'

/** Shows that a change is being saved or was saved, or that someone else has changed the value. */
export function SaveStatus({ state }: { state: SaveState }): ReactNode {
  return (
    <p className="small saved" role="status">
      {state === 'saving' && t('Saving…')}
      {state === 'changed elsewhere' && <span className="soft">{t('Someone else just changed this.')}</span>}
      {state === 'saved' && (
        <>
          <Check className="icon" aria-hidden="true" /> {t('Saved')}
        </>
      )}
    </p>
  )
}
