import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { drawer } from '../../store/page/drawer.ts'
import { requestedFilter } from '../../store/page/requested-filter.ts'
import { t } from '../../text/t.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE, WITH_SIDEBAR } from '../../ui/layout/widths.ts'
import { ConversationDrawer } from '../sidebar/conversation-drawer.tsx'
import { Sidebar } from '../sidebar/sidebar.tsx'

/** The sidebar as a column, or as a drawer on narrow windows. */
export function SidebarColumn(): ReactNode {
  const { href } = useLocation()
  const isWide = useMedia(WITH_SIDEBAR)
  const isPhone = useMedia(PHONE)
  const isDrawerOpen = drawer.use() === 'conversations'
  const isFilterWanted = requestedFilter.use() === 'channels'
  useEffect(() => drawer.set(null), [href])
  useEffect(() => {
    const isOnPage = document.querySelector('#conversations')?.checkVisibility() === true
    if (isFilterWanted && !isWide && !isOnPage) drawer.set('conversations')
  }, [isFilterWanted, isWide])
  if (isWide)
    return (
      <nav id="conversations" className="chat-pane" aria-label={t('Conversations')} data-pane>
        <Sidebar />
      </nav>
    )
  if (!isDrawerOpen || (isPhone && href.startsWith('/chats'))) return null
  return (
    <ConversationDrawer
      onClose={() => {
        drawer.set(null)
        requestedFilter.set(null)
      }}
    />
  )
}
