import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { TextField } from '../../ui/fields/field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import type { InvitationFilter } from './rows.ts'

const STATES = [
  { id: 'any', label: t('Any state') },
  { id: 'pending', label: t('Pending') },
  { id: 'failed', label: t('Mail failed') },
  { id: 'expired', label: t('Expired') },
  { id: 'used', label: t('Used') },
  { id: 'withdrawn', label: t('Withdrawn') },
] as const

/** Which invitations are shown. */
export function TableFilters({
  filter,
  onChange,
}: {
  filter: InvitationFilter
  onChange: (filter: InvitationFilter) => void
}): ReactNode {
  const { is_admin } = useOrganization()
  return (
    <search className="table-filters" aria-label={t('Filter the invitations')}>
      <TextField
        label={t('Search')}
        type="search"
        placeholder={t('Address or inviter')}
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <SelectField
        label={t('State')}
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
            { id: 'all', label: t('Anybody') },
            { id: 'mine', label: t('Me') },
          ]}
        />
      )}
    </search>
  )
}
