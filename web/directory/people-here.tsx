import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useRequestedFilter } from '../browser/overlays.ts'
import type { Narrow } from '../messages/narrow.ts'
import { useCurrentNarrow } from '../navigation/narrow-location.ts'
import { matchesPerson } from '../people/person-row.ts'
import { useOrganization } from '../store/organization.ts'
import { usePeople } from '../store/people.ts'
import { loadEveryone, useIsListIncomplete, useMorePeople } from '../store/people-on-demand.ts'
import { channelSubscribers } from '../store/subscribers.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Loading } from '../ui/page-states.tsx'
import { PeopleList, type PeopleSection, usePersonRows } from './people-list.tsx'
import * as css from './people-pane.module.css'

/** The maximum number of other people that are shown at first. */
const MAX_OTHERS = 100

/** The maximum number of people in the conversation whom the pane fetches in large organizations. */
const MAX_FETCHED = 200

/** The people beside a conversation: first the people in the conversation, then all others. */
function PeoplePane({ inConversation }: { inConversation?: ReadonlySet<number> }): ReactNode {
  const [text, setText] = useState('')
  const filter = useRef<HTMLElement>(null)
  useRequestedFilter('people', filter)
  const [areAllWanted, showAll] = useState(false)
  const [isHeld, hold] = useState(false)
  const { realm_users } = useOrganization('realm_users')
  const people = useMemo(() => realm_users.filter(({ is_bot }) => !is_bot), [realm_users])
  const rows = usePersonRows(people, { isHeld, isOrdered: false })
  const query = useDeferredValue(text)
  useMorePeople(text)
  const isIncomplete = useIsListIncomplete()
  const find = usePeople()
  useEffect(() => {
    if (isIncomplete) for (const id of [...(inConversation ?? [])].slice(0, MAX_FETCHED)) find(id)
  }, [isIncomplete, inConversation, find])
  const everyone = useMutation({ mutationFn: loadEveryone })
  const found = rows.filter(({ person }) => matchesPerson(person, query))
  const others = found.filter(({ id }) => !inConversation?.has(id))
  const areOthersShown = inConversation === undefined || areAllWanted || query !== '' || others.length <= MAX_OTHERS
  const sections: PeopleSection[] = [
    { id: 'here', title: t('In this conversation'), rows: found.filter(({ id }) => inConversation?.has(id)) },
    {
      id: 'others',
      title: inConversation === undefined ? t('Everyone') : t('Others'),
      rows: areOthersShown ? others : [],
    },
  ].filter((section) => section.rows.length > 0)

  return (
    <div className={css.peoplePane}>
      <search ref={filter} aria-label={t('People')}>
        <TextField
          label={t('Filter people')}
          type="search"
          placeholder={t('Filter people')}
          value={text}
          onChange={setText}
        />
      </search>
      <p className="visually-hidden" role="status">
        {query !== '' &&
          t('{count, number} of {total, plural, one {# person} other {# people}}', {
            count: found.length,
            total: rows.length,
          })}
      </p>
      <PeopleList sections={sections} onHold={hold} />
      {!areOthersShown && (
        <Button kind="quiet" onPress={() => showAll(true)}>
          {t('Show {count} more', { count: others.length })}
        </Button>
      )}
      {isIncomplete && (
        <Button kind="quiet" isPending={everyone.isPending} onPress={() => everyone.mutate()}>
          {t('Show everyone')}
        </Button>
      )}
    </div>
  )
}

/** The people pane, with the participants of the current conversation first. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function PeopleHere(): ReactNode {
  const readers = useReaders(useCurrentNarrow())
  if (readers === 'unknown') return <Loading label={t('Loading people')} lines={4} />
  return <PeoplePane {...(readers !== null && { inConversation: readers })} />
}

/**
 * Returns the ids of the users who can read the narrow. Returns `unknown` while they are loading. Returns null if they
 * can't be loaded, or if the page is neither a direct message conversation nor one of the user's channels.
 */
function useReaders(narrow: Narrow | null): ReadonlySet<number> | 'unknown' | null {
  const { user_id, subscriptions } = useOrganization('user_id', 'subscriptions')
  const isChannel = narrow?.kind === 'channel' || narrow?.kind === 'topic'
  const isRead = isChannel && subscriptions.some(({ stream_id }) => stream_id === narrow.channelId)
  const { data, isError } = useQuery({ ...channelSubscribers(isRead ? narrow.channelId : 0), enabled: isRead })
  if (narrow?.kind === 'direct') return new Set([...narrow.people, user_id])
  if (!isRead || isError) return null
  return data === undefined ? 'unknown' : new Set(data)
}
