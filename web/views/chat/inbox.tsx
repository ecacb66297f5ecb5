import Check from 'lucide-react/icons/check'
import CheckCheck from 'lucide-react/icons/check-check'
import InboxIcon from 'lucide-react/icons/inbox'
import type { ReactNode } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { markRead } from '../../store/messages/mark-read.ts'
import type { UnreadConversation, UnreadCounts } from '../../store/messages/unread.ts'
import { conversationKey } from '../../store/messages/unread.ts'
import { mutedCheck, unreadStore, useUnreadCounts } from '../../store/messages/unread-messages.ts'
import { type Subscription, useOrganization } from '../../store/organization.ts'
import { useConversationName } from '../../store/people/people.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import { ChannelIcon } from '../channel/channel-icon.tsx'
import { sortedChannels } from '../channel/channels.ts'
import { ListPage } from './list-page.tsx'
import './inbox.css'
import { t } from '../../text/t.ts'
import { NarrowLink } from './narrow-link.tsx'
import { CountPill } from './pane/count-pill.tsx'
import { TopicName } from './topic-name.tsx'

const settle = (ids: readonly number[]) =>
  void markRead(ids).catch((error: unknown) =>
    showToast(t('Couldn’t mark messages as read. {message}', { message: toAppError(error).message }), {
      kind: 'error',
    }),
  )

const latestFirst = (one: UnreadConversation, other: UnreadConversation) =>
  (other.ids.at(-1) ?? 0) - (one.ids.at(-1) ?? 0)

/** Unread messages by conversation; of muted ones, only mentions. */
export function Inbox(): ReactNode {
  const { realm_name, subscriptions, user_topics } = useOrganization()
  const counts = useUnreadCounts()
  const isMuted = mutedCheck({ subscriptions, user_topics })
  const refs = [...unreadStore.use().conversations.values()].filter(({ conversation: ref }) => {
    const count = counts.spots.get(conversationKey(ref))
    const isQuiet = ref.kind === 'topic' && isMuted(ref.channelId, ref.topic)
    return count !== undefined && (!isQuiet || count.mentions > 0)
  })
  const direct = refs.filter(({ conversation: spot }) => spot.kind === 'direct').sort(latestFirst)
  const channels = sortedChannels(subscriptions)
    .map((channel) => ({
      channel,
      topics: refs.filter(({ conversation: spot }) => isIn(spot, channel)).sort(latestFirst),
    }))
    .filter(({ topics }) => topics.length > 0)
  const all = refs.flatMap(({ ids }) => ids)
  return (
    <ListPage
      title={t('Inbox')}
      within={realm_name}
      actions={
        all.length > 0 && (
          <Button icon={<CheckCheck className="icon" aria-hidden="true" />} onPress={() => settle(all)}>
            {t('Mark all as read')}
          </Button>
        )
      }
      icon={<InboxIcon className="icon" aria-hidden="true" />}
      about={t('Conversations with unread messages.')}
    >
      {all.length === 0 ? (
        <Empty icon={<InboxIcon />} title={t('You’re all caught up')}>
          <p>{t('New messages appear here.')}</p>
        </Empty>
      ) : (
        <div className="inbox">
          {direct.length > 0 && (
            <section className="card inbox-part" aria-labelledby="inbox-direct">
              <h2 id="inbox-direct">{t('Direct messages')}</h2>
              <Spots spots={direct} counts={counts} />
            </section>
          )}
          {channels.map(({ channel, topics }) => (
            <section
              key={channel.stream_id}
              className="card inbox-part"
              aria-labelledby={`inbox-channel-${channel.stream_id}`}
            >
              <h2 id={`inbox-channel-${channel.stream_id}`} className="inbox-channel">
                <NarrowLink narrow={{ kind: 'channel', channelId: channel.stream_id }}>
                  <ChannelIcon channel={channel} />
                  {channel.name}
                </NarrowLink>
              </h2>
              <Spots spots={topics} counts={counts} />
            </section>
          ))}
        </div>
      )}
    </ListPage>
  )
}

const isIn = (conversation: UnreadConversation['conversation'], channel: Subscription) =>
  conversation.kind === 'topic' && conversation.channelId === channel.stream_id

function Spots({
  spots: conversations,
  counts,
}: {
  spots: readonly UnreadConversation[]
  counts: UnreadCounts
}): ReactNode {
  const nameOf = useConversationName()
  return (
    <ul className="inbox-spots">
      {conversations.map(({ conversation: ref, ids }) => {
        const name = ref.kind === 'direct' ? nameOf(ref.people) : ref.topic || t('general chat')
        return (
          <li key={conversationKey(ref)} className="inbox-spot">
            <NarrowLink narrow={ref} className="pane-link">
              <span className="inbox-name">{ref.kind === 'topic' ? <TopicName topic={ref.topic} /> : name}</span>
              <CountPill count={counts.spots.get(conversationKey(ref))} />
            </NarrowLink>
            <Button
              kind="quiet"
              aria-label={t('Mark {name} as read', { name })}
              icon={<Check className="icon" aria-hidden="true" />}
              onPress={() => settle(ids)}
            />
          </li>
        )
      })}
    </ul>
  )
}
