import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { changeLayout, useLayout } from '../../store/browser/layout.ts'
import { drawer } from '../../store/page/drawer.ts'
import { requestedFilter } from '../../store/page/requested-filter.ts'
import { t } from '../../text/t.ts'
import { conversationsLandmark } from '../../ui/layout/landmarks.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE, WITH_SIDEBAR } from '../../ui/layout/widths.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Sidebar } from '../sidebar/sidebar.tsx'
import { Resizer } from './resizer.tsx'

const ConversationDrawer = lazyPart(async () => (await import('../sidebar/conversation-drawer.tsx')).ConversationDrawer)

/** The sidebar as a column, or as a drawer on narrow windows. */
export function SidebarColumn(): ReactNode {
  const { href } = useLocation()
  const isWide = useMedia(WITH_SIDEBAR)
  const isPhone = useMedia(PHONE)
  const { sidebarWidth, collapsesSidebar } = useLayout()
  const isDrawerOpen = drawer.use() === 'conversations'
  const isFilterWanted = requestedFilter.use() === 'channels'
  useEffect(() => drawer.set(null), [href])
  useEffect(() => {
    if (isFilterWanted && isWide) changeLayout({ collapsesSidebar: false })
    const isOnPage = document.querySelector('#conversations')?.checkVisibility() === true
    if (isFilterWanted && !isWide && !isPhone && !isOnPage) drawer.set('conversations')
  }, [isFilterWanted, isWide, isPhone])
  if (isWide)
    return (
      <div
        className="sidebar-column"
        {...(!collapsesSidebar && { style: { '--sidebar-width': `${sidebarWidth / 16}rem` } as object })}
      >
        <nav
          ref={conversationsLandmark}
          id="conversations"
          className="chat-pane"
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
