import type { ReactNode } from 'react'
import { type ProfileField, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { choicesOf, FieldKind } from '../../profile-fields/field.ts'
import { ChoicesField } from './choices-field.tsx'
import { CUSTOM, type FieldDraft, type FieldPart, fitsSummary, isAtKnownSite } from './field-draft.ts'

type PartProps = {
  draft: FieldDraft
  /** The field that is edited; null for a new one. */
  field: ProfileField | null
  errorFor: (part: FieldPart) => string | null
  onChange: (change: Partial<FieldDraft>) => void
}

/** The form of a profile field. Type and site can be set only for new fields. */
export function FieldForm(props: PartProps): ReactNode {
  const { draft, field, errorFor, onChange } = props
  const { custom_profile_field_types } = useOrganization()
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
            maxLength={40}
            value={draft.name}
            error={errorFor('name')}
            onChange={(name) => onChange({ name })}
          />
          <TextField
            label={t('Hint')}
            autoComplete="off"
            maxLength={80}
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
  const { realm_default_external_accounts } = useOrganization()
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
    <fieldset className="choices-field">
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
