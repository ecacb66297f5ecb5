import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import './settings.css'

export type SaveState = 'still' | 'saving' | 'saved'

/** Says that what was changed is being saved, and that it is. */
export function SaveStatus({ state }: { state: SaveState }): ReactNode {
  return (
    <p className="small saved" role="status">
      {state === 'saving' && 'Saving …'}
      {state === 'saved' && (
        <>
          <Check className="icon" aria-hidden="true" /> Saved
        </>
      )}
    </p>
  )
}
