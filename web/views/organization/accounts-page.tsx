import SearchX from 'lucide-react/icons/search-x'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { ROLES } from '../../store/people/role.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import '../../ui/table/table-tools.css'
import { t } from '../../text/t.ts'
import { useStableFocus } from '../../ui/table/use-stable-focus.ts'
import { AccountTable } from './account-table.tsx'
import { type AccountFilter, type AccountStatus, filterAccounts } from './accounts.ts'

const ALL: AccountFilter = { kind: 'active', text: '', role: 'any' }

const KINDS: readonly { id: AccountStatus; label: string }[] = [
  { id: 'active', label: t('Active') },
  { id: 'ended', label: t('Deactivated') },
]

/** The list in which administrators search and manage the accounts of people. */
export function AccountsPage(): ReactNode {
  const { realm_users, realm_non_active_users } = useOrganization()
  const [filter, setFilter] = useState(ALL)
  const appliedFilter = useDeferredValue(filter)
  const all = useMemo(() => [...realm_users, ...realm_non_active_users], [realm_users, realm_non_active_users])
  const shown = useMemo(() => filterAccounts(all, appliedFilter), [all, appliedFilter])
  // Keeps the focus when the table disappears with its last row.
  const list = useStableFocus(shown.length)
  return (
    <>
      <search className="table-filters table-tools" aria-label={t('Filter accounts')}>
        <TextField
          label={t('Search')}
          type="search"
          placeholder={t('Name or email')}
          value={filter.text}
          onChange={(text) => setFilter({ ...filter, text })}
        />
        <SelectField
          label={t('Show')}
          value={filter.kind}
          onChange={(kind) => setFilter({ ...filter, kind })}
          options={KINDS}
        />
        <SelectField
          label={t('Role')}
          value={filter.role}
          onChange={(role) => setFilter({ ...filter, role })}
          options={[{ id: 'any' as const, label: t('Any role') }, ...ROLES.map(({ id, label }) => ({ id, label }))]}
        />
      </search>
      <p className="visually-hidden" role="status">
        {t('{count, plural, one {# account} other {# accounts}}', { count: shown.length })}
      </p>
      <div ref={list}>
        {shown.length === 0 ? (
          <Empty icon={<SearchX />} title={t('No matching accounts')}>
            <p>{t('Try a different search.')}</p>
            <Button onPress={() => setFilter(ALL)}>{t('Show all active accounts')}</Button>
          </Empty>
        ) : (
          <AccountTable key={appliedFilter.kind} people={shown} />
        )}
      </div>
    </>
  )
}
