import type { ReactNode } from 'react'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { ConversationPane } from './conversation-pane.tsx'

/** The conversations over the page. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function ConversationDrawer({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Conversations" isOpen size="start" onClose={onClose}>
      <nav className="dialog-body" aria-label="Conversations">
        <ConversationPane />
      </nav>
    </Dialog>
  )
}
