import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { ConversationPane } from './conversation-pane.tsx'

/** The conversation pane as a drawer. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function ConversationDrawer({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title={t('Conversations')} isOpen size="start" onClose={onClose}>
      <nav className="dialog-body" aria-label={t('Conversations')}>
        <ConversationPane />
      </nav>
    </Dialog>
  )
}
