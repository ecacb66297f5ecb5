import type { ReactNode } from 'react'
import './chat-layout.css'
import { TitleBar } from './pane/title-bar.tsx'

/** A chat page, with buttons for the panes that do not fit next to it. */
export function ChatLayout({ children }: { children: ReactNode }): ReactNode {
  return (
    <div className="chat-page">
      <TitleBar />
      {children}
    </div>
  )
}
