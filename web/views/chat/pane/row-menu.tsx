import Ellipsis from 'lucide-react/icons/ellipsis'
import { createContext, type MouseEvent, type ReactNode, use, useCallback, useState } from 'react'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { conversationKey } from '../../../store/messages/unread.ts'
import type { Subscription } from '../../../store/organization.ts'
import { useOwnId, useSubscription } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { ContextMenu, type MenuAction, type Point } from '../../../ui/layout/context-menu.tsx'
import { PersonDialog } from '../../people/person-dialog.tsx'
import { useChannelActions } from '../place-menu/channel-menu.tsx'
import { useMarkReadActions } from '../place-menu/mark-read.ts'
import { useTopicActions } from '../place-menu/use-topic-actions.tsx'

/** The row of the sidebar that a menu is about. */
type MenuTarget = Extract<Narrow, { kind: 'channel' | 'topic' | 'direct' }>

type Open = (target: MenuTarget, at: Point) => void

const OpenRowMenu = createContext<Open>(() => {})

/** Provides the menus of the rows in `children`: one at a time, at the pointer or at the button of the row. */
export function RowMenus({ children }: { children: ReactNode }): ReactNode {
  const [opened, setOpened] = useState<{ target: MenuTarget; at: Point; isOpen: boolean } | null>(null)
  const open = useCallback<Open>((target, at) => setOpened({ target, at, isOpen: true }), [])
  const menu = opened && {
    at: opened.at,
    isOpen: opened.isOpen,
    onClose: () => setOpened((before) => before && { ...before, isOpen: false }),
  }
  return (
    <OpenRowMenu value={open}>
      {children}
      {opened !== null && menu !== null && (
        <TargetMenu key={JSON.stringify(opened.target)} target={opened.target} menu={menu} />
      )}
    </OpenRowMenu>
  )
}

/** Returns what a row needs to open its menu by a right click, or by the menu key of the keyboard. */
export function useRowMenu(target: MenuTarget): { onContextMenu: (event: MouseEvent) => void } {
  const open = use(OpenRowMenu)
  return {
    onContextMenu(event) {
      event.preventDefault()
      const { left, bottom } = event.currentTarget.getBoundingClientRect()
      // The menu key of the keyboard has no position.
      const isByKey = event.clientX === 0 && event.clientY === 0
      open(target, isByKey ? { x: left + 16, y: bottom } : { x: event.clientX, y: event.clientY })
    },
  }
}

/** The button at the end of a row, shown under the pointer. The keyboard opens the same menu with the menu key. */
export function RowMenuButton({ target, name }: { target: MenuTarget; name: string }): ReactNode {
  const open = use(OpenRowMenu)
  return (
    <button
      type="button"
      className="pane-tool"
      tabIndex={-1}
      aria-label={t('Actions for {name}', { name })}
      onClick={({ currentTarget }) => {
        const { left, bottom } = currentTarget.getBoundingClientRect()
        open(target, { x: left, y: bottom })
      }}
    >
      <Ellipsis className="icon" aria-hidden="true" />
    </button>
  )
}

type MenuProps = { at: Point; isOpen: boolean; onClose: () => void }

function TargetMenu({ target, menu }: { target: MenuTarget; menu: MenuProps }): ReactNode {
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
  const label = t('Actions for topic {topic}', { topic: topic || t('general chat') })
  return (
    <>
      <ContextMenu {...menu} label={label} items={items} />
      {dialogs}
    </>
  )
}

function PeopleMenu({ people, menu }: { people: readonly number[]; menu: MenuProps }): ReactNode {
  const ownId = useOwnId()
  const [isShown, show] = useState(false)
  const [first = ownId] = people
  const key = conversationKey({ kind: 'direct', people })
  const markRead = useMarkReadActions((ref) => conversationKey(ref) === key)
  const items: MenuAction[] = [
    ...markRead,
    ...(people.length === 1 ? [{ label: t('View profile'), run: () => show(true) }] : []),
  ]
  return (
    <>
      {items.length > 0 && <ContextMenu {...menu} label={t('Actions for direct messages')} items={items} />}
      {isShown && <PersonDialog userId={first} onClose={() => show(false)} />}
    </>
  )
}
