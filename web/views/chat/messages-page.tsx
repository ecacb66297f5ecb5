import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Narrow } from '../../store/messages/narrow.ts'
import { useOrganization } from '../../store/organization.ts'
import { ChatHeader } from './header/chat-header.tsx'
import { restoredMessageId } from './timeline/scroll-positions.ts'
import { TimelineView } from './timeline/timeline-view.tsx'
import { readNarrowSearch } from './to-location.ts'

/** The page of a narrow: its title, its messages and the compose box. */
export function MessagesPage(props: {
  narrow: Narrow
  title: string
  shownTitle?: ReactNode
  icon?: ReactNode
  /** The parent of the title, such as the channel of a topic. */
  before?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  menu?: ReactNode
  empty: ReactNode
  /** True if messages are not marked as read here. */
  keepsUnread?: boolean
  /** True if the page opens at the newest message instead of the first unread one. */
  opensAtEnd?: boolean
  /** Content between the header and the messages. */
  above?: ReactNode
  composer?: ReactNode
  /** Content in place of the messages. */
  instead?: ReactNode
  /** The message at which the page opens, if the address names none. */
  nearId?: number | undefined
}): ReactNode {
  const { narrow, title, shownTitle, icon, before, about, actions, menu, above, empty, composer, instead } = props
  const { keepsUnread = false, opensAtEnd = false } = props
  const { realm_name } = useOrganization()
  const { search, state } = useLocation()
  const { near = props.nearId } = readNarrowSearch(search as Record<string, unknown>)
  const step = state.__TSR_key ?? 'first'
  /** The history entry whose newest messages were requested last, and how often. */
  const [newest, openNewest] = useState<{ step: string; turn: number } | null>(null)
  const turn = newest?.step === step ? newest.turn : 0
  const restored = restoredMessageId(step)
  const opening =
    turn > 0 || (opensAtEnd && near === undefined && restored === null)
      ? 'newest'
      : (near ?? restored ?? 'first_unread')
  return (
    <>
      <ChatHeader
        title={title}
        shownTitle={shownTitle}
        within={realm_name}
        icon={icon}
        before={before}
        about={about}
        actions={actions}
        menu={menu}
        hasPeople={narrow.kind === 'channel' || narrow.kind === 'topic' || narrow.kind === 'direct'}
      />
      {above}
      {instead ?? (
        <TimelineView
          key={`${JSON.stringify(narrow)} ${opening} ${turn}`}
          narrow={narrow}
          opening={opening}
          nearId={near}
          onNewest={() => openNewest({ step, turn: turn + 1 })}
          keepsUnread={keepsUnread}
          empty={empty}
        />
      )}
      {composer}
    </>
  )
}
