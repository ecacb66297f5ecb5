import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../../api/call.ts'
import type { Message } from '../../../store/messages/message.ts'
import { conversationOf } from '../../../store/messages/narrow.ts'
import { topicTitle } from '../../../store/messages/topic-title.ts'
import { useOwnId, useSubscription } from '../../../store/organization.ts'
import { useConversationName } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { NarrowLink } from '../../chat/narrow-link.tsx'
import type { OwnFile } from './own-files.ts'

/** The maximum number of messages that a file's row links to. */
const MAX_NAMED = 3

/** Returns the ids of the newest messages that contain the file, at most `MAX_NAMED`. */
const namedIds = ({ messages }: OwnFile): number[] =>
  messages
    .map(({ id }) => id)
    .toSorted((one, other) => other - one)
    .slice(0, MAX_NAMED)

/** Loads the messages that `FileUses` links to, for several files with one request. */
export function useFileMessages(files: readonly OwnFile[]): ReadonlyMap<number, Message> {
  const ids = [...new Set(files.flatMap(namedIds))].toSorted((one, other) => one - other)
  const { data = [] } = useQuery({
    queryKey: ['file-messages', ids],
    queryFn: async ({ signal }) =>
      (await call('GET /messages', { message_ids: ids, allow_empty_topic_name: true }, { signal })).messages,
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  })
  return new Map(data.map((message) => [message.id, message as Message]))
}

/** Links to the newest messages that contain a file. */
export function FileUses({ file, messages }: { file: OwnFile; messages: ReadonlyMap<number, Message> }): ReactNode {
  const ids = namedIds(file)
  if (ids.length === 0) return <span className="soft">{t('No message')}</span>
  const more = file.messages.length - ids.length
  return (
    <ul className="file-uses">
      {ids.map((id) => {
        const message = messages.get(id)
        return <li key={id}>{message !== undefined && <Use message={message} />}</li>
      })}
      {more > 0 && <li className="soft">{t('{more} more', { more })}</li>}
    </ul>
  )
}

function Use({ message }: { message: Message }): ReactNode {
  const ownId = useOwnId()
  const conversation = conversationOf(message, ownId)
  const channel = useSubscription(conversation.kind === 'topic' ? conversation.channelId : 0)
  const nameOf = useConversationName()
  return (
    <NarrowLink narrow={conversation} near={message.id}>
      {conversation.kind === 'direct'
        ? nameOf(conversation.people)
        : t('#{channel} › {topic}', {
            channel: channel?.name ?? String(message.display_recipient),
            topic: topicTitle(conversation.topic),
          })}
    </NarrowLink>
  )
}
