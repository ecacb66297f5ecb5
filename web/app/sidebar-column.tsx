import { useLocation } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef } from 'react'
import { changeLayout, DEFAULT_SIDEBAR_WIDTH, useLayout } from '../browser/layout.ts'
import { drawer, requestedFilter } from '../browser/overlays.ts'
import * as sidebarCss from '../sidebar/sidebar.module.css'
import { Sidebar } from '../sidebar/sidebar.tsx'
import { t } from '../text/t.ts'
import { conversationsLandmark } from '../ui/landmarks.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { PHONE, useMedia, WITH_SIDEBAR } from '../ui/use-media.ts'
import * as shellCss from './shell.module.css'
import * as css from './sidebar-column.module.css'

const MIN = 200
const MAX = 440

/** The distance that an arrow key moves the edge, in pixels. */
const STEP = 16

const within = (width: number) => Math.round(Math.min(MAX, Math.max(MIN, width)))

const isRightToLeft = () => getComputedStyle(document.documentElement).direction === 'rtl'

/**
 * The edge of the sidebar. Dragging it or pressing an arrow key changes the width; a double click restores the default.
 */
function Resizer(): ReactNode {
  const { sidebarWidth } = useLayout()
  const start = useRef<{ x: number; width: number } | null>(null)
  const resize = (width: number) => changeLayout({ sidebarWidth: within(width) })

  function onPointerDown(event: PointerEvent) {
    start.current = { x: event.clientX, width: sidebarWidth }
    event.currentTarget.setPointerCapture(event.pointerId)
  }

  function onPointerMove({ clientX }: PointerEvent) {
    if (start.current === null) return
    const moved = clientX - start.current.x
    resize(start.current.width + (isRightToLeft() ? -moved : moved))
  }

  function onKeyDown(event: KeyboardEvent) {
    const forward = isRightToLeft() ? 'ArrowLeft' : 'ArrowRight'
    const backward = isRightToLeft() ? 'ArrowRight' : 'ArrowLeft'
    const to = { [forward]: sidebarWidth + STEP, [backward]: sidebarWidth - STEP, Home: MIN, End: MAX }[event.key]
    if (to === undefined) return
    event.preventDefault()
    resize(to)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr element cannot have a value that changes
    <div
      role="separator"
      className={css.resizer}
      tabIndex={0}
      aria-label={t('Sidebar width')}
      aria-orientation="vertical"
      aria-valuenow={within(sidebarWidth)}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        start.current = null
      }}
      onDoubleClick={() => resize(DEFAULT_SIDEBAR_WIDTH)}
      onKeyDown={onKeyDown}
    />
  )
}

const ConversationDrawer = lazyPart(async () => (await import('../sidebar/chats.tsx')).ConversationDrawer)

/** The sidebar as a column, or as a drawer on narrow windows. */
export function SidebarColumn(): ReactNode {
  const { href } = useLocation()
  const isWide = useMedia(WITH_SIDEBAR)
  const isPhone = useMedia(PHONE)
  const { sidebarWidth, collapsesSidebar } = useLayout()
  const isDrawerOpen = useSelector(drawer) === 'conversations'
  const isFilterWanted = useSelector(requestedFilter) === 'channels'
  useEffect(() => drawer.set(null), [href])
  useEffect(() => {
    if (isFilterWanted && isWide) changeLayout({ collapsesSidebar: false })
    const isOnPage = document.querySelector('#conversations')?.checkVisibility() === true
    if (isFilterWanted && !isWide && !isPhone && !isOnPage) drawer.set('conversations')
  }, [isFilterWanted, isWide, isPhone])
  if (isWide)
    return (
      <div
        className={shellCss.sidebarColumn}
        {...(!collapsesSidebar && { style: { '--sidebar-width': `${sidebarWidth / 16}rem` } as object })}
      >
        <nav
          ref={conversationsLandmark}
          id="conversations"
          className={sidebarCss.chatPane}
          aria-label={t('Conversations')}
          data-pane
        >
          <Sidebar isCollapsed={collapsesSidebar} />
          {!collapsesSidebar && <Resizer />}
        </nav>
      </div>
    )
  if (!isDrawerOpen || isPhone) return null
  return (
    <ConversationDrawer
      onClose={() => {
        drawer.set(null)
        requestedFilter.set(null)
      }}
    />
  )
}
