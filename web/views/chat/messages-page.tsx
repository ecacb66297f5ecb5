import { useLocation, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Narrow } from '../../store/messages/narrow.ts'
import { useOrganization } from '../../store/organization.ts'
import { useStableCallbacks } from '../../ui/use-stable-callbacks.ts'
import { ChatHeader } from './header/chat-header.tsx'
import { KeptTimelines } from './timeline/kept-timelines.tsx'
import { forgetScrollPosition, openAtScrollPosition, restoredMessageId } from './timeline/scroll-positions.ts'
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
  /**
   * The last history entry whose messages were opened again, the position at which they opened, and a number that
   * changes each time.
   */
  const [reopened, reopen] = useState<{ step: string; at: 'newest' | 'near'; turn: number } | null>(null)
  const again = reopened?.step === step ? reopened : null
  const turn = again?.turn ?? 0
  const openAgain = (at: 'newest' | 'near') => reopen({ step, at, turn: turn + 1 })
  const { position } = state
  useMemo(() => position !== undefined && openAtScrollPosition(step, position), [step, position])
  const restored = restoredMessageId(step) ?? position?.id ?? null
  const opening =
    again?.at === 'newest' || (opensAtEnd && near === undefined && restored === null)
      ? 'newest'
      : (near ?? restored ?? 'first_unread')
  useFollowedAgain(() => {
    if (near === undefined) return
    forgetScrollPosition(step)
    openAgain('near')
  })
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
        <KeptTimelines
          name={`${JSON.stringify(narrow)} ${opening} ${turn}`}
          step={step}
          narrow={narrow}
          opening={opening}
          nearId={near}
          onNewest={() => openAgain('newest')}
          keepsUnread={keepsUnread}
          empty={empty}
        />
      )}
      {composer}
    </>
  )
}

/** Calls `onFollow` when the user follows a link to the current address. Such a link does not change the location. */
function useFollowedAgain(onFollow: () => void): void {
  const router = useRouter()
  const { follow } = useStableCallbacks({ follow: onFollow })
  useEffect(() => router.subscribe('onBeforeNavigate', ({ hrefChanged }) => !hrefChanged && follow()), [router, follow])
}
