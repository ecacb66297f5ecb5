import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { call } from '../../api/call.ts'
import { contentToReact } from '../../message-html/content-to-react.tsx'
import { decodeEntities, parseHtml } from '../../message-html/parse-html.ts'
import { CONTENT_PARTS } from '../../message-view/rendered-content.tsx'
import type { Message } from '../../messages/message.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { absoluteTime } from '../../ui/time.tsx'
import { useNames } from '../message/reaction-chips.ts'
import { type Kind, type Revision, toRevisions, withWords } from './changes.ts'
import * as css from './history-dialog.module.css'
import type { PartProps } from './part.ts'

/** The edit history of a message, newest first. */
export function HistoryDialog({ message, onClose }: PartProps): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['message-history', message.id, message.last_edit_timestamp, message.last_moved_timestamp],
    queryFn: ({ signal }) =>
      call('GET /messages/{message_id}/history', { message_id: message.id, allow_empty_topic_name: true }, { signal }),
    gcTime: 0,
  })
  return (
    <Dialog title={t('Edit history')} size="large" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null ? (
          <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <Loading label={t('Loading edit history')} />
        ) : (
          <ol className={css.history}>
            {toRevisions(data.message_history).map((entry, at) => (
              <li key={data.message_history.length - at}>
                <HistoryEntry entry={entry} message={message} />
              </li>
            ))}
          </ol>
        )}
      </div>
    </Dialog>
  )
}

/** Returns a sentence about the changes that a user made. `kinds` are in the order of `Kind`. */
function changeText(name: string, kinds: readonly Kind[]): string {
  switch (kinds.join(' ')) {
    case 'text':
      return t('{name} edited the message', { name })
    case 'topic':
      return t('{name} changed the topic', { name })
    case 'channel':
      return t('{name} moved the message to another channel', { name })
    case 'topic channel':
      return t('{name} moved the message to another channel and topic', { name })
    case 'text topic':
      return t('{name} edited the message and changed its topic', { name })
    case 'text channel':
      return t('{name} edited the message and moved it to another channel', { name })
    case 'text topic channel':
      return t('{name} edited the message and moved it to another channel and topic', { name })
    default:
      return t('{name} sent the message', { name })
  }
}

function HistoryEntry({ entry, message }: { entry: Revision; message: Message }): ReactNode {
  const nameOf = useNames()
  const { kinds, user_id, timestamp } = entry
  const name =
    user_id === null ? t('Someone') : user_id === message.sender_id ? message.sender_full_name : nameOf(user_id)
  return (
    <>
      <h3 className={css.historyHead}>
        {changeText(name, kinds)}{' '}
        <time className="soft small" dateTime={new Date(timestamp * 1000).toISOString()}>
          {absoluteTime(timestamp)}
        </time>
      </h3>
      <Moved entry={entry} message={message} />
      {(kinds.includes('sent') || kinds.includes('text')) && (
        <Difference html={entry.content_html_diff ?? entry.rendered_content} />
      )}
    </>
  )
}

function Moved({ entry, message }: { entry: Revision; message: Message }): ReactNode {
  const organization = useOrganization()
  const { kinds, prev_topic, topic, prev_stream, stream } = entry
  if (!kinds.includes('topic') && !kinds.includes('channel')) return null
  const titleOf = (channelId: number | undefined, name: string) =>
    [
      ...(channelId === undefined ? [] : [channelName(organization, message, channelId)]),
      name || t('general chat'),
    ].join(' › ')
  return (
    <p>
      {rich('From <b>{before}</b> to <b>{after}</b>', {
        b: (children) => <b>{children}</b>,
        before: titleOf(prev_stream, prev_topic ?? topic),
        after: titleOf(stream, topic),
      })}
    </p>
  )
}

/** Returns the current name of a channel, or its number if the user can't see it. */
function channelName(organization: Organization, message: Message, id: number): string {
  const { subscriptions, unsubscribed, never_subscribed } = organization
  if (id === message.stream_id) return String(message.display_recipient)
  const known = [...subscriptions, ...unsubscribed, ...never_subscribed].find(({ stream_id }) => stream_id === id)
  return known?.name ?? t('channel {id}', { id })
}

function Difference({ html }: { html: string }): ReactNode {
  const content = useMemo(() => contentToReact(withWords(parseHtml(html, decodeEntities)), CONTENT_PARTS), [html])
  return <div className={`message-content ${css.historyText}`}>{content}</div>
}
