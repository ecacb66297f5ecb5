import { useNavigate } from '@tanstack/react-router'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import Check from 'lucide-react/icons/check'
import CircleCheck from 'lucide-react/icons/circle-check'
import List from 'lucide-react/icons/list'
import type { ReactNode } from 'react'
import { namedOperand } from '../../../store/messages/search-query.ts'
import { isResolved } from '../../../store/messages/topic-title.ts'
import type { Channel, Subscription } from '../../../store/organization.ts'
import { shortcutLabel } from '../../../store/shortcuts/shortcut-keys.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { IconButton } from '../../../ui/buttons/icon-button.tsx'
import { useMedia } from '../../../ui/layout/use-media.ts'
import { PHONE } from '../../../ui/layout/widths.ts'
import { useSetProperty } from '../../channels/settings/set-property.ts'
import { filterOf, SearchHere } from '../search-here.tsx'
import { TopicName } from '../topic-name.tsx'
import { useTopicActions } from './use-topic-actions.tsx'

/** The follow, resolve and search buttons in the header of a topic. */
export function TopicButtons({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const { follow, resolve, isFollowed } = useTopicActions({ channel, topic })
  return (
    <>
      <span className="wide-only">
        <IconButton
          label={follow.label}
          keys={shortcutLabel('F')}
          icon={Bell}
          isPressed={isFollowed}
          onPress={follow.run}
        />
        {resolve !== null && (
          <IconButton label={resolve.label} icon={Check} isPressed={isResolved(topic)} onPress={resolve.run} />
        )}
      </span>
      <SearchHere
        label={t('Search this topic')}
        filters={[filterOf('channel', namedOperand(channel.stream_id, channel.name)), filterOf('topic', topic)]}
      />
    </>
  )
}

/**
 * The name of a topic in its header. Pressing it opens the dialog to rename or move the topic. On phones it is plain
 * text, because the channel link above it is too close.
 */
export function TopicTitle({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const { move, dialogs } = useTopicActions({ channel, topic })
  const isPhone = useMedia(PHONE)
  if (move === null || isPhone) return <TopicName topic={topic} />
  return (
    <>
      <button type="button" className="chat-header-edit" title={t('Rename or move this topic')} onClick={move.run}>
        <TopicName topic={topic} />
      </button>
      {dialogs}
    </>
  )
}

/** Says that the topic is resolved. Users with permission get a button that takes this back. */
export function ResolvedBar({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const { resolve } = useTopicActions({ channel, topic })
  return (
    <aside className="resolved-bar" aria-label={t('Resolved topic')}>
      <CircleCheck className="icon" aria-hidden="true" />
      <span>{t('This topic is resolved.')}</span>
      {resolve !== null && (
        <Button kind="quiet" onPress={resolve.run}>
          {t('Mark as unresolved')}
        </Button>
      )}
    </aside>
  )
}

/** The mute, topic list and search buttons in the header of a channel. */
export function ChannelButtons({ channel }: { channel: Subscription }): ReactNode {
  const set = useSetProperty(channel)
  const { is_muted } = channel
  return (
    <>
      <span className="wide-only">
        <IconButton
          label={is_muted ? t('Unmute channel') : t('Mute channel')}
          // The icon shows the state, and the label says what a press does.
          icon={is_muted ? BellOff : Bell}
          isPressed={is_muted}
          onPress={() => set('is_muted', !is_muted)}
        />
        <TopicListLink channel={channel} />
      </span>
      <SearchChannel channel={channel} />
    </>
  )
}

export const SearchChannel = ({ channel }: { channel: Channel }): ReactNode => (
  <SearchHere
    label={t('Search #{name}', { name: channel.name })}
    filters={[filterOf('channel', namedOperand(channel.stream_id, channel.name))]}
  />
)

export function TopicListLink({ channel: { stream_id, name } }: { channel: Channel }): ReactNode {
  const navigate = useNavigate()
  const params = { channelId: String(stream_id) }
  return (
    <IconButton
      label={t('All topics of #{name}', { name })}
      keys={shortcutLabel('y')}
      icon={List}
      onPress={() => void navigate({ to: '/channels/$channelId/topics', params })}
    />
  )
}
