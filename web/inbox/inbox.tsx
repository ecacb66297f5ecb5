import { Link, useNavigate } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import Check from 'lucide-react/icons/check'
import CheckCheck from 'lucide-react/icons/check-check'
import ChevronRight from 'lucide-react/icons/chevron-right'
import InboxIcon from 'lucide-react/icons/inbox'
import ListFilter from 'lucide-react/icons/list-filter'
import Search from 'lucide-react/icons/search'
import SquarePen from 'lucide-react/icons/square-pen'
import { type ReactNode, useMemo, useState } from 'react'
import { hasNewVersion, useChecklist } from '../browser/first-steps.ts'
import { setFolded, useLayout } from '../browser/layout.ts'
import { RowMenus } from '../conversation/row-menus.tsx'
import { markAsRead } from '../conversation/unread-actions.ts'
import * as conversationRowCss from '../message-view/conversation-row.module.css'
import { ConversationRow } from '../message-view/conversation-row.tsx'
import { type FindMessage, usePreviews } from '../messages/previews.ts'
import { conversationKey, isTopicMuted, unreadStore } from '../messages/unread.ts'
import { ChannelIcon } from '../navigation/conversation-name.tsx'
import { NarrowLink } from '../navigation/narrow-link.tsx'
import { PageFrame } from '../navigation/page.tsx'
import { useOrganization } from '../store/organization.ts'
import { shortcutLabel } from '../store/shortcuts.ts'
import { t } from '../text/t.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Empty, TalkDrawing, TrayDrawing } from '../ui/page-states.tsx'
import { PHONE, useMedia } from '../ui/use-media.ts'
import * as css from './inbox.module.css'
import { type FilterFacts, useConversationFilter, useFilterFacts } from './list/conversation-filter.ts'
import { FilterBar } from './list/filter-bar.tsx'
import { type InboxSection, type InboxState, inboxSections } from './list/inbox-sections.ts'
import { MarkAsRead, useListKeys } from './list/list-keys.tsx'
import { useHasWritten } from './list/use-has-written.ts'

const ChecklistSteps = lazyPart(async () => (await import('./list/checklist-steps.tsx')).ChecklistSteps)
const WhatsNewNote = lazyPart(async () => (await import('../help/help-link.tsx')).WhatsNewNote)

/** The checklist of first steps for a new user until they dismiss it, and a note after the server was upgraded. */
export function Checklist(): ReactNode {
  const isShown = useChecklist() === 'shown'
  const isUpgraded = useSelector(hasNewVersion)
  return (
    <>
      {isUpgraded && <WhatsNewNote version={import.meta.env['PARLEY_VERSION']} onClose={nothing} />}
      {isShown && <ChecklistSteps onClose={nothing} />}
    </>
  )
}

const nothing = () => {}

/** The unread conversations of the inbox, in sections that can be folded. */
export function InboxList(props: {
  sections: readonly InboxSection[]
  /** True while the list is filtered. All sections are then unfolded. */
  isFiltered: boolean
}): ReactNode {
  const { sections, isFiltered } = props
  const find = usePreviews(sections.flatMap(({ conversations }) => conversations.map(({ ids }) => ids.at(-1) ?? 0)))
  const { folded } = useLayout()
  const keys = useListKeys<HTMLDivElement>()
  return (
    <RowMenus>
      <div className={css.inbox} {...keys}>
        {sections.map((section) => {
          const id = `inbox-${section.channel?.stream_id ?? 'direct'}`
          return (
            <Section key={id} id={id} section={section} find={find} isFolded={!isFiltered && folded[id] === true} />
          )
        })}
      </div>
    </RowMenus>
  )
}

