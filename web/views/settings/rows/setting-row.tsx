import Check from 'lucide-react/icons/check'
import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import type { SaveState } from '../save-state.ts'
import './setting-row.css'
import { UndoButton } from './undo-button.tsx'
import type { SettingUndo } from './use-last-change.ts'

/**
 * A setting with its control. The row reserves space for the state of the last change and the undo button, so that
 * nothing moves when they appear. Links find the row by its `id`, the name of the setting.
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
          {state === 'changed elsewhere' && (
            <span className="setting-elsewhere">{t('This was just changed elsewhere.')}</span>
          )}
          {state === 'saved' && (
            <>
              <Check className="icon" aria-hidden="true" />
              {t('Saved')}
            </>
          )}
        </span>
        {undo !== null && <UndoButton label={label} undo={undo} />}
      </div>
    </div>
  )
}

/** A setting that the user can see but not change. */
export function SettingFact(props: { id?: string; label: string; value: ReactNode; hint?: string }): ReactNode {
  const { id, label, value, hint } = props
  return (
    <dl className="setting setting-only" data-setting={id}>
      <div className="setting-fact">
        <dt>
          {label}
          {hint !== undefined && <div className="setting-fact-hint">{hint}</div>}
        </dt>
        <dd>{value}</dd>
      </div>
    </dl>
  )
}
