import type { ReactNode } from 'react'
import './chat-layout.css'
import { TitleBar } from './pane/title-bar.tsx'

/** A page of the chat, which leads to the panes that have no room beside it. */
export function ChatLayout({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="chat-page">
      <TitleBar />
      {children}
    </div>
  )
}
