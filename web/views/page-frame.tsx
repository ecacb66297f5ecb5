import type { ComponentProps, ReactNode } from 'react'
import { t } from '../text/t.ts'
import { Empty } from '../ui/feedback/empty.tsx'
import { ChatLayout } from './chat/chat-layout.tsx'
import { type BackLink, ChatHeader, EmptyHeader } from './chat/header/chat-header.tsx'

/** Leads phones from a page of the user or of the organization back to the page with the list of them. */
export const TO_YOU: BackLink = { to: '/you', label: t('Back to You') }

type Header = Omit<ComponentProps<typeof ChatHeader>, 'hasPeople' | 'menu'>

/** A page with the header that all pages share, and content that scrolls under it. */
export function PageFrame(props: Header & { isSunken?: boolean; children: ReactNode }): ReactNode {
  const { isSunken = false, children, ...header } = props
  return (
    <ChatLayout isSunken={isSunken}>
      <ChatHeader {...header} />
      <div className="page">{children}</div>
    </ChatLayout>
  )
}

/** A page with a message in place of its content. */
export function EmptyPage(props: Omit<ComponentProps<typeof Empty>, 'isPage' | 'isDrawing'>): ReactNode {
  return (
    <ChatLayout>
      <EmptyHeader />
      <Empty {...props} isPage />
    </ChatLayout>
  )
}
