import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Sidebar } from './sidebar.tsx'

/** The sidebar as a drawer, for windows that are too narrow for it. */
export function ConversationDrawer({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title={t('Conversations')} isOpen size="start" onClose={onClose}>
      <nav className="sidebar-drawer" aria-label={t('Conversations')}>
        <Sidebar />
      </nav>
    </Dialog>
  )
}
