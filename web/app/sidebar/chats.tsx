import { Navigate, useNavigate } from '@tanstack/react-router'
import ListFilter from 'lucide-react/icons/list-filter'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { useOrganizationPart } from '../../store/organization.ts'
import { requestedFilter } from '../../store/page/requested-filter.ts'
import { t } from '../../text/t.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { conversationsLandmark } from '../../ui/layout/landmarks.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE } from '../../ui/layout/widths.ts'
import { ConversationPane } from '../../views/chat/sidebar/conversation-pane.tsx'
import { ViewLinks } from '../../views/chat/sidebar/view-links.tsx'
import './chats.css'
import { ChatLayout } from '../../views/chat/chat-layout.tsx'
import { ChatHeader } from '../../views/chat/header/chat-header.tsx'

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
        className="page chats"
        aria-label={t('Conversations')}
        data-pane
      >
        <ConversationPane isPage />
      </nav>
      <nav className="chats-views" aria-label={t('Views')}>
        <ViewLinks isCollapsed={false} hasInbox={false} />
      </nav>
    </ChatLayout>
  )
}
