import Check from 'lucide-react/icons/check'
import CheckCheck from 'lucide-react/icons/check-check'
import InboxIcon from 'lucide-react/icons/inbox'
import type { ReactNode } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { markRead } from '../../store/messages/mark-read.ts'
import type { UnreadCounts, UnreadSpot } from '../../store/messages/unread.ts'
import { keyOfSpot } from '../../store/messages/unread.ts'
import { mutedFinder, unreadMessages, useUnreadCounts } from '../../store/messages/unread-messages.ts'
import { type Subscription, useOrganization } from '../../store/organization.ts'
import { useConversationName } from '../../store/people/people.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { PageHead } from '../../ui/layout/page.tsx'
import { ChannelMark } from '../channel/channel-mark.tsx'
import { sortedChannels } from '../channel/channels.ts'
import { ChatLayout } from './chat-layout.tsx'
import './inbox.css'
import { NarrowLink } from './narrow-link.tsx'
import { CountPill } from './pane/count-pill.tsx'
import { TopicName } from './topic-name.tsx'

const settle = (ids: readonly number[]) =>
  void markRead(ids).catch((error: unknown) =>
    toast(`Nothing was marked as read. ${toAppError(error).message}`, { kind: 'error' }),
  )

const latestFirst = (one: UnreadSpot, other: UnreadSpot) => (other.ids.at(-1) ?? 0) - (one.ids.at(-1) ?? 0)

/** All that is not read, by conversation and topic; of what is muted only what mentions one. */
export function Inbox(): ReactNode {
  const { realm_name, subscriptions, user_topics } = useOrganization()
  const counts = useUnreadCounts()
  const isMuted = mutedFinder({ subscriptions, user_topics })
  const spots = [...unreadMessages.use().spots.values()].filter(({ spot }) => {
    const count = counts.spots.get(keyOfSpot(spot))
    const isQuiet = spot.kind === 'topic' && isMuted(spot.channelId, spot.topic)
    return count !== undefined && (!isQuiet || count.mentions > 0)
  })
  const direct = spots.filter(({ spot }) => spot.kind === 'direct').sort(latestFirst)
  const channels = sortedChannels(subscriptions)
    .map((channel) => ({ channel, topics: spots.filter(({ spot }) => isIn(spot, channel)).sort(latestFirst) }))
    .filter(({ topics }) => topics.length > 0)
  const all = spots.flatMap(({ ids }) => ids)
  return (
    <ChatLayout>
      <PageHead
        title="Inbox"
        within={realm_name}
        actions={
          all.length > 0 && (
            <Button icon={<CheckCheck className="icon" aria-hidden="true" />} onPress={() => settle(all)}>
              Mark all as read
            </Button>
          )
        }
      >
        <p>What you have not read yet, by conversation.</p>
      </PageHead>
      {all.length === 0 ? (
        <Empty icon={<InboxIcon />} title="You have read everything">
          <p>What is new appears here as soon as it is said.</p>
        </Empty>
      ) : (
        <div className="inbox">
          {direct.length > 0 && (
            <section className="card inbox-part" aria-labelledby="inbox-direct">
              <h2 id="inbox-direct">Direct messages</h2>
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
                  <ChannelMark channel={channel} />
                  {channel.name}
                </NarrowLink>
              </h2>
              <Spots spots={topics} counts={counts} />
            </section>
          ))}
        </div>
      )}
    </ChatLayout>
  )
}

const isIn = (spot: UnreadSpot['spot'], channel: Subscription) =>
  spot.kind === 'topic' && spot.channelId === channel.stream_id

function Spots({ spots, counts }: { spots: readonly UnreadSpot[]; counts: UnreadCounts }): ReactNode {
  const nameOf = useConversationName()
  return (
    <ul className="inbox-spots">
      {spots.map(({ spot, ids }) => {
        const name = spot.kind === 'direct' ? nameOf(spot.people) : spot.topic || 'general chat'
        return (
          <li key={keyOfSpot(spot)} className="inbox-spot">
            <NarrowLink narrow={spot} className="pane-link">
              <span className="inbox-name">{spot.kind === 'topic' ? <TopicName topic={spot.topic} /> : name}</span>
              <CountPill count={counts.spots.get(keyOfSpot(spot))} />
            </NarrowLink>
            <Button
              kind="quiet"
              aria-label={`Mark ${name} as read`}
              icon={<Check className="icon" aria-hidden="true" />}
              onPress={() => settle(ids)}
            />
          </li>
        )
      })}
    </ul>
  )
}
