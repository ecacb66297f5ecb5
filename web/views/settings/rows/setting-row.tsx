import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import type { SaveState } from '../../../store/own-settings.ts'
import { t } from '../../../text/t.ts'
import './setting-row.css'

/** Reverts the last change of a setting, or makes it again. */
export type SettingUndo = { readonly isRedo: boolean; readonly run: () => void }

/**
 * A setting with its control. Beside it is room for the state of the last change and for undoing it, so that nothing moves.
 * Links lead to it by its `id`, the setting's name.
 */
export function SettingRow(props: {
  id: string
  label: string
  state: SaveState
  undo?: SettingUndo | null
  error?: string | null
  children: ReactNode
}): ReactNode {
  const { id, label, state, undo = null, error = null, children } = props
  return (
    <div className="setting" data-setting={id}>
      <div className="setting-control">
        {children}
        {error !== null && (
          <p className="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
      <div className="setting-state">
        <span className="setting-saved" role="status">
          {state === 'saving' && t('Saving…')}
          {state === 'saved' && (
            <>
              <Check className="icon" aria-hidden="true" />
              {t('Saved')}
            </>
          )}
        </span>
        {undo !== null && (
          <Button
            className="setting-undo"
            aria-label={undo.isRedo ? t('Redo: {label}', { label }) : t('Undo: {label}', { label })}
            onPress={undo.run}
          >
            {undo.isRedo ? t('Redo') : t('Undo')}
          </Button>
        )}
      </div>
    </div>
  )
}
