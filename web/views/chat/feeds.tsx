import AtSign from 'lucide-react/icons/at-sign'
import MessagesSquare from 'lucide-react/icons/messages-square'
import Star from 'lucide-react/icons/star'
import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { ChatLayout } from './chat-layout.tsx'
import { MessagesPage } from './messages-page.tsx'

/** All messages that one receives, but for what is muted. */
export function Combined(): ReactNode {
  return (
    <ChatLayout>
      <MessagesPage
        narrow={COMBINED}
        title={t('Combined')}
        about={<p>{t('All that is said in your channels and to you, in the order in which it came.')}</p>}
        empty={
          <Empty icon={<MessagesSquare />} title={t('Nothing was said yet')}>
            <p>{t('What is said in your channels appears here.')}</p>
          </Empty>
        }
      />
    </ChatLayout>
  )
}

/** The messages that mention one. */
export function Mentions(): ReactNode {
  return (
    <ChatLayout>
      <MessagesPage
        narrow={MENTIONS}
        title={t('Mentions')}
        about={<p>{t('Messages that name you, or everybody.')}</p>}
        opensAtEnd
        empty={
          <Empty icon={<AtSign />} title={t('Nobody has mentioned you yet')}>
            <p>{t('Messages with your name after an @ appear here.')}</p>
          </Empty>
        }
      />
    </ChatLayout>
  )
}

/** The messages that one has starred. */
export function Starred(): ReactNode {
  return (
    <ChatLayout>
      <MessagesPage
        narrow={STARRED}
        title={t('Starred')}
        about={<p>{t('Messages that you marked to find them again.')}</p>}
        isOnlyLookedAt
        opensAtEnd
        empty={
          <Empty icon={<Star />} title={t('You have starred nothing yet')}>
            <p>{t('Star a message to find it here again.')}</p>
          </Empty>
        }
      />
    </ChatLayout>
  )
}

const COMBINED = { kind: 'combined' } as const
const MENTIONS = { kind: 'mentions' } as const
const STARRED = { kind: 'starred' } as const
