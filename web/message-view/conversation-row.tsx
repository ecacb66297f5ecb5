import { memo, type ReactNode } from 'react'
import { type Message, messageText } from '../messages/message.ts'
import type { ConversationRef } from '../messages/narrow.ts'
import { conversationKey, useUnreadCount } from '../messages/unread.ts'
import { ChannelIcon, TopicName } from '../navigation/conversation-name.tsx'
import { CountPill } from '../navigation/count-pill.tsx'
import { NarrowLink } from '../navigation/narrow-link.tsx'
import { DirectIcon } from '../people/person-icon.tsx'
import { useOrganizationPart, useOwnId, usePerson, useSubscription } from '../store/organization.ts'
import { hasNamesake, shortDistinctName, useConversationName, usePeople } from '../store/people.ts'
import { t } from '../text/t.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Time } from '../ui/time.tsx'
import * as css from './conversation-row.module.css'
import { useRowMenu } from './open-row-menu.tsx'

/** A conversation in a list: its name, its latest message with the sender, the time and the unread count. */
export const ConversationRow = memo(function ConversationRow(props: {
  conversation: ConversationRef
  message: Message | undefined
  /** True if the channel is shown before the topic. */
  showsChannel?: boolean
  /** The ids of the people who wrote lately, the latest first; their pictures are shown. */
  writers?: readonly number[]
  /** Marks after the name, such as the icon of a followed topic. */
  marks?: ReactNode
  /** The button at the end. It replaces the count while the pointer is over the row. */
  action?: ReactNode
}): ReactNode {
  const { conversation, message, showsChannel = false, writers = NOBODY, marks, action } = props
  const nameOf = useConversationName()
  const count = useUnreadCount(conversation)
  const isDirect = conversation.kind === 'direct'
  const name = isDirect ? nameOf(conversation.people) : undefined
  return (
    <li
      className={css.conversationItem}
      data-conversation={conversationKey(conversation)}
      {...useRowMenu(conversation)}
    >
      <NarrowLink
        narrow={conversation}
        className={`${css.conversationRow}${count === undefined ? '' : ` ${css.conversationUnread}`}`}
      >
        {isDirect ? (
          <DirectIcon people={conversation.people} />
        ) : (
          <Avatar
            id={message?.sender_id ?? 0}
            name={message?.sender_full_name ?? ''}
            url={message?.avatar_url ?? null}
          />
        )}
        <span className={css.conversationName} title={name}>
          {showsChannel && !isDirect && <ChannelBefore channelId={conversation.channelId} />}
          {isDirect ? name : <TopicName topic={conversation.topic} />}
          {marks}
        </span>
        <span className={css.conversationPreview}>
          {message !== undefined && (
            <Preview message={message} isAlone={isDirect && conversation.people.length === 1} />
          )}
        </span>
        <span className={css.conversationTime}>
          {!isDirect && writers.length > 1 && <Writers ids={writers} />}
          {message !== undefined && <Time at={message.timestamp} as="short" />}
        </span>
        <span className={css.conversationCount}>
          <CountPill count={count} isLoud={isDirect} />
        </span>
      </NarrowLink>
      {action !== undefined && <span className={css.conversationAction}>{action}</span>}
    </li>
  )
})

const NOBODY: readonly number[] = []

/** The number of people whose pictures are shown before the others are only counted. */
const SHOWN = 3

/** The pictures of people who wrote lately. */
function Writers({ ids }: { ids: readonly number[] }): ReactNode {
  const find = usePeople()
  const people = ids.slice(0, ids.length > SHOWN + 1 ? SHOWN : SHOWN + 1).flatMap((id) => find(id) ?? [])
  const names = people.map(({ full_name }) => full_name).join(', ')
  const rest = ids.length - people.length
  return (
    <span className={css.conversationWriters} title={rest > 0 ? t('{names} and {rest} more', { names, rest }) : names}>
      {people.map(({ user_id, full_name, avatar_url }) => (
        <Avatar key={user_id} id={user_id} name={full_name} url={avatar_url ?? null} />
      ))}
      {rest > 0 && <span className="small">+{rest}</span>}
    </span>
  )
}

function ChannelBefore({ channelId }: { channelId: number }): ReactNode {
  const channel = useSubscription(channelId)
  if (channel === undefined) return null
  return (
    <span className={css.conversationChannel}>
      <ChannelIcon channel={channel} /> {channel.name} ›{' '}
    </span>
  )
}

function Preview({ message, isAlone }: { message: Message; isAlone: boolean }): ReactNode {
  const ownId = useOwnId()
  const sender = usePerson(message.sender_id)
  const distinct = useOrganizationPart(({ realm_users }) =>
    sender !== undefined && hasNamesake(sender, realm_users) ? shortDistinctName(sender, realm_users) : null,
  )
  const text = messageText(message)
  const isOwn = message.sender_id === ownId
  if (isAlone && !isOwn) return <span dir="auto">{text}</span>
  const name = isOwn ? t('You') : (distinct ?? firstName(sender?.full_name ?? message.sender_full_name))
  return <span dir="auto">{t('{name}: {text}', { name, text })}</span>
}

const firstName = (name: string): string => name.trim().split(/\s+/)[0] ?? name
