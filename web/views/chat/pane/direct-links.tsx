import { Link } from '@tanstack/react-router'
import SquarePen from 'lucide-react/icons/square-pen'
import User from 'lucide-react/icons/user'
import Users from 'lucide-react/icons/users'
import type { ReactNode } from 'react'
import { directConversations } from '../../../store/messages/direct-conversations.ts'
import type { ConversationRef, Narrow } from '../../../store/messages/narrow.ts'
import { useTypists } from '../../../store/messages/typists.ts'
import { conversationKey } from '../../../store/messages/unread.ts'
import { unreadCounts, useUnreadCount } from '../../../store/messages/unread-messages.ts'
import { useMutedIds } from '../../../store/people/muted.ts'
import { useConversationName } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { areSame } from '../../../ui/create-store.ts'
import { NarrowLink } from '../narrow-link.tsx'
import { CountPill } from './count-pill.tsx'
import { matchesName } from './matches-name.ts'

/** The number of read conversations that are shown. */
const SHOWN = 6

const toSpot = (people: readonly number[]): ConversationRef => ({ kind: 'direct', people })

/** The latest conversations, and all in which something is not read; or those with whom is wanted, whenever they were. Those with nobody but people whom one has muted are found by their names alone. */
export function DirectLinks(props: { current: Narrow | null; wanted: string }): ReactNode {
  const { current, wanted: target } = props
  const isFiltered = target.trim() !== ''
  const nameOf = useConversationName()
  const isCurrent = (people: readonly number[]) =>
    current?.kind === 'direct' && String(current.people) === String(people)
  const mutedIds = useMutedIds()
  const all = directConversations.use()
  const known = isFiltered
    ? all
    : all.filter(({ people }) => !people.every((id) => mutedIds.has(id)) || isCurrent(people))
  const shown = unreadCounts.usePart(
    ({ spots }) =>
      known.filter(({ people }, at) =>
        isFiltered
          ? matchesName(nameOf(people), target)
          : at < SHOWN || isCurrent(people) || spots.has(conversationKey(toSpot(people))),
      ),
    areSame,
  )
  if (isFiltered && shown.length === 0) return null
  return (
    <section>
      <div className="pane-head">
        <h2 className="pane-title">{t('Direct messages')}</h2>
        <Link
          to="/dm"
          className="pane-link pane-new"
          activeOptions={{ exact: true }}
          aria-label={t('New direct message')}
        >
          <SquarePen className="icon" aria-hidden="true" />
        </Link>
      </div>
      <ul>
        {shown.map(({ people }) => (
          <li key={String(people)}>
            <NarrowLink narrow={toSpot(people)} className="pane-link" isCurrent={isCurrent(people)}>
              {people.length > 1 ? (
                <Users className="icon" aria-hidden="true" />
              ) : (
                <User className="icon" aria-hidden="true" />
              )}
              <span className="pane-link-name">{nameOf(people)}</span>
              <Typing people={people} />
              <DirectCount people={people} />
            </NarrowLink>
          </li>
        ))}
        {!isFiltered && shown.length < known.length && (
          <li>
            <Link to="/dm" className="pane-link pane-more" activeOptions={{ exact: true }}>
              {t('All {count} conversations', { count: known.length })}
            </Link>
          </li>
        )}
      </ul>
    </section>
  )
}

function DirectCount({ people }: { people: readonly number[] }): ReactNode {
  return <CountPill count={useUnreadCount(toSpot(people))} />
}

function Typing({ people }: { people: readonly number[] }): ReactNode {
  const mutedIds = useMutedIds()
  const isAnybody = useTypists(toSpot(people)).some((id) => !mutedIds.has(id))
  return isAnybody && <span className="pane-link-typing soft small">{t('typing…')}</span>
}
