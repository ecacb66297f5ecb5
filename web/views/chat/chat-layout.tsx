import type { ReactNode } from 'react'
import './chat-layout.css'

/** The layout of a page with its own header. Its parts form a column, and only one of them scrolls. */
export function ChatLayout({ children }: { children: ReactNode }): ReactNode {
  return <div className="chat-page">{children}</div>
}
