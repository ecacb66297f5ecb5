import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import * as conversationRowCss from '../message-view/conversation-row.module.css'
import { ConversationRow } from '../message-view/conversation-row.tsx'
import { fetchRange } from '../messages/messages.ts'
import { toAppError } from '../store/app-error.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { ErrorNotice } from '../ui/notice.tsx'
import { Loading } from '../ui/page-states.tsx'
import { ChannelAbout } from './channel-about.tsx'
import * as css from './channels.module.css'
import { JoinLeave } from './join-leave.tsx'
import type { ListedChannel } from './listing.ts'

/** The maximum number of messages shown. */
const SHOWN = 6

/** Shows the latest messages of a channel, so that the user can see what it is about. */
export function ChannelPreview({ known, onClose }: { known: ListedChannel; onClose: () => void }): ReactNode {
  const { channel, subscription } = known
  const { stream_id: channelId } = channel
  const { data, error, refetch } = useQuery({
    queryKey: ['channel-preview', channelId],
    queryFn: ({ signal }) => fetchRange({ kind: 'channel', channelId }, 'newest', SHOWN, 0, signal),
    staleTime: 0,
  })
  const messages = data?.messages.toReversed()
  return (
    <Dialog title={t('#{name}', { name: channel.name })} size="large" isOpen onClose={onClose}>
      <div className="dialog-body">
        <ChannelAbout channel={channel} />
        {error !== null && messages === undefined && (
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        )}
        {error === null && messages === undefined && <Loading label={t('Loading messages')} lines={4} />}
        {messages?.length === 0 && <p className="soft">{t('No messages yet')}</p>}
        {messages !== undefined && messages.length > 0 && (
          <section aria-labelledby="channel-preview">
            <h3 id="channel-preview">{t('Latest messages')}</h3>
            <ul className={`${conversationRowCss.conversationList} ${css.browserPreview}`}>
              {messages.map((message) => (
                <ConversationRow
                  key={message.id}
                  conversation={{ kind: 'topic', channelId, topic: message.subject }}
                  message={message}
                />
              ))}
            </ul>
          </section>
        )}
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Close')}</Button>
        {subscription === null && <JoinLeave known={known} />}
        <Link to="/channels/$channelId" params={{ channelId: String(channelId) }} className="button button-primary">
          {t('Open channel')}
        </Link>
      </DialogActions>
    </Dialog>
  )
}
