import AtSign from 'lucide-react/icons/at-sign'
import Layers from 'lucide-react/icons/layers'
import MessagesSquare from 'lucide-react/icons/messages-square'
import SmilePlus from 'lucide-react/icons/smile-plus'
import Star from 'lucide-react/icons/star'
import type { ReactNode } from 'react'
import { Composer } from '../composer/composer.tsx'
import { ChatLayout } from '../navigation/page.tsx'
import { t } from '../text/t.ts'
import { Empty, TalkDrawing } from '../ui/page-states.tsx'
import { MessagesPage } from './messages-page.tsx'

/** All messages that the user can read in their channels and direct messages, except muted ones. */
export function Combined(): ReactNode {
  return (
    <ChatLayout>
      <MessagesPage
        narrow={COMBINED}
        title={t('Combined feed')}
        icon={<Layers className="icon" aria-hidden="true" />}
        about={<p>{t('Messages in all your conversations, newest last. Muted ones are hidden.')}</p>}
        empty={
          <Empty icon={<TalkDrawing />} isDrawing title={t('No messages yet')}>
            <p>{t('Messages in your channels appear here.')}</p>
          </Empty>
        }
        composer={<Composer page={ANY} />}
      />
    </ChatLayout>
  )
}

export function Mentions(): ReactNode {
  return (
    <ChatLayout>
      <MessagesPage
        narrow={MENTIONS}
        title={t('Mentions')}
        icon={<AtSign className="icon" aria-hidden="true" />}
        about={<p>{t('Messages that mention you.')}</p>}
        opensAtEnd
        empty={
          <Empty icon={<AtSign />} title={t('No mentions yet')}>
            <p>{t('Messages that mention you appear here.')}</p>
          </Empty>
        }
        composer={<Composer page={REPLIES} />}
      />
    </ChatLayout>
  )
}

export function Starred(): ReactNode {
  return (
    <ChatLayout>
      <MessagesPage
        narrow={STARRED}
        title={t('Starred')}
        icon={<Star className="icon" aria-hidden="true" />}
        about={<p>{t('Messages you’ve starred.')}</p>}
        keepsUnread
        opensAtEnd
        empty={
          <Empty icon={<Star />} title={t('No starred messages')}>
            <p>{t('Star a message to find it here.')}</p>
          </Empty>
        }
        composer={<Composer page={REPLIES} />}
      />
    </ChatLayout>
  )
}

export function DirectMessages(): ReactNode {
  return (
    <ChatLayout>
      <MessagesPage
        narrow={DIRECT_MESSAGES}
        title={t('Direct message feed')}
        icon={<MessagesSquare className="icon" aria-hidden="true" />}
        about={<p>{t('All your direct messages, newest last.')}</p>}
        empty={
          <Empty icon={<TalkDrawing />} isDrawing title={t('No direct messages yet')}>
            <p>{t('Messages between you and other people appear here.')}</p>
          </Empty>
        }
        composer={<Composer page={ANY} />}
      />
    </ChatLayout>
  )
}

/** The user's own messages that someone has reacted to. */
export function Reactions(): ReactNode {
  return (
    <ChatLayout>
      <MessagesPage
        narrow={REACTIONS}
        title={t('Reactions')}
        icon={<SmilePlus className="icon" aria-hidden="true" />}
        about={<p>{t('Your messages that have reactions.')}</p>}
        keepsUnread
        opensAtEnd
        empty={
          <Empty icon={<SmilePlus />} title={t('No reactions yet')}>
            <p>{t('Your messages that get reactions appear here.')}</p>
          </Empty>
        }
        composer={<Composer page={REPLIES} />}
      />
    </ChatLayout>
  )
}

const COMBINED = { kind: 'combined' } as const
const MENTIONS = { kind: 'mentions' } as const
const STARRED = { kind: 'starred' } as const
const DIRECT_MESSAGES = { kind: 'direct-messages' } as const
const REACTIONS = { kind: 'reactions' } as const

const ANY = { kind: 'any' } as const
const REPLIES = { kind: 'any', isForReplies: true } as const
