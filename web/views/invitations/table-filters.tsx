import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { TextField } from '../../ui/fields/field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import type { InvitationFilter } from './rows.ts'

const STATES = [
  { id: 'any', label: t('Any status') },
  { id: 'pending', label: t('Pending') },
  { id: 'failed', label: t('Email failed') },
  { id: 'expired', label: t('Expired') },
  { id: 'used', label: t('Used') },
  { id: 'withdrawn', label: t('Revoked') },
] as const

export function TableFilters({
  filter,
  onChange,
}: {
  filter: InvitationFilter
  onChange: (filter: InvitationFilter) => void
}): ReactNode {
  const { is_admin } = useOrganization()
  return (
    <search className="table-filters" aria-label={t('Filter invitations')}>
      <TextField
        label={t('Search')}
        type="search"
        placeholder={t('Email or inviter')}
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <SelectField
        label={t('Status')}
        value={filter.state}
        onChange={(state) => onChange({ ...filter, state })}
        options={STATES}
      />
      {is_admin && (
        <SelectField
          label={t('Invited by')}
          value={filter.whose}
          onChange={(whose) => onChange({ ...filter, whose })}
          options={[
            { id: 'all', label: t('Anyone') },
            { id: 'mine', label: t('Me') },
          ]}
        />
      )}
    </search>
  )
}
