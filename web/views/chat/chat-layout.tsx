import type { ReactNode } from 'react'
import './chat-layout.css'
import { ConversationPane } from './pane/conversation-pane.tsx'
import { PaneDrawer } from './pane/pane-drawer.tsx'

/** A page of the chat: the ways to all conversations beside what one reads, or in a drawer where there is no room. */
export function ChatLayout({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="chat">
      <nav className="chat-pane" aria-label="Conversations" data-pane>
        <ConversationPane />
      </nav>
      <div className="chat-page">
        <PaneDrawer />
        {children}
      </div>
    </div>
  )
}
