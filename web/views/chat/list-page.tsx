import type { ReactNode } from 'react'
import { ChatLayout } from './chat-layout.tsx'
import { ChatHeader } from './header/chat-header.tsx'

/** A page with a header and a scrolling list of conversations or messages. */
export function ListPage(props: {
  title: string
  /** The text after `title` in the window title, such as the organization's name. */
  within: string
  icon?: ReactNode
  /** The parent of the title, such as the channel on the page with all topics of a channel. */
  before?: ReactNode
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}): ReactNode {
  const { children, ...header } = props
  return (
    <ChatLayout>
      <ChatHeader {...header} />
      <div className="page">{children}</div>
    </ChatLayout>
  )
}
