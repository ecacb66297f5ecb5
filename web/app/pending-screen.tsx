import type { ReactNode } from 'react'
import { t } from '../text/t.ts'
import { Loading } from '../ui/feedback/loading.tsx'
import { ChatLayout } from '../views/chat/chat-layout.tsx'
import { EmptyHeader } from '../views/chat/header/chat-header.tsx'

/** The placeholder for a page that is loading. */
export function PendingScreen(): ReactNode {
  return (
    <ChatLayout>
      <EmptyHeader />
      <Loading label={t('Loading page')} lines={6} />
    </ChatLayout>
  )
}
