import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOrganizationPart } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE } from '../../ui/layout/widths.ts'
import { ListPage } from '../../views/chat/list-page.tsx'
import { ConversationPane } from '../../views/chat/pane/conversation-pane.tsx'

/** All conversations as a page, on phones; elsewhere they are in the sidebar. */
export function Chats(): ReactNode {
  const within = useOrganizationPart(({ realm_name }) => realm_name)
  if (!useMedia(PHONE)) return <Navigate to="/inbox" replace />
  return (
    <ListPage title={t('Chats')} within={within}>
      <nav id="conversations" aria-label={t('Conversations')} data-pane>
        <ConversationPane />
      </nav>
    </ListPage>
  )
}
