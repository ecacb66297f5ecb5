import { Link } from '@tanstack/react-router'
import BotIcon from 'lucide-react/icons/bot'
import SearchX from 'lucide-react/icons/search-x'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import '../../ui/table/table-tools.css'
import { t } from '../../text/t.ts'
import { BOT_KINDS } from '../settings/bots/bot-kinds.ts'
import { AccountTable } from './account-table.tsx'
import { type BotFilter, filterBots } from './accounts.ts'

const ALL: BotFilter = { kind: 'any', text: '', bot: 'any' }

const STATES: readonly { id: BotFilter['kind']; label: string }[] = [
  { id: 'any', label: t('All') },
  { id: 'active', label: t('Active') },
  { id: 'ended', label: t('Deactivated') },
]

/** The list in which administrators search and manage bots. */
export function BotsPage(): ReactNode {
  const { realm_users, realm_non_active_users } = useOrganization()
  const [filter, setFilter] = useState(ALL)
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
      <search className="table-filters table-tools" aria-label={t('Filter bots')}>
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
          <Button onPress={() => setFilter(ALL)}>{t('Show all bots')}</Button>
        </Empty>
      ) : (
        <AccountTable key={appliedFilter.kind} people={shown} areBots />
      )}
    </>
  )
}
