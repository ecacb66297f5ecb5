import { Navigate, useNavigate } from '@tanstack/react-router'
import ListFilter from 'lucide-react/icons/list-filter'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { requestedFilter } from '../browser/overlays.ts'
import * as pageCss from '../navigation/page.module.css'
import { ChatHeader, ChatLayout } from '../navigation/page.tsx'
import { useOrganizationPart } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { conversationsLandmark } from '../ui/landmarks.ts'
import { PHONE, useMedia } from '../ui/use-media.ts'
import * as conversationPaneCss from './pane/conversation-pane.module.css'
import { ConversationPane } from './pane/conversation-pane.tsx'
import { ViewLinks } from './pane/view-links.tsx'
import * as css from './sidebar.module.css'
import { Sidebar } from './sidebar.tsx'

/** The page with all conversations on phones. Wider windows show the conversations in the sidebar. */
export function Chats(): ReactNode {
  const within = useOrganizationPart(({ realm_name }) => realm_name)
  const navigate = useNavigate()
  if (!useMedia(PHONE)) return <Navigate to="/inbox" replace />
  return (
    <ChatLayout>
      <ChatHeader
        title={t('Chats')}
        within={within}
        actions={
          <>
            <IconButton
              label={t('Filter channels')}
              icon={ListFilter}
              onPress={() => requestedFilter.set('channels')}
            />
            <IconButton label={t('New message')} icon={SquarePen} onPress={() => void navigate({ to: '/dm' })} />
          </>
        }
      />
      <nav
        ref={conversationsLandmark}
        id="conversations"
        className={`${pageCss.page} ${conversationPaneCss.chats}`}
        aria-label={t('Conversations')}
        data-pane
      >
        <ConversationPane isPage />
      </nav>
      <nav className={conversationPaneCss.chatsViews} aria-label={t('Views')}>
        <ViewLinks isCollapsed={false} hasInbox={false} />
      </nav>
    </ChatLayout>
  )
}

/** The sidebar as a drawer, for windows that are too narrow for it. */
export function ConversationDrawer({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title={t('Conversations')} isOpen size="start" onClose={onClose}>
      <nav className={css.sidebarDrawer} aria-label={t('Conversations')}>
        <Sidebar />
      </nav>
    </Dialog>
  )
}
