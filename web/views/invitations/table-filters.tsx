import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { TextField } from '../../ui/fields/field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import type { InvitationFilter } from './rows.ts'

const STATES = [
  { id: 'any', label: 'Any state' },
  { id: 'pending', label: 'Pending' },
  { id: 'failed', label: 'Mail failed' },
  { id: 'expired', label: 'Expired' },
  { id: 'used', label: 'Used' },
  { id: 'withdrawn', label: 'Withdrawn' },
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
    <search className="table-filters" aria-label="Filter the invitations">
      <TextField
        label="Search"
        type="search"
        placeholder="Address or inviter"
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <SelectField
        label="State"
        value={filter.state}
        onChange={(state) => onChange({ ...filter, state })}
        options={STATES}
      />
      {is_admin && (
        <SelectField
          label="Invited by"
          value={filter.whose}
          onChange={(whose) => onChange({ ...filter, whose })}
          options={[
            { id: 'all', label: 'Anybody' },
            { id: 'mine', label: 'Me' },
          ]}
        />
      )}
    </search>
  )
}
