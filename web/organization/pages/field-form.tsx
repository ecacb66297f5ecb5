import { useMutation } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useRef, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../../api/call.ts'
import { choicesOf, type FieldChoice, FieldKind } from '../../people/profile-fields.ts'
import { toAppError } from '../../store/app-error.ts'
import { type ProfileField, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { CheckboxField, TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { showToast } from '../../ui/toasts.ts'
import { moveItem } from './editable-list.tsx'
import {
  CUSTOM,
  type FieldDraft,
  type FieldPart,
  fitsSummary,
  isAtKnownSite,
  missingFields,
  NEW_FIELD,
  refusedField,
  toDraft,
  toParams,
  withNewChoice,
} from './field-draft.ts'
import * as css from './profile-fields.module.css'

/** The editor for the options of a field. */
function ChoicesField(props: {
  choices: readonly FieldChoice[]
  /** The saved options. */
  before: readonly FieldChoice[]
  error: string | null
  onChange: (choices: readonly FieldChoice[]) => void
}): ReactNode {
  const { choices, before, error, onChange } = props
  const [added, setAdded] = useState<string | null>(null)
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const isLost = before.some(({ key }) => !choices.some((choice) => choice.key === key && choice.text.trim() !== ''))

  function add() {
    const more = withNewChoice(choices, before)
    setAdded(more.at(-1)!.key)
    onChange(more)
  }

  function remove(at: number) {
    onChange(choices.toSpliced(at, 1))
    // The menu that removed the option has closed, and its button is gone.
    requestAnimationFrame(() => fieldset.current?.focus())
  }

  const actsOn = (at: number) => [
    ...(at > 0 ? [{ label: t('Move up'), run: () => onChange(moveItem(choices, at, -1)) }] : []),
    ...(at < choices.length - 1 ? [{ label: t('Move down'), run: () => onChange(moveItem(choices, at, 1)) }] : []),
    { label: t('Remove'), run: () => remove(at), isDanger: true },
  ]

  return (
    <fieldset ref={fieldset} className={css.choicesField} tabIndex={-1}>
      <legend className="field-label">{t('Options')}</legend>
      {choices.map(({ key, text }, at) => (
        <TextField
          key={key}
          label={t('Option {value}', { value: at + 1 })}
          isLabelHidden
          autoComplete="off"
          autoFocus={key === added}
          value={text}
          onChange={(value) => onChange(choices.with(at, { key, text: value }))}
          after={<RowMenu label={t('Actions for option {value}', { value: at + 1 })} items={actsOn(at)} />}
        />
      ))}
      {error !== null && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
      {isLost && <p className="field-description">{t('Removing an option clears it from profiles.')}</p>}
      <div>
        <Button icon={<Plus className="icon" aria-hidden="true" />} onPress={add}>
          {t('Add option')}
        </Button>
      </div>
    </fieldset>
  )
}

type PartProps = {
  draft: FieldDraft
  /** The field that is edited; null for a new one. */
  field: ProfileField | null
  errorFor: (part: FieldPart) => string | null
  onChange: (change: Partial<FieldDraft>) => void
}

/** The form of a profile field. Type and site can be set only for new fields. */
function FieldForm(props: PartProps): ReactNode {
  const { draft, field, errorFor, onChange } = props
  const { custom_profile_field_types } = useOrganization('custom_profile_field_types')
  const kinds = Object.values(custom_profile_field_types).map(({ id, name }) => ({ id, label: name }))
  return (
    <>
      {field === null && (
        <SelectField label={t('Type')} value={draft.type} options={kinds} onChange={(type) => onChange({ type })} />
      )}
      {draft.type === FieldKind.externalAccount && <SitePart {...props} />}
      {!isAtKnownSite(draft) && (
        <>
          <TextField
            label={t('Name')}
            autoComplete="off"
            maxLength={MAX_LENGTH.profileFieldName}
            value={draft.name}
            error={errorFor('name')}
            onChange={(name) => onChange({ name })}
          />
          <TextField
            label={t('Hint')}
            autoComplete="off"
            maxLength={MAX_LENGTH.profileFieldHint}
            value={draft.hint}
            description={t('Optional. The hint appears below the field when people fill it in.')}
            onChange={(hint) => onChange({ hint })}
          />
        </>
      )}
      {draft.type === FieldKind.choice && (
        <ChoicesField
          choices={draft.choices}
          before={field === null ? [] : choicesOf(field)}
          error={errorFor('choices')}
          onChange={(choices) => onChange({ choices })}
        />
      )}
      <FlagsPart {...props} />
    </>
  )
}

function SitePart({ draft, field, errorFor, onChange }: PartProps): ReactNode {
  const { realm_default_external_accounts } = useOrganization('realm_default_external_accounts')
  const known = Object.entries(realm_default_external_accounts).map(([id, { text }]) => ({ id, label: text }))
  return (
    <>
      {field === null && (
        <SelectField
          label={t('Account type')}
          value={draft.site}
          options={[...known, { id: CUSTOM, label: t('Custom') }]}
          error={errorFor('site')}
          onChange={(site) => onChange({ site })}
        />
      )}
      {draft.site === CUSTOM && (
        <TextField
          label={t('URL pattern')}
          autoComplete="off"
          spellCheck="false"
          maxLength={1000}
          placeholder={t('https://example.com/people/%(username)s')}
          value={draft.pattern}
          error={errorFor('pattern')}
          description={t('Use %(username)s for the account name.')}
          onChange={(pattern) => onChange({ pattern })}
        />
      )}
    </>
  )
}

function FlagsPart({ draft, errorFor, onChange }: PartProps): ReactNode {
  const isFit = fitsSummary(draft)
  const problem = errorFor('isInSummary')
  return (
    <fieldset className={css.choicesField}>
      <legend className="field-label">{t('Options')}</legend>
      <CheckboxField
        isSelected={draft.isInSummary && isFit}
        isDisabled={!isFit}
        onChange={(isInSummary) => onChange({ isInSummary })}
      >
        {t('Show in the profile summary')}
      </CheckboxField>
      {!isFit && <p className="field-description">{t('Not available for this type of field.')}</p>}
      {problem !== null && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      <CheckboxField isSelected={draft.isRequired} onChange={(isRequired) => onChange({ isRequired })}>
        {t('Required field')}
      </CheckboxField>
      <CheckboxField isSelected={draft.isEditable} onChange={(isEditable) => onChange({ isEditable })}>
        {t('People can edit this field')}
      </CheckboxField>
      {!draft.isEditable && <p className="field-description">{t('If off, only administrators can.')}</p>}
    </fieldset>
  )
}

/** Adds a field, or edits the given one. */
export function FieldDialog({ field, onClose }: { field: ProfileField | null; onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState(() => (field === null ? NEW_FIELD : toDraft(field)))
  const [isChecked, setChecked] = useState(false)
  const { mutate, isPending, error, reset } = useMutation<unknown>({
    mutationFn: () =>
      field === null
        ? call('POST /realm/profile_fields', { field_type: draft.type, ...toParams(draft) })
        : call('PATCH /realm/profile_fields/{field_id}', { field_id: field.id, ...toParams(draft) }),
    onSuccess() {
      showToast(field === null ? t('Field added') : t('Field saved'))
      onClose()
    },
  })
  const missing = missingFields(draft)
  const refusal = error === null ? null : toAppError(error)
  const refused = refusal === null ? null : refusedField(draft, refusal.message)

  function errorFor(part: FieldPart): string | null {
    const problem = isChecked ? missing[part] : undefined
    return problem ?? (refused === part ? (refusal?.message ?? null) : null)
  }

  function submit() {
    setChecked(true)
    if (Object.keys(missing).length === 0) mutate()
  }

  return (
    <Dialog
      title={field === null ? t('Add profile field') : t('Edit {name}', { name: field.name })}
      isOpen
      onClose={onClose}
    >
      <DialogForm
        action={field === null ? t('Add field') : t('Save')}
        isPending={isPending}
        onSubmit={submit}
        onCancel={onClose}
      >
        {refusal !== null && refused === null && <ErrorNotice title={t('Couldn’t save the field')} error={refusal} />}
        <FieldForm
          draft={draft}
          field={field}
          errorFor={errorFor}
          onChange={(change) => {
            setDraft({ ...draft, ...change })
            reset()
          }}
        />
      </DialogForm>
    </Dialog>
  )
}
