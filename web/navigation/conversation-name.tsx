import CircleCheck from 'lucide-react/icons/circle-check'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import { isResolved } from '#rules/topics.ts'
import { topicTitle } from '../messages/narrow.ts'
import type { Channel, Subscription } from '../store/organization.ts'
import { t } from '../text/t.ts'
import * as css from './conversation-name.module.css'

/** The mark of a resolved topic, which stands before its title. */
export const ResolvedMark = (): ReactNode => (
  <CircleCheck className={`icon ${css.topicResolved}`} role="img" aria-label={t('Resolved')} aria-hidden={undefined} />
)

/** The name of a topic, with an icon if it is resolved. The empty name is shown as general chat. */
export function TopicName({ topic }: { topic: string }): ReactNode {
  if (topic === '') return <i>{topicTitle(topic)}</i>
  if (!isResolved(topic)) return topic
  return (
    <>
      <ResolvedMark /> {topicTitle(topic)}
    </>
  )
}

/** The icon before a channel's name, in the user's color for the channel. Private channels have a lock. */
export function ChannelIcon({ channel }: { channel: Pick<Channel, 'invite_only'> & Partial<Subscription> }): ReactNode {
  const { color } = channel
  const look =
    color === undefined
      ? {}
      : { className: `icon ${css.channelIcon}`, 'data-colored': '', style: { '--channel': color } as object }
  return channel.invite_only ? (
    <Lock className="icon" {...look} role="img" aria-label={t('Private:')} aria-hidden={undefined} />
  ) : (
    <Hash className="icon" {...look} aria-hidden="true" />
  )
}
