import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { useRequestedFilter } from '../../store/page/requested-filter.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { TextField } from '../../ui/fields/field.tsx'
import { PeopleList, type PeopleSection } from './people-list.tsx'
import './people-pane.css'
import { matchesPerson } from './person-row.ts'
import { usePersonRows } from './use-person-rows.ts'

/** The maximum number of other people that are shown at first. */
const MAX_OTHERS = 100

/** The people beside a conversation: first the people in the conversation, then all others. */
export function PeoplePane({ inConversation }: { inConversation?: ReadonlySet<number> }): ReactNode {
  const [text, setText] = useState('')
  const filter = useRef<HTMLElement>(null)
  useRequestedFilter('people', filter)
  const [areAllWanted, showAll] = useState(false)
  const [isHeld, hold] = useState(false)
  const { realm_users } = useOrganization()
  const people = useMemo(() => realm_users.filter(({ is_bot }) => !is_bot), [realm_users])
  const rows = usePersonRows(people, { isHeld, isOrdered: false })
  const query = useDeferredValue(text)
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
    <div className="people-pane">
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
          t('{count, number} of {total, plural, one {# person} other {# people}}', { count: found.length, total: rows.length })}
      </p>
      <PeopleList sections={sections} onHold={hold} />
      {!areOthersShown && (
        <Button kind="quiet" onPress={() => showAll(true)}>
          {t('Show {count} more', { count: others.length })}
        </Button>
      )}
    </div>
  )
}
