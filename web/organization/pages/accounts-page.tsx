import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import BotIcon from 'lucide-react/icons/bot'
import SearchX from 'lucide-react/icons/search-x'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { call } from '../../api/call.ts'
import {
  type AccountFilter,
  type AccountStatus,
  type BotFilter,
  filterAccounts,
  filterBots,
} from '../../people/accounts.ts'
import { BOT_KINDS } from '../../people/bot-kinds.ts'
import { Everyone } from '../../picking/everyone.tsx'
import { useOrganization } from '../../store/organization.ts'
import { ROLES } from '../../store/people.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Empty } from '../../ui/page-states.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { useStableFocus } from '../../ui/table.tsx'
import * as css from '../../ui/table-tools.module.css'
import { AccountTable } from './account-table.tsx'

const ACTIVE_ACCOUNTS: AccountFilter = { kind: 'active', text: '', role: 'any' }

const KINDS: readonly { id: AccountStatus; label: string }[] = [
  { id: 'active', label: t('Active') },
  { id: 'ended', label: t('Deactivated') },
]

/** The list in which administrators search and manage the accounts of people. */
export function AccountsPage(): ReactNode {
  return (
    <Everyone>
      <AllAccounts />
    </Everyone>
  )
}

function AllAccounts(): ReactNode {
  const { realm_users, realm_non_active_users } = useOrganization('realm_users', 'realm_non_active_users')
  const { accounts } = useSearch({ from: '/organization/$section' })
  const [filter, setFilter] = useState({ ...ACTIVE_ACCOUNTS, kind: accounts ?? ACTIVE_ACCOUNTS.kind })
  const appliedFilter = useDeferredValue(filter)
  const all = useMemo(() => [...realm_users, ...realm_non_active_users], [realm_users, realm_non_active_users])
  const { data } = useQuery({
    queryKey: ['people-without-second-factor'],
    queryFn: ({ signal }) => call('GET /realm/second_factors', {}, { signal }),
    staleTime: 0,
  })
  const unprotected = useMemo(() => new Set(data?.users_without.map(({ user_id }) => user_id)), [data])
  const shown = useMemo(() => filterAccounts(all, appliedFilter, unprotected), [all, appliedFilter, unprotected])
  // Keeps the focus when the table disappears with its last row.
  const list = useStableFocus(shown.length)
  return (
    <>
      <search className={`${css.tableFilters} ${css.tableTools}`} aria-label={t('Filter accounts')}>
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
          options={[
            ...KINDS,
            {
              id: 'unprotected' as const,
              label: t('No two-step login ({count})', { count: unprotected.size }),
            },
          ]}
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
            <Button onPress={() => setFilter(ACTIVE_ACCOUNTS)}>{t('Show all active accounts')}</Button>
          </Empty>
        ) : (
          <AccountTable key={appliedFilter.kind} people={shown} />
        )}
      </div>
    </>
  )
}

const ALL_BOTS: BotFilter = { kind: 'any', text: '', bot: 'any' }

const STATES: readonly { id: BotFilter['kind']; label: string }[] = [
  { id: 'any', label: t('All') },
  { id: 'active', label: t('Active') },
  { id: 'ended', label: t('Deactivated') },
]

/** The list in which administrators search and manage bots. */
export function BotsPage(): ReactNode {
  return (
    <Everyone>
      <AllBots />
    </Everyone>
  )
}

function AllBots(): ReactNode {
  const { realm_users, realm_non_active_users } = useOrganization('realm_users', 'realm_non_active_users')
  const [filter, setFilter] = useState(ALL_BOTS)
  const appliedFilter = useDeferredValue(filter)
  const all = useMemo(() => [...realm_users, ...realm_non_active_users], [realm_users, realm_non_active_users])
  const shown = useMemo(() => filterBots(all, appliedFilter), [all, appliedFilter])
  if (!all.some(({ is_bot }) => is_bot))
    return (
      <Empty icon={<BotIcon />} title={t('No bots')}>
        <p>{t('A bot is an account for a program, such as one that posts build results or answers questions.')}</p>
        <Link to="/settings/$section" params={{ section: 'bots' }} className="button">
          {t('Create a bot')}
        </Link>
      </Empty>
    )
  return (
    <>
      <search className={`${css.tableFilters} ${css.tableTools}`} aria-label={t('Filter bots')}>
        <TextField
          label={t('Search')}
          type="search"
          placeholder={t('Name, email or owner')}
          value={filter.text}
          onChange={(text) => setFilter({ ...filter, text })}
        />
        <SelectField
          label={t('Show')}
          value={filter.kind}
          onChange={(kind) => setFilter({ ...filter, kind })}
          options={STATES}
        />
        <SelectField
          label={t('Type')}
          value={filter.bot}
          onChange={(bot) => setFilter({ ...filter, bot })}
          options={[{ id: 'any' as const, label: t('Any type') }, ...BOT_KINDS.map(({ id, label }) => ({ id, label }))]}
        />
      </search>
      <p className="visually-hidden" role="status">
        {t('{count, plural, one {# bot} other {# bots}}', { count: shown.length })}
      </p>
      {shown.length === 0 ? (
        <Empty icon={<SearchX />} title={t('No matching bots')}>
          <p>{t('Try a different search.')}</p>
          <Button onPress={() => setFilter(ALL_BOTS)}>{t('Show all bots')}</Button>
        </Empty>
      ) : (
        <AccountTable key={appliedFilter.kind} people={shown} areBots />
      )}
    </>
  )
}
