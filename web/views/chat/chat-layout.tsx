import type { ReactNode } from 'react'
import './chat-layout.css'

/** The layout of a page with its own header. Its parts form a column, and only one of them scrolls. `isSunken` gives it the
 * color of the sidebar. */
export function ChatLayout({ children, isSunken = false }: { children: ReactNode; isSunken?: boolean }): ReactNode {
  return <div className={isSunken ? 'chat-page sunken' : 'chat-page'}>{children}</div>
}
