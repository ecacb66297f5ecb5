import { useLocation, useRouter } from '@tanstack/react-router'
import { type ComponentProps, type ReactElement, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Narrow } from '../messages/narrow.ts'
import { readNarrowSearch } from '../navigation/narrow-location.ts'
import { ChatHeader } from '../navigation/page.tsx'
import { useOrganization } from '../store/organization.ts'
import { IsShown } from '../ui/is-shown.ts'
import { useStableCallbacks } from '../ui/use-stable-callbacks.ts'
import * as css from './kept-timelines.module.css'
import { TimelineView } from './timeline/timeline-view.tsx'
import { forgetScrollPosition, openAtScrollPosition, restoredMessageId } from './use-scroll-anchor.ts'

/** The number of timelines that stay in the document, with the shown one. Each has up to 300 rows. */
const MAX_KEPT = 3

type Shown = Omit<ComponentProps<typeof TimelineView>, 'isShown'>

/** `step` is the key of the history entry. */
type Props = Omit<Shown, 'visit'> & { readonly name: string; readonly step: string }

type Kept = { readonly name: string; usedAt: number; element: ReactElement; isShown: boolean; props: Shown }

/**
 * Shows the timeline `name`, and keeps the timelines that were shown before it in the document, hidden with their
 * layout: returning to one of them creates no rows. Hidden timelines follow no events.
 */
function KeptTimelines(props: Props): ReactNode {
  const kept = useRef<Kept[]>([])
  const turn = useRef(0)
  turn.current += 1
  kept.current = arrange(kept.current, props, turn.current)
  return (
    <div className={css.timelines}>
      {kept.current.map(({ name, isShown, element }) => (
        <div key={name} className={css.timelinePlace} data-fill data-kept={isShown ? undefined : ''}>
          <IsShown value={isShown}>{element}</IsShown>
        </div>
      ))}
    </div>
  )
}

/** Returns the timelines in the order in which they were first shown, because moving an element loses its layout. */
function arrange(before: readonly Kept[], { name, step, ...props }: Props, usedAt: number): Kept[] {
  const known = before.find((one) => one.name === name)
  // A timeline that stays in view does not open again when the address changes.
  const visit = known?.isShown ? known.props.visit : { step }
  const own = { ...props, visit }
  const shown = { name, usedAt, props: own, isShown: true, element: <TimelineView {...own} isShown /> }
  // Another position in the same conversation has the same messages, and so have similar searches.
  const narrow = JSON.stringify(props.narrow)
  const others = before.filter(
    ({ name: other, props: { narrow: known } }) =>
      other !== name && known.kind !== 'search' && JSON.stringify(known) !== narrow,
  )
  const recent = others.toSorted((one, other) => other.usedAt - one.usedAt).slice(0, MAX_KEPT - 1)
  const kept = before.flatMap((one) => (one.name === name ? [shown] : recent.includes(one) ? [hidden(one)] : []))
  return known !== undefined ? kept : [...kept, shown]
}

/** The same element is not rendered again. */
const hidden = (one: Kept): Kept =>
  one.isShown ? { ...one, isShown: false, element: <TimelineView {...one.props} isShown={false} /> } : one

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
  const { realm_name } = useOrganization('realm_name')
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
