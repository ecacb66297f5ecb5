import ChevronRight from 'lucide-react/icons/chevron-right'
import { type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import type { Narrow } from '../../../store/messages/narrow.ts'
import type { UnreadCounts } from '../../../store/messages/unread.ts'
import { type Subscription, useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { ChannelIcon } from '../../channel/channel-icon.tsx'
import { sortedChannels } from '../../channel/channels.ts'
import { NarrowLink } from '../narrow-link.tsx'
import { CountPill } from './count-pill.tsx'
import { matchesName } from './matches-name.ts'
import { TopicLinks } from './topic-links.tsx'

type Seen = { counts: UnreadCounts; current: Narrow | null }

/** The user's channels that match the filter, with the topics of the expanded ones. */
export function ChannelLinks({ wanted: target, ...seen }: Seen & { wanted: string }): ReactNode {
  const channels = sortedChannels(useOrganization().subscriptions).filter(({ name }) => matchesName(name, target))
  if (channels.length === 0 && target.trim() !== '') return <p className="pane-none">{t('No matching channels.')}</p>
  return (
    <section>
      <h2 className="pane-title">{t('Your channels')}</h2>
      <ul>
        {channels.map((channel) => (
          <ChannelItem key={channel.stream_id} channel={channel} {...seen} />
        ))}
      </ul>
    </section>
  )
}

function ChannelItem({ channel, counts, current }: Seen & { channel: Subscription }): ReactNode {
  const { stream_id: channelId, name, is_muted } = channel
  const isHere = (current?.kind === 'channel' || current?.kind === 'topic') && current.channelId === channelId
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
          <CountPill count={counts.channels.get(channelId)} />
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
      {isOpen && <TopicLinks channelId={channelId} counts={counts} current={current} />}
    </li>
  )
}
