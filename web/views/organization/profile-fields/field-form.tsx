import type { ReactNode } from 'react'
import { type ProfileField, useOrganization } from '../../../store/organization.ts'
import { CheckboxField } from '../../../ui/fields/checkbox-field.tsx'
import { TextField } from '../../../ui/fields/field.tsx'
import { SelectField } from '../../../ui/fields/select-field.tsx'
import { choicesOf, FieldKind } from '../../profile-fields/field.ts'
import { ChoicesField } from './choices-field.tsx'
import { CUSTOM, type FieldDraft, type FieldPart, fitsSummary, isAtKnownSite } from './field-draft.ts'

type PartProps = {
  draft: FieldDraft
  /** The field that is changed; null for a new one. */
  field: ProfileField | null
  complaintOn: (part: FieldPart) => string | null
  onChange: (change: Partial<FieldDraft>) => void
}

/** What administrators say of a field. Its kind, and where accounts are, they say of new ones alone. */
export function FieldForm(props: PartProps): ReactNode {
  const { draft, field, complaintOn, onChange } = props
  const { custom_profile_field_types } = useOrganization()
  const kinds = Object.values(custom_profile_field_types).map(({ id, name }) => ({ id, label: name }))
  return (
    <>
      {field === null && (
        <SelectField label="Kind" value={draft.type} options={kinds} onChange={(type) => onChange({ type })} />
      )}
      {draft.type === FieldKind.externalAccount && <SitePart {...props} />}
      {!isAtKnownSite(draft) && (
        <>
          <TextField
            label="Name"
            autoComplete="off"
            maxLength={40}
            value={draft.name}
            error={complaintOn('name')}
            onChange={(name) => onChange({ name })}
          />
          <TextField
            label="Hint"
            autoComplete="off"
            maxLength={80}
            value={draft.hint}
            description="Stands under the field where people fill it in. It may be empty."
            onChange={(hint) => onChange({ hint })}
          />
        </>
      )}
      {draft.type === FieldKind.choice && (
        <ChoicesField
          choices={draft.choices}
          before={field === null ? [] : choicesOf(field)}
          error={complaintOn('choices')}
          onChange={(choices) => onChange({ choices })}
        />
      )}
      <FlagsPart {...props} />
    </>
  )
}

function SitePart({ draft, field, complaintOn, onChange }: PartProps): ReactNode {
  const { realm_default_external_accounts } = useOrganization()
  const known = Object.entries(realm_default_external_accounts).map(([id, { text }]) => ({ id, label: text }))
  return (
    <>
      {field === null && (
        <SelectField
          label="Where the accounts are"
          value={draft.site}
          options={[...known, { id: CUSTOM, label: 'Somewhere else' }]}
          error={complaintOn('site')}
          onChange={(site) => onChange({ site })}
        />
      )}
      {draft.site === CUSTOM && (
        <TextField
          label="Address"
          autoComplete="off"
          spellCheck="false"
          maxLength={1000}
          placeholder="https://example.com/people/%(username)s"
          value={draft.pattern}
          error={complaintOn('pattern')}
          description="With %(username)s where the name of the account belongs."
          onChange={(pattern) => onChange({ pattern })}
        />
      )}
    </>
  )
}

function FlagsPart({ draft, complaintOn, onChange }: PartProps): ReactNode {
  const isFit = fitsSummary(draft)
  const problem = complaintOn('isInSummary')
  return (
    <fieldset className="choices-field">
      <legend className="field-label">How it is used</legend>
      <CheckboxField
        isSelected={draft.isInSummary && isFit}
        isDisabled={!isFit}
        onChange={(isInSummary) => onChange({ isInSummary })}
      >
        Show it on the short card
      </CheckboxField>
      {!isFit && <p className="field-description">The short card has no room for this kind.</p>}
      {problem !== null && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      <CheckboxField isSelected={draft.isRequired} onChange={(isRequired) => onChange({ isRequired })}>
        Ask everybody to fill it in
      </CheckboxField>
      <CheckboxField isSelected={draft.isEditable} onChange={(isEditable) => onChange({ isEditable })}>
        People fill it in themselves
      </CheckboxField>
      {!draft.isEditable && <p className="field-description">Only administrators will.</p>}
    </fieldset>
  )
}
