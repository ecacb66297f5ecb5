import { Navigate, useNavigate } from '@tanstack/react-router'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { useOrganizationPart } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useMedia } from '../../ui/layout/use-media.ts'
import { PHONE } from '../../ui/layout/widths.ts'
import { ListPage } from '../../views/chat/list-page.tsx'
import { ConversationPane } from '../../views/chat/sidebar/conversation-pane.tsx'

/** The page with all conversations on phones. Wider windows show the conversations in the sidebar. */
export function Chats(): ReactNode {
  const within = useOrganizationPart(({ realm_name }) => realm_name)
  const navigate = useNavigate()
  if (!useMedia(PHONE)) return <Navigate to="/inbox" replace />
  return (
    <ListPage
      title={t('Chats')}
      within={within}
      actions={<IconButton label={t('New message')} icon={SquarePen} onPress={() => void navigate({ to: '/dm' })} />}
    >
      <nav id="conversations" aria-label={t('Conversations')} data-pane>
        <ConversationPane />
      </nav>
    </ListPage>
  )
}
