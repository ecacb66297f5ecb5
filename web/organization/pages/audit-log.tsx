import { useInfiniteQuery } from '@tanstack/react-query'
import Download from 'lucide-react/icons/download'
import ScrollText from 'lucide-react/icons/scroll-text'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { findPerson, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { dayLabel } from '../../ui/moments.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Empty, Loading } from '../../ui/page-states.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { clockTime } from '../../ui/time.tsx'
import * as css from './audit-log.module.css'
import { AUDIT_CATEGORIES, type AuditEntry, settingsNamed, wordsOf } from './audit-words.tsx'
import { SavedNumber } from './saved-fields.tsx'

const DAY = 86_400

const PERIODS = [
  { id: 1, label: t('Last 24 hours') },
  { id: 7, label: t('Last 7 days') },
  { id: 30, label: t('Last 30 days') },
  { id: 365, label: t('Last year') },
  { id: 0, label: t('All time') },
]

const RETENTIONS = [
  { value: 90, label: t('90 days') },
  { value: 365, label: t('1 year') },
  { value: 730, label: t('2 years') },
  { value: 1825, label: t('5 years') },
  { value: -1, label: t('Forever') },
]

/** Asks before a shorter time, which deletes entries. */
const askBeforeShortening = (chosen: number | null, present: number | null) =>
  chosen !== null && chosen > 0 && (present === null || present < 0 || chosen < present)
    ? {
        title: t('Delete older entries?'),
        text: t(
          'Entries older than {chosen, plural, one {# day} other {# days}} will be permanently deleted, from tomorrow on.',
          { chosen },
        ),
        action: t('Delete older entries'),
      }
    : null

type Filter = { text: string; category: AuditEntry['category'] | 'all'; days: number; from: number }

/** Returns the parameters of the API for the filter. */
function toParams({ text, category, days, from }: Filter) {
  return {
    ...(text.trim() !== '' && { search: text.trim(), settings: settingsNamed(text) }),
    ...(category !== 'all' && { category }),
    ...(days > 0 && { since: from - days * DAY }),
  }
}

function fileAddress(params: ReturnType<typeof toParams>): string {
  const fields = Object.entries(params).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return `/audit-log.csv?${new URLSearchParams(fields)}`
}

/** The audit log: who changed what, with filters, as a table that phones show as cards, and as a file. */
export function AuditLog(): ReactNode {
  const [filter, setFilter] = useState<Filter>(() => ({
    ...{ text: '', category: 'all', days: 30, from: Math.floor(Date.now() / 60_000) * 60 },
  }))
  const params = toParams(useDeferredValue(filter))
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit log', params],
    queryFn: ({ pageParam: before, signal }) =>
      call('GET /audit_log', { ...params, ...(before !== null && { before_id: before }) }, { signal }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ entries, found_oldest }) => (found_oldest ? null : entries.at(-1)?.id),
    placeholderData: (previous) => previous,
    staleTime: 0,
  })
  const entries = data?.pages.flatMap((page) => page.entries)
  return (
    <>
      <search className={css.auditFilters} aria-label={t('Filter the audit log')}>
        <TextField
          label={t('Search')}
          isLabelHidden
          type="search"
          placeholder={t('Person, channel, setting')}
          value={filter.text}
          onChange={(text) => setFilter({ ...filter, text })}
        />
        <SelectField
          label={t('Changes')}
          isLabelHidden
          value={filter.category}
          options={[{ id: 'all' as const, label: t('All changes') }, ...AUDIT_CATEGORIES]}
          onChange={(category) => setFilter({ ...filter, category })}
        />
        <SelectField
          label={t('Period')}
          isLabelHidden
          value={filter.days}
          options={PERIODS}
          onChange={(days) => setFilter({ ...filter, days })}
        />
        <a className="button" href={fileAddress(params)} download>
          <Download className="icon" aria-hidden="true" /> {t('CSV')}
        </a>
      </search>
      {error !== null && entries === undefined ? (
        <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
      ) : entries === undefined ? (
        <Loading label={t('Loading the audit log')} lines={6} />
      ) : entries.length === 0 ? (
        <Empty icon={<ScrollText />} title={t('No changes found')}>
          <p>{t('Changes by administrators and sign-ins appear here. Try another search or period.')}</p>
        </Empty>
      ) : (
        <AuditTable entries={entries} />
      )}
      {hasNextPage && (
        <p className={css.auditMore}>
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {t('Show older changes')}
          </Button>
        </p>
      )}
      <div className={css.auditRetention}>
        <SavedNumber
          name="audit_log_retention_days"
          label={t('Audit log retention')}
          hint={t('Older entries are permanently deleted.')}
          options={RETENTIONS}
          describe={(value) => t('{value, plural, one {# day} other {# days}}', { value })}
          ask={askBeforeShortening}
        />
      </div>
    </>
  )
}

function AuditTable({ entries }: { entries: readonly AuditEntry[] }): ReactNode {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: browsers drop the roles of a table that is laid out as cards
    <table className={css.auditTable} role="table" aria-label={t('Audit log')}>
      <thead role="rowgroup">
        <tr role="row">
          {[t('When'), t('Who'), t('What'), t('Change'), t('From')].map((name) => (
            <th key={name} role="columnheader" scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {entries.map((entry) => (
          <AuditRow key={entry.id} entry={entry} />
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  )
}

function AuditRow({ entry }: { entry: AuditEntry }): ReactNode {
  const organization = useOrganization()
  const { what, change } = wordsOf(entry)
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: as above
    <tr role="row">
      <td role="cell" className={css.auditWhen}>
        <time dateTime={new Date(entry.timestamp * 1000).toISOString()}>
          {t('{day} {time}', { day: dayLabel(entry.timestamp), time: clockTime(entry.timestamp) })}
        </time>
      </td>
      <td role="cell" className={css.auditWho}>
        <Actor entry={entry} />
      </td>
      <td role="cell">{what(entry)}</td>
      <td role="cell">{change(entry, organization)}</td>
      <td role="cell" className={css.auditFrom}>
        {fromText(entry)}
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: as above
  )
}

const WITHOUT_ACTOR: Readonly<Record<AuditEntry['origin'], string>> = {
  command: t('Operator'),
  directory: t('Directory'),
  server: t('Server'),
  request: t('Someone with a link'),
}

function Actor({ entry: { actor_id, actor_name, origin, client } }: { entry: AuditEntry }): ReactNode {
  const { realm_users, realm_non_active_users } = useOrganization('realm_users', 'realm_non_active_users')
  if (actor_id === null) return origin === 'directory' && client !== '' ? client : WITHOUT_ACTOR[origin]
  const person = findPerson({ realm_users, realm_non_active_users, cross_realm_bots: [] }, actor_id)
  const name = actor_name ?? t('Unknown ({id})', { id: actor_id })
  return (
    <span className={css.auditActor}>
      <Avatar id={actor_id} name={name} url={person?.avatar_url ?? null} /> {name}
    </span>
  )
}

function fromText({ client, network_address, origin }: AuditEntry): string {
  if (origin === 'command') return t('Command line')
  // The first column names the service.
  if (origin === 'directory') return network_address ?? ''
  return [client, network_address].filter(Boolean).join(' · ')
}