function Section(props: { id: string; section: InboxSection; find: FindMessage; isFolded: boolean }): ReactNode {
  const { id, section, find, isFolded } = props
  const { channel, conversations } = section
  const name = channel?.name ?? t('Direct messages')
  const ids = conversations.flatMap((one) => one.ids)
  return (
    <section aria-labelledby={id}>
      <header className={css.inboxHead}>
        <span>
          <button
            type="button"
            className={css.inboxFold}
            aria-expanded={!isFolded}
            aria-label={t('Conversations in {name}', { name })}
            onClick={() => setFolded(id, !isFolded)}
          >
            <ChevronRight className="icon flips" aria-hidden="true" />
          </button>
        </span>
        <h2 id={id}>
          {channel === null ? (
            name
          ) : (
            <NarrowLink narrow={{ kind: 'channel', channelId: channel.stream_id }}>
              <ChannelIcon channel={channel} />
              {name}
            </NarrowLink>
          )}
        </h2>
        <span className={css.inboxMark}>
          <IconButton label={t('Mark {name} as read', { name })} icon={Check} onPress={() => void markAsRead(ids)} />
        </span>
        <span aria-hidden="true">{ids.length}</span>
      </header>
      {!isFolded && (
        <ul className={conversationRowCss.conversationList}>
          {conversations.map((one) => (
            <ConversationRow
              key={conversationKey(one.conversation)}
              conversation={one.conversation}
              message={find(one.ids.at(-1) ?? 0)}
              action={<MarkAsRead conversation={one.conversation} />}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

const CHOICES = ['unread', 'mentions', 'direct', 'followed', 'participated', 'all'] as const

/**
 * The inbox: conversations with unread messages. Muted topics are shown only if they mention the user, or with the
 * filter that includes them.
 */
export function Inbox(): ReactNode {
  const { realm_name } = useOrganization('realm_name')
  const navigate = useNavigate()
  const isPhone = useMedia(PHONE)
  const [filter, setFilter] = useConversationFilter('inbox', 'unread')
  const [text, setText] = useState('')
  const [isFilterShown, showFilter] = useState(false)
  const isFiltered = filter !== 'unread' || text !== ''
  const state = useInboxState(useFilterFacts(filter))
  const all = useMemo(() => inboxSections(state, 'unread'), [state])
  const sections = useMemo(() => inboxSections(state, filter, text), [state, filter, text])
  const hasMuted = useMemo(() => inboxSections(state, 'all').length > 0, [state])
  const conversations = all.flatMap((section) => section.conversations)
  const ids = conversations.flatMap((one) => one.ids)
  const about = t(
    '{count, plural, one {# unread} other {# unread}} in {places, plural, one {# conversation} other {# conversations}}',
    { count: ids.length, places: conversations.length },
  )
  function showAll() {
    setFilter('unread')
    setText('')
    showFilter(false)
  }
  return (
    <PageFrame
      title={t('Inbox')}
      within={realm_name}
      icon={<InboxIcon className="icon" aria-hidden="true" />}
      about={ids.length > 0 && about}
      actions={
        <>
          {ids.length > 0 && (
            <IconButton label={t('Mark all as read')} icon={CheckCheck} onPress={() => void markAsRead(ids)} />
          )}
          {isPhone ? (
            <>
              {ids.length > 0 && (
                <IconButton
                  label={t('Filter')}
                  icon={ListFilter}
                  isPressed={isFilterShown || isFiltered}
                  onPress={() => (isFiltered ? showAll() : showFilter(!isFilterShown))}
                />
              )}
              <IconButton label={t('New message')} icon={SquarePen} onPress={() => void navigate({ to: '/dm' })} />
            </>
          ) : (
            <IconButton
              label={t('Search')}
              keys={shortcutLabel('/')}
              icon={Search}
              onPress={() => void navigate({ to: '/search' })}
            />
          )}
        </>
      }
    >
      <Checklist />
      {ids.length === 0 && !hasMuted ? (
        <NothingUnread />
      ) : (
        <>
          {(!isPhone || isFilterShown || isFiltered) && (
            <FilterBar
              choices={CHOICES}
              filter={filter}
              onFilter={setFilter}
              channels={all.flatMap(({ channel }) => (channel === null ? [] : [channel]))}
              text={text}
              onText={setText}
            />
          )}
          {sections.length === 0 ? (
            <Empty icon={<TrayDrawing />} isDrawing title={t('Nothing unread here')}>
              <Button onPress={showAll}>{t('Show all unread')}</Button>
            </Empty>
          ) : (
            <InboxList sections={sections} isFiltered={isFiltered} />
          )}
        </>
      )}
    </PageFrame>
  )
}

/** The empty inbox. It welcomes new users. For users without channels, it has a link to the list of channels. */
function NothingUnread(): ReactNode {
  const { subscriptions, is_guest, realm_name } = useOrganization('subscriptions', 'is_guest', 'realm_name')
  const isNew = useChecklist() === 'shown'
  const hasWritten = useHasWritten(isNew)
  if (subscriptions.length > 0 && isNew && hasWritten === false)
    return (
      <Empty icon={<TalkDrawing />} isDrawing title={t('Welcome to {realm}', { realm: realm_name })}>
        <p>{t('Messages that you have not read will appear here.')}</p>
      </Empty>
    )
  if (subscriptions.length > 0)
    return (
      <Empty icon={<TrayDrawing />} isDrawing title={t('You’re all caught up')}>
        <p>{t('New messages appear here.')}</p>
        <Link to="/recent" className="button">
          {t('See recent conversations')}
        </Link>
      </Empty>
    )
  return (
    <Empty icon={<TalkDrawing />} isDrawing title={t('No channels yet')}>
      <p>
        {is_guest
          ? t('The person who invited you can add you to channels. Messages in those channels will appear here.')
          : t('Join a channel to see its messages here.')}
      </p>
      {!is_guest && (
        <Link to="/channels" search={{ show: 'available' }} className="button button-primary">
          {t('Browse channels')}
        </Link>
      )}
    </Empty>
  )
}

function useInboxState(facts: FilterFacts): InboxState {
  const unread = useSelector(unreadStore)
  const { subscriptions } = useOrganization('subscriptions')
  const isMuted = useSelector(isTopicMuted)
  return useMemo(
    () => ({ unread: [...unread.conversations.values()], facts, subscriptions, isMuted }),
    [unread, facts, subscriptions, isMuted],
  )
}
