import { useNavigate } from '@tanstack/react-router'
import User from 'lucide-react/icons/user'
import type { ReactNode } from 'react'
import type { MenuTarget } from '../../message-view/open-row-menu.tsx'
import { topicTitle } from '../../messages/narrow.ts'
import { conversationKey } from '../../messages/unread.ts'
import { type Subscription, useOwnId, useSubscription } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { ContextMenu, type MenuAction, type Point } from '../../ui/menu.tsx'
import { useTopicActions } from '../topic-menu.tsx'
import { useMarkReadActions } from '../unread-actions.ts'
import { useChannelActions } from './channel-menu.tsx'

type MenuProps = { at: Point; isOpen: boolean; onClose: () => void }

/** The menu of a row of the sidebar. */
export function TargetMenu({ target, ...menu }: MenuProps & { target: MenuTarget }): ReactNode {
  const channel = useSubscription(target.kind === 'direct' ? 0 : target.channelId)
  if (target.kind === 'direct') return <PeopleMenu people={target.people} menu={menu} />
  if (channel === undefined) return null
  if (target.kind === 'channel') return <ChannelRowMenu channel={channel} menu={menu} />
  return <TopicRowMenu channel={channel} topic={target.topic} menu={menu} />
}

function ChannelRowMenu({ channel, menu }: { channel: Subscription; menu: MenuProps }): ReactNode {
  const items = useChannelActions(channel)
  return <ContextMenu {...menu} label={t('Actions for channel {name}', { name: channel.name })} items={items} />
}

function TopicRowMenu(props: { channel: Subscription; topic: string; menu: MenuProps }): ReactNode {
  const { channel, topic, menu } = props
  const { items, dialogs } = useTopicActions({ channel, topic })
  const label = t('Actions for topic {topic}', { topic: topicTitle(topic) })
  return (
    <>
      <ContextMenu {...menu} label={label} items={items} />
      {dialogs}
    </>
  )
}

function PeopleMenu({ people, menu }: { people: readonly number[]; menu: MenuProps }): ReactNode {
  const ownId = useOwnId()
  const navigate = useNavigate()
  const [first = ownId] = people
  const key = conversationKey({ kind: 'direct', people })
  const markRead = useMarkReadActions((ref) => conversationKey(ref) === key, { kind: 'direct', people })
  const items: MenuAction[] = [
    ...markRead,
    ...(people.length === 1
      ? [
          {
            label: t('View profile'),
            icon: User,
            run: () => void navigate({ to: '/people/$userId', params: { userId: String(first) } }),
          },
        ]
      : []),
  ]
  return items.length > 0 && <ContextMenu {...menu} label={t('Actions for direct messages')} items={items} />
}
