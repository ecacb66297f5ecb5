import { type ReactNode, useState } from 'react'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog/dialog.tsx'
import { CheckboxField } from '../../ui/fields/checkbox-field.tsx'
import type { Option } from '../../ui/fields/option.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { SaveStatus } from '../settings/save-status.tsx'
import { useRealmSetting } from './use-realm-setting.ts'

const OWNERS_ALONE = t('Only owners can change this.')

type BooleanSetting =
  | 'allow_message_editing'
  | 'mandatory_topics'
  | 'enable_read_receipts'
  | 'invite_required'
  | 'emails_restricted_to_domains'
  | 'disallow_disposable_email_addresses'
  | 'name_changes_disabled'
  | 'email_changes_disabled'
  | 'avatar_changes_disabled'
  | 'presence_disabled'

/** A checkbox that saves on change. */
export function SavedCheck(props: { name: BooleanSetting; hint?: string; children: ReactNode }): ReactNode {
  const { name, hint, children } = props
  const { value, mayChange, save, state, error } = useRealmSetting(name)
  return (
    <div className="saved-field">
      <CheckboxField isSelected={value} onChange={save} isDisabled={!mayChange}>
        {children}
      </CheckboxField>
      {(hint !== undefined || !mayChange) && (
        <p className="soft small">{[hint, !mayChange && OWNERS_ALONE].filter(Boolean).join(' ')}</p>
      )}
      {error !== null && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      <SaveStatus state={state} />
    </div>
  )
}

type Limit =
  | 'message_content_edit_limit_seconds'
  | 'message_content_delete_limit_seconds'
  | 'move_messages_within_stream_limit_seconds'
  | 'move_messages_between_streams_limit_seconds'
  | 'message_retention_days'
  | 'waiting_period_threshold'

/** A choice of numbers that saves on change. A different current value is added as an option. */
export function SavedNumber(props: {
  name: Limit
  label: string
  hint?: string
  options: readonly { value: number | null; label: string }[]
  /** Returns the label of a different value. */
  describe: (value: number) => string
  /** Returns the question before a change that can't be undone; null if it can. */
  ask?: (chosen: number | null, present: number | null) => string | null
}): ReactNode {
  const { name, label, hint, options, describe, ask } = props
  const [asked, setAsked] = useState<{ chosen: number | null; question: string } | null>(null)
  const { value, mayChange, save, state, error } = useRealmSetting(name)
  const isListed = options.some((option) => option.value === value)
  const all = isListed || value === null ? options : [{ value, label: describe(value) }, ...options]
  const take = (chosen: number | null) => save(chosen as never)
  const description = [hint, !mayChange && OWNERS_ALONE].filter(Boolean).join(' ')
  return (
    <div className="saved-field">
      <SelectField
        label={label}
        value={String(value)}
        options={all.map((option) => ({ id: String(option.value), label: option.label }))}
        isDisabled={!mayChange}
        error={error}
        {...(description !== '' && { description })}
        onChange={(id) => {
          const chosen = id === 'null' ? null : Number(id)
          const question = ask?.(chosen, value) ?? null
          if (question === null) take(chosen)
          else setAsked({ chosen, question })
        }}
      />
      <SaveStatus state={state} />
      <Dialog
        title={t('{label}: confirm change', { label })}
        role="alertdialog"
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
      >
        <div className="dialog-body">
          <p>{asked?.question}</p>
        </div>
        <DialogActions>
          <Button onPress={() => setAsked(null)}>{t('Cancel')}</Button>
          <Button
            kind="danger"
            onPress={() => {
              if (asked !== null) take(asked.chosen)
              setAsked(null)
            }}
          >
            {t('Confirm')}
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  )
}

/** A choice that saves on change. */
export function SavedPolicy(props: { label: string; options: readonly Option<'all' | 'moves' | 'none'>[] }): ReactNode {
  const { value, save, state, error } = useRealmSetting('message_edit_history_visibility_policy')
  return (
    <div className="saved-field">
      <SelectField {...props} value={value} error={error} onChange={save} />
      <SaveStatus state={state} />
    </div>
  )
}
