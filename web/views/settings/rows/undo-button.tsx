import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { t } from '../../../text/t.ts'
import './undo-button.css'
import type { SettingUndo } from './use-last-change.ts'

/** Undoes the last change of the setting with this label. */
export function UndoButton({ label, undo: { isRedo, run } }: { label: string; undo: SettingUndo }): ReactNode {
  return (
    <Button
      className="setting-undo"
      aria-label={isRedo ? t('Redo: {label}', { label }) : t('Undo: {label}', { label })}
      onPress={run}
    >
      {isRedo ? t('Redo') : t('Undo')}
    </Button>
  )
}
