import { Link } from '@tanstack/react-router'
import { shallow, useSelector } from '@tanstack/react-store'
import Layers from 'lucide-react/icons/layers'
import Plus from 'lucide-react/icons/plus'
import { memo, type ReactNode } from 'react'
import * as rowMenuCss from '../../message-view/open-row-menu.module.css'
import { RowMenuButton, useRowMenu } from '../../message-view/open-row-menu.tsx'
import { directConversations } from '../../messages/conversations.ts'
import type { ConversationRef, Narrow } from '../../messages/narrow.ts'
import { useTypists } from '../../messages/typists.ts'
import { conversationKey, unreadCounts, useUnreadCount } from '../../messages/unread.ts'
import { CountPill } from '../../navigation/count-pill.tsx'
import { NarrowLink } from '../../navigation/narrow-link.tsx'
import { matchesName } from '../../navigation/row-list.ts'
import { DirectIcon } from '../../people/person-icon.tsx'
import { useConversationName, useMutedIds, useNamesInList } from '../../store/people.ts'
import { shortcutLabel } from '../../store/shortcuts.ts'
import { t } from '../../text/t.ts'
import * as css from './conversation-pane.module.css'
import { PaneSection } from './pane-section.tsx'

/** The number of conversations that are shown even if they have no unread messages. */
const SHOWN = 6

type DirectRef = Extract<ConversationRef, { kind: 'direct' }>

const toRef = (people: readonly number[]): DirectRef => ({ kind: 'direct', people })

/**
 * Links to the latest direct message conversations and to all unread ones; with a filter, to those with people whose
 * names match. A conversation in which all others are muted is shown only with a filter, or while it is open.
 */
export function DirectLinks(props: {
  current: Narrow | null
  filter: string
  /** True if the conversations are a strip of pictures. */
  isStrip?: boolean
}): ReactNode {
  const { current, filter, isStrip = false } = props
  const isFiltered = filter.trim() !== ''
  const nameOf = useConversationName()
  const isCurrent = (people: readonly number[]) =>
    current?.kind === 'direct' && String(current.people) === String(people)
  const mutedIds = useMutedIds()
  const all = useSelector(directConversations)
  const known = isFiltered
    ? all
    : withCurrent(
        all.filter(({ people }) => !people.every((id) => mutedIds.has(id)) || isCurrent(people)),
        current,
      )
  const shown = useSelector(
    unreadCounts,
    ({ byConversation }) =>
      known.filter(({ people }, at) =>
        isFiltered
          ? matchesName(nameOf(people), filter)
          : at < SHOWN || isCurrent(people) || byConversation.has(conversationKey(toRef(people))),
      ),
    { compare: shallow },
  )
  const names = useNamesInList(shown.map(({ people }) => people))
  if (isFiltered && shown.length === 0) return null
  return (
    <PaneSection
      id="direct"
      title={t('Direct messages')}
      isForcedOpen={isFiltered || current?.kind === 'direct'}
      actions={
        <span className={css.paneHeadTools}>
          <Link
            to="/direct-messages"
            className={rowMenuCss.paneTool}
            activeProps={NOT_MARKED}
            aria-label={t('Direct message feed')}
            data-keys={shortcutLabel('P')}
          >
            <Layers className="icon" aria-hidden="true" />
          </Link>
          <Link
            to="/dm"
            className={rowMenuCss.paneTool}
            activeOptions={{ exact: true }}
            activeProps={NOT_MARKED}
            aria-label={t('New direct message')}
            data-keys={shortcutLabel('x')}
          >
            <Plus className="icon" aria-hidden="true" />
          </Link>
        </span>
      }
    >
      <ul className={isStrip ? css.paneStrip : undefined}>
        {shown.map(({ people }, at) => (
          <DirectItem
            key={String(people)}
            people={people}
            label={names[at] ?? ''}
            name={nameOf(people)}
            isCurrent={isCurrent(people)}
          />
        ))}
        {!isFiltered && shown.length < known.length && (
          <li>
            <Link to="/dm" className={`pane-link ${css.paneMore}`} activeOptions={{ exact: true }}>
              {t('{count, plural, one {# conversation} other {All # conversations}}', { count: known.length })}
            </Link>
          </li>
        )}
      </ul>
    </PaneSection>
  )
}

/** Returns the known conversations and the current one, which may have no messages yet. */
function withCurrent<Known extends { people: readonly number[] }>(
  known: readonly Known[],
  current: Narrow | null,
): readonly { people: readonly number[] }[] {
  if (current?.kind !== 'direct' || known.some(({ people }) => String(people) === String(current.people))) return known
  return [{ people: current.people }, ...known]
}

const DirectItem = memo(function DirectItem(props: {
  people: readonly number[]
  label: string
  /** The name that tells all people apart, even in a group. */
  name: string
  isCurrent: boolean
}): ReactNode {
  const { people, label, name, isCurrent } = props
  const ref = toRef(people)
  const count = useUnreadCount(ref)
  return (
    <li>
      <div className={css.paneRow} {...useRowMenu(ref)}>
        <NarrowLink
          narrow={ref}
          className={`pane-link ${css.panePerson}${count === undefined ? '' : ` ${css.paneUnread}`}`}
          isCurrent={isCurrent}
        >
          <DirectIcon people={people} />
          <span className={css.paneLinkName} title={name}>
            {label}
          </span>
          <Typing people={people} />
          <CountPill count={count} isLoud />
        </NarrowLink>
        <span className={css.paneTools}>
          <RowMenuButton target={ref} name={name} />
        </span>
      </div>
    </li>
  )
})

function Typing({ people }: { people: readonly number[] }): ReactNode {
  const mutedIds = useMutedIds()
  const isAnybody = useTypists(toRef(people)).some((id) => !mutedIds.has(id))
  return isAnybody && <span className={`${css.paneLinkTyping} soft small`}>{t('typing…')}</span>
}

const NOT_MARKED = {}
