import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import Hash from 'lucide-react/icons/hash'
import Plus from 'lucide-react/icons/plus'
import SearchX from 'lucide-react/icons/search-x'
import { type ReactNode, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { CHATS, PageFrame } from '../navigation/page.tsx'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button, ShowMore } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Empty } from '../ui/page-states.tsx'
import { SelectField } from '../ui/select-field.tsx'
import { mayCreateChannels } from './channel.ts'
import { ChannelRow } from './channel-row.tsx'
import * as css from './channels.module.css'
import {
  type ChannelFilter,
  type ListedChannel,
  listedChannels,
  matchesFilter,
  searchChannels,
  sortChannels,
  useSubscriberCounts,
} from './listing.ts'

const LISTS: readonly { id: ChannelFilter; label: string; none: string }[] = [
  { id: 'all', label: t('All'), none: t('There are no channels you can see yet.') },
  {
    id: 'subscribed',
    label: t('Subscribed'),
    none: t('You’re not subscribed to any channels. Join one under Available.'),
  },
  { id: 'available', label: t('Available'), none: t('You’ve joined every channel available to you.') },
  {
    id: 'archived',
    label: t('Archived'),
    none: t('Archived channels appear here. Their messages stay readable.'),
  },
]

const ORDERS = [
  { id: 'name', label: t('Name') },
  { id: 'traffic', label: t('Activity') },
  { id: 'people', label: t('People') },
  { id: 'newest', label: t('Newest') },
] as const

/** The maximum number of rows that are shown at first. */
const SHOWN = 50

/** The list in which users search, join and leave channels. */
export function Channels(): ReactNode {
  const organization = useOrganization()
  const may = mayCreateChannels(organization)
  const all = useMemo(() => listedChannels(organization), [organization])
  const { show = 'all' } = useSearch({ from: '/channels' })
  return (
    <PageFrame
      title={t('Channels')}
      within={organization.realm_name}
      icon={<Hash className="icon" aria-hidden="true" />}
      about={
        organization.is_guest
          ? t('Channels you’re subscribed to. Members can add you to others.')
          : t('Browse channels and join the ones you need.')
      }
      back={CHATS}
      actions={
        (may.public || may.private) && (
          <Link to="/channels/new" className="button button-primary">
            <Plus className="icon" aria-hidden="true" /> {t('Create channel')}
          </Link>
        )
      }
    >
      <nav className={css.browserLists} aria-label={t('Filter channels')}>
        {LISTS.map(({ id, label }) => (
          <Link
            key={id}
            to="/channels"
            search={(before) => ({ ...before, show: id })}
            replace
            resetScroll={false}
            className={css.browserList}
            aria-current={id === show ? 'true' : undefined}
          >
            {label}
            <span className={css.browserCount}>{all.filter((one) => matchesFilter(organization, one, id)).length}</span>
          </Link>
        ))}
      </nav>
      <Listing key={show} all={all} shown={show} />
    </PageFrame>
  )
}

function Listing({ all, shown }: { all: readonly ListedChannel[]; shown: ChannelFilter }): ReactNode {
  const organization = useOrganization()
  const { sort = 'name' } = useSearch({ from: '/channels' })
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [most, showUpTo] = useState(SHOWN)
  // A channel that the user joins or leaves stays in its place and keeps the focus until another list is shown.
  const [touched, touch] = useState<ReadonlySet<number>>(new Set())
  const onAct = useCallback((id: number) => touch((before) => new Set([...before, id])), [])
  const query = useDeferredValue(text)

  const here = all.filter((one) => matchesFilter(organization, one, shown) || touched.has(one.channel.stream_id))
  const counts = useSubscriberCounts()
  const found = sortChannels(searchChannels(here, query), sort, counts)

  return (
    <>
      <search className={css.browserFilters} aria-label={t('Filter channels')}>
        <TextField
          label={t('Search')}
          type="search"
          placeholder={t('Name or description')}
          value={text}
          onChange={setText}
        />
        <SelectField
          label={t('Sort by')}
          value={sort}
          options={ORDERS}
          onChange={(sort) =>
            void navigate({
              to: '/channels',
              search: (before) => ({ ...before, sort }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </search>
      <p className="visually-hidden" role="status">
        {t('{count, number} of {total, plural, one {# channel} other {# channels}}', {
          count: found.length,
          total: here.length,
        })}
      </p>
      {here.length === 0 ? (
        <Empty icon={<Hash />} title={t('No channels')}>
          <p>{LISTS.find(({ id }) => id === shown)?.none}</p>
          {shown === 'subscribed' && !organization.is_guest && (
            <Link to="/channels" search={{ show: 'available' }} className="button">
              {t('Show available channels')}
            </Link>
          )}
        </Empty>
      ) : found.length === 0 ? (
        <Empty icon={<SearchX />} title={t('No matching channels')}>
          <p>{t('Try a different name or description.')}</p>
          <Button onPress={() => setText('')}>{t('Show all {count}', { count: here.length })}</Button>
        </Empty>
      ) : (
        <ul className={`card ${css.browser}`} aria-label={t('Channels')}>
          {found.slice(0, most).map((known) => (
            <ChannelRow
              key={known.channel.stream_id}
              known={known}
              people={counts?.get(known.channel.stream_id)}
              onAct={onAct}
            />
          ))}
        </ul>
      )}
      <ShowMore shown={most} all={found.length} onMore={() => showUpTo(most + SHOWN)} />
    </>
  )
}
