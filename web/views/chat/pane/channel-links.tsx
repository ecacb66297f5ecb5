import ChevronRight from 'lucide-react/icons/chevron-right'
import { memo, type ReactNode, useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { useChannelUnreadCount } from '../../../store/messages/unread-messages.ts'
import { type Subscription, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { ChannelIcon } from '../../channel/channel-icon.tsx'
import { sortedChannels } from '../../channel/channels.ts'
import { NarrowLink } from '../narrow-link.tsx'
import { CountPill } from './count-pill.tsx'
import { matchesName } from './matches-name.ts'
import { TopicLinks } from './topic-links.tsx'

/** The user's channels that match the filter, with the topics of the expanded ones. */
export function ChannelLinks({ wanted: target, current }: { wanted: string; current: Narrow | null }): ReactNode {
  const { subscriptions } = useOrganization()
  const sorted = useMemo(() => sortedChannels(subscriptions), [subscriptions])
  const channels = sorted.filter(({ name }) => matchesName(name, target))
  if (channels.length === 0 && target.trim() !== '') return <p className="pane-none">{t('No matching channels.')}</p>
  return (
    <section>
      <h2 className="pane-title">{t('Your channels')}</h2>
      <ul>
        {channels.map((channel) => (
          <ChannelItem
            key={channel.stream_id}
            channel={channel}
            current={isInChannel(current, channel.stream_id) ? current : null}
          />
        ))}
      </ul>
    </section>
  )
}

const isInChannel = (narrow: Narrow | null, channelId: number): boolean =>
  (narrow?.kind === 'channel' || narrow?.kind === 'topic') && narrow.channelId === channelId

/** A channel; `current` is null unless the current narrow is in it, so that other channels stay as they are. */
const ChannelItem = memo(function ChannelItem(props: { channel: Subscription; current: Narrow | null }): ReactNode {
  const { channel, current } = props
  const { stream_id: channelId, name, is_muted } = channel
  const count = useChannelUnreadCount(channelId)
  const isHere = current !== null
  const [chosen, choose] = useState<boolean>()
  const isOpen = chosen ?? isHere
  return (
    <li>
      <div className="pane-row">
        <NarrowLink
          narrow={{ kind: 'channel', channelId }}
          className={is_muted ? 'pane-link pane-muted' : 'pane-link'}
          isCurrent={isHere && current?.kind === 'channel'}
        >
          <ChannelIcon channel={channel} />
          <span className="pane-link-name">{name}</span>
          {is_muted && <span className="visually-hidden">{t(', muted')}</span>}
          <CountPill count={count} />
        </NarrowLink>
        <Button
          className="pane-toggle"
          aria-label={t('Topics of {name}', { name })}
          aria-expanded={isOpen}
          onPress={() => choose(!isOpen)}
        >
          <ChevronRight className="icon" aria-hidden="true" />
        </Button>
      </div>
      {isOpen && <TopicLinks channelId={channelId} current={current} />}
    </li>
  )
})
