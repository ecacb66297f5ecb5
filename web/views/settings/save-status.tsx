import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import './settings.css'
import { t } from '../../text/t.ts'
import { UndoButton } from './rows/undo-button.tsx'
import type { SettingUndo } from './rows/use-last-change.ts'
import type { SaveState } from './save-state.ts'

/** Shows that a change is being saved or was saved, or that the value was changed elsewhere. */
export function SaveStatus({ state }: { state: SaveState }): ReactNode {
  return (
    <p className="small saved" role="status">
      {state === 'saving' && t('Saving…')}
      {state === 'changed elsewhere' && <span className="soft">{t('This was just changed elsewhere.')}</span>}
      {state === 'saved' && (
        <>
          <Check className="icon" aria-hidden="true" /> {t('Saved')}
        </>
      )}
    </p>
  )
}

/** Shows the state of the last change, with a button that undoes it. */
export function SaveLine(props: { label: string; state: SaveState; undo: SettingUndo | null }): ReactNode {
  const { label, state, undo } = props
  return (
    <div className="row save-line small">
      <SaveStatus state={state} />
      {undo !== null && <UndoButton label={label} undo={undo} />}
    </div>
  )
}
