import Check from 'lucide-react/icons/check'
import { type ReactNode, useId } from 'react'
import { Button } from 'react-aria-components/Button'
import { t } from '../text/t.ts'
import type { SaveState, SettingUndo } from './saved-value.ts'
import * as css from './settings.module.css'

/** Settings under a heading. */
export function SettingsGroup({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const id = useId()
  return (
    <section className={css.settingsGroup} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** The last group of a page. It explains the consequence of deactivating or archiving something, and has the button. */
export function SettingsEnd(props: {
  /** The name by which links find the group. */
  id?: string
  title: string
  about: string
  children: ReactNode
}): ReactNode {
  const { id, title, about, children } = props
  return (
    <SettingsGroup title={title}>
      <div className={css.settingsEnd} data-setting={id}>
        <p className="soft">{about}</p>
        {children}
      </div>
    </SettingsGroup>
  )
}

/** Undoes the last change of the setting with this label. */
function UndoButton({ label, undo: { isRedo, run } }: { label: string; undo: SettingUndo }): ReactNode {
  return (
    <Button
      className={css.settingUndo}
      aria-label={isRedo ? t('Redo: {label}', { label }) : t('Undo: {label}', { label })}
      onPress={run}
    >
      {isRedo ? t('Redo') : t('Undo')}
    </Button>
  )
}

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
    <div className={css.setting} data-setting={id}>
      <div className={css.settingControl}>
        {children}
        {error !== null && (
          <p className="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
      <div className={css.settingState}>
        <span className={css.settingSaved} role="status">
          {state === 'saving' && t('Saving…')}
          {state === 'changed elsewhere' && (
            <span className={css.settingElsewhere}>{t('This was just changed elsewhere.')}</span>
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
    <dl className={`${css.setting} ${css.settingOnly}`} data-setting={id}>
      <div className={css.settingFact}>
        <dt>
          {label}
          {hint !== undefined && <div className={css.settingFactHint}>{hint}</div>}
        </dt>
        <dd>{value}</dd>
      </div>
    </dl>
  )
}

/** Shows that a change is being saved or was saved, or that the value was changed elsewhere. */
export function SaveStatus({ state }: { state: SaveState }): ReactNode {
  return (
    <p className={`small ${css.saved}`} role="status">
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
    <div className={`row ${css.saveLine} small`}>
      <SaveStatus state={state} />
      {undo !== null && <UndoButton label={label} undo={undo} />}
    </div>
  )
}
