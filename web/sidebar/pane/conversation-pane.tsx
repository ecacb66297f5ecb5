import { useLocation } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { requestedFilter } from '../../browser/overlays.ts'
import '../../ui/pane-link.css'
import { RowMenus } from '../../conversation/row-menus.tsx'
import { openingChannel } from '../../conversation/use-open-channel.ts'
import { useCurrentNarrow } from '../../navigation/narrow-location.ts'
import { moveInPane } from '../../navigation/row-list.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { ChannelLinks } from './channel-links.tsx'
import * as css from './conversation-pane.module.css'
import { DirectLinks } from './direct-links.tsx'
import { ViewLinks } from './view-links.tsx'

const PaneFilter = lazyPart(async () => (await import('./pane-tools.tsx')).PaneFilter)

/**
 * Links to views, direct messages, channels and their topics; with a filter, only to the conversations that match it.
 * With `isCollapsed`, only the icons of the views are shown.
 */
export function ConversationPane(props: {
  isCollapsed?: boolean
  /** True on the page of phones, which shows the views elsewhere, and direct messages as a strip of pictures. */
  isPage?: boolean
}): ReactNode {
  const { isCollapsed = false, isPage = false } = props
  const narrow = useCurrentNarrow()
  const openingId = useSelector(openingChannel)
  // A channel is selected at once, even if its topics take time to load.
  const current = openingId === null ? narrow : ({ kind: 'channel', channelId: openingId } as const)
  const pane = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useState<string | null>(null)
  const isRequested = useSelector(requestedFilter) === 'channels'
  useEffect(() => {
    if (isRequested) setFilter((before) => before ?? '')
  }, [isRequested])
  useCurrentInSight(pane, useLocation().href)
  const query = filter ?? ''
  const isFiltered = query.trim() !== ''
  return (
    <RowMenus>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between links, besides Tab */}
      <div
        className={css.pane}
        data-counts="quiet"
        ref={pane}
        onKeyDown={(event) => pane.current && moveInPane(pane.current, event)}
      >
        {filter !== null && !isCollapsed && (
          <PaneFilter text={filter} onText={setFilter} onClose={() => setFilter(null)} />
        )}
        {!isPage && (!isFiltered || isCollapsed) && (
          <ViewLinks isCollapsed={isCollapsed} isElsewhere={openingId !== null} />
        )}
        {!isCollapsed && (
          <>
            <DirectLinks current={current} filter={query} isStrip={isPage && !isFiltered} />
            <ChannelLinks current={current} filter={query} />
          </>
        )}
      </div>
    </RowMenus>
  )
}

/** Scrolls the link to the current page into view as soon as the pane contains it. */
function useCurrentInSight(pane: RefObject<HTMLElement | null>, href: string): void {
  useEffect(() => {
    const { current: element } = pane
    if (element === null || href === '') return
    const show = () => {
      const link = element.querySelector('[aria-current="page"]')
      link?.scrollIntoView({ block: 'nearest' })
      return link !== null
    }
    if (show()) return
    const observer = new MutationObserver(() => show() && observer.disconnect())
    observer.observe(element, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [pane, href])
}
