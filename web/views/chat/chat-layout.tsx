import type { ReactNode } from 'react'
import './chat-layout.css'

/** A page with its own header: a column in which only one part scrolls. */
export function ChatLayout({ children }: { children: ReactNode }): ReactNode {
  return <div className="chat-page">{children}</div>
}
