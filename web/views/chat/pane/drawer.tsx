import type { ReactNode } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { ConversationPane } from './conversation-pane.tsx'

/** The pane over the page. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function Drawer({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Conversations" isOpen size="side" onClose={onClose}>
      <nav className="dialog-body" aria-label="Conversations">
        <ConversationPane />
      </nav>
    </Dialog>
  )
}
