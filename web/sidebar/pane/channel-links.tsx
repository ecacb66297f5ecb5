import { createAtom, shallow, useSelector } from '@tanstack/react-store'
import ChevronRight from 'lucide-react/icons/chevron-right'
import ListFilter from 'lucide-react/icons/list-filter'
import Plus from 'lucide-react/icons/plus'
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { requestedFilter } from '../../browser/overlays.ts'
import { mayCreateChannels } from '../../channels/channel.ts'
import { useOpenChannel, useStartTopic } from '../../conversation/use-open-channel.ts'
import * as rowMenuCss from '../../message-view/open-row-menu.module.css'
import { RowMenuButton, useRowMenu } from '../../message-view/open-row-menu.tsx'
import type { Narrow } from '../../messages/narrow.ts'
import { type Count, type UnreadCounts, unreadCounts } from '../../messages/unread.ts'
import { ChannelIcon } from '../../navigation/conversation-name.tsx'
import { CountPill } from '../../navigation/count-pill.tsx'
import { NarrowLink } from '../../navigation/narrow-link.tsx'
import { matchesName } from '../../navigation/row-list.ts'
import { type Subscription, useOrganization, useOrganizationPart } from '../../store/organization.ts'
import { shortcutLabel } from '../../store/shortcuts.ts'
import { t } from '../../text/t.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { MenuButton } from '../../ui/menu-button.tsx'
import { whenIdle } from '../../ui/timers.ts'
import * as css from './conversation-pane.module.css'
import { PaneSection } from './pane-section.tsx'
import { type SectionId, sortedSections } from './sorted-sections.ts'
import { TopicLinks } from './topic-links.tsx'

/** The height of a row in the compact density, and the minimum height of the content above the list, in pixels. */
const [ROW, ABOVE] = [24, 250]

/** The number of rows that are added at a time. */
const PORTION = 15

/** The number of rows after the current one that are rendered at first. */
const AFTER_CURRENT = 5

/** The time after which rows are added even if the page is never idle, in milliseconds. */
const MAX_PAUSE = 1000

/**
 * Returns the number of rows to render of a list with `total` rows. At first, the list has enough rows to fill a
 * window, and at least those up to `currentAt` (-1 for none). It gets more rows whenever the page is idle.
 */
function useGrowingCount(total: number, currentAt: number): number {
  const [count, setCount] = useState(() => Math.ceil((innerHeight - ABOVE) / ROW))
  const shown = Math.min(total, Math.max(count, currentAt + 1 + AFTER_CURRENT))
  useEffect(() => (shown < total ? whenIdle(() => setCount(shown + PORTION), MAX_PAUSE) : undefined), [shown, total])
  return shown
}

const wasIdle = createAtom(false)

/** Returns whether the page has been idle since it opened. Parts that the user needs later are rendered after that. */
function useWasIdle(): boolean {
  const isKnown = useSelector(wasIdle)
  useEffect(() => (isKnown ? undefined : whenIdle(() => wasIdle.set(true), MAX_PAUSE)), [isKnown])
  return isKnown
}

/**
 * `web_stream_unreads_count_display_policy` of the API: the channels that show how many of their messages are unread.
 */
const CountPolicy = { all: 1, unmuted: 2, none: 3 } as const

/** An unread count, of which the sidebar may show only that there is one, and how many messages mention the user. */
type ShownCount = Count & { readonly isHidden?: true }

/**
 * Returns the unread count of a channel for the sidebar; undefined if nothing is unread, or if the channel is muted and
 * shows no count. Mentions are always shown. Other channels without a count get a dot.
 */
const useShownCount = (channel: Subscription, policy: number): ShownCount | undefined =>
  useSelector(unreadCounts, (counts) => shownCount(counts, channel, policy), { compare: isSameCount })

function shownCount(
  { channels, muted }: UnreadCounts,
  { stream_id, is_muted }: Subscription,
  policy: number,
): ShownCount | undefined {
  const count = channels.get(stream_id)
  const isCounted = policy === CountPolicy.all || (policy === CountPolicy.unmuted && !is_muted)
  if (!isCounted) {
    if (count === undefined || (is_muted && count.mentions === 0)) return undefined
    return { ...count, isHidden: true }
  }
  const leftOut = policy === CountPolicy.all ? (muted.get(stream_id) ?? 0) : 0
  if (leftOut === 0) return count
  return { messages: (count?.messages ?? 0) + leftOut, mentions: count?.mentions ?? 0 }
}

const isSameCount = (one: ShownCount | undefined, other: ShownCount | undefined): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    one.messages === other.messages &&
    one.mentions === other.mentions &&
    one.isHidden === other.isHidden)

const ChannelToolItems = lazyPart(async () => (await import('./pane-tools.tsx')).ChannelToolItems)

const TITLES: Record<SectionId, string> = {
  pinned: t('Pinned channels'),
  channels: t('Channels'),
  inactive: t('Inactive channels'),
}

/** The user's channels that match the filter, in sections. The topics of expanded channels are below them. */
export function ChannelLinks({ filter, current }: { filter: string; current: Narrow | null }): ReactNode {
  const { subscriptions, user_settings } = useOrganization('subscriptions', 'user_settings')
  const { demote_inactive_streams: policy } = user_settings
  const sections = useMemo(() => sortedSections(subscriptions, policy), [subscriptions, policy])
  const isFiltered = filter.trim() !== ''
  const shown = sections
    .map(({ id, channels }) => ({ id, channels: channels.filter(({ name }) => matchesName(name, filter)) }))
    .filter(({ id, channels }) => channels.length > 0 || (id === 'channels' && !isFiltered))
  if (shown.length === 0) return <p className={css.paneNone}>{t('No matching channels.')}</p>
  return shown.map(({ id, channels }) => (
    <PaneSection
      key={id}
      id={id}
      title={TITLES[id]}
      startsFolded={id === 'inactive'}
      isForcedOpen={isFiltered || channels.some(({ stream_id }) => isInChannel(current, stream_id))}
      actions={id === 'channels' && <ChannelTools />}
    >
      <ChannelItems channels={channels} current={current} />
    </PaneSection>
  ))
}

/** The channels of a section. Channels outside the window are rendered a few at a time, when the page is idle. */
function ChannelItems({ channels, current }: { channels: readonly Subscription[]; current: Narrow | null }): ReactNode {
  const countPolicy = useOrganizationPart(({ user_settings }) => user_settings.web_stream_unreads_count_display_policy)
  const count = useGrowingCount(
    channels.length,
    channels.findIndex(({ stream_id }) => isInChannel(current, stream_id)),
  )
  const hasTools = useWasIdle()
  return (
    <ul>
      {channels.slice(0, count).map((channel) => (
        <ChannelItem
          key={channel.stream_id}
          channel={channel}
          current={isInChannel(current, channel.stream_id) ? current : null}
          countPolicy={countPolicy}
          hasTools={hasTools}
        />
      ))}
    </ul>
  )
}

const isInChannel = (narrow: Narrow | null, channelId: number): boolean =>
  (narrow?.kind === 'channel' || narrow?.kind === 'topic') && narrow.channelId === channelId

/** The filter of the sidebar, and the menu that leads to more channels. */
function ChannelTools(): ReactNode {
  const mayCreate = useOrganizationPart(mayCreateChannels, shallow)
  return (
    <span className={css.paneHeadTools}>
      <Button
        className={rowMenuCss.paneTool}
        aria-label={t('Filter channels')}
        data-keys={shortcutLabel('q')}
        onPress={() => requestedFilter.set('channels')}
      >
        <ListFilter className="icon" aria-hidden="true" />
      </Button>
      <MenuButton
        placement="bottom end"
        load={ChannelToolItems.load}
        button={(props) => (
          <Button {...props} className={rowMenuCss.paneTool} aria-label={t('Add channels')}>
            <Plus className="icon" aria-hidden="true" />
          </Button>
        )}
      >
        {(menu) => <ChannelToolItems {...menu} mayCreate={mayCreate.public || mayCreate.private} />}
      </MenuButton>
    </span>
  )
}

/**
 * A channel. `current` is null unless the current narrow is in this channel, so that React does not render the other
 * channels again. The buttons are plain elements, because hundreds of channels have them.
 */
const ChannelItem = memo(function ChannelItem(props: {
  channel: Subscription
  current: Narrow | null
  countPolicy: number
  /** False until the page has been idle: the buttons have more elements than the rest of the row. */
  hasTools: boolean
}): ReactNode {
  const { channel, current, countPolicy, hasTools } = props
  const { stream_id: channelId, name, is_muted } = channel
  const count = useShownCount(channel, countPolicy)
  const isHere = current !== null
  const openChannel = useOpenChannel()
  const [chosen, choose] = useState<boolean>()
  const isOpen = chosen ?? isHere
  const narrow = { kind: 'channel', channelId } as const
  const startTopic = useStartTopic()
  return (
    <li className={css.paneChannel}>
      <div className={css.paneRow} {...useRowMenu(narrow)}>
        <NarrowLink
          narrow={narrow}
          className={`pane-link${is_muted ? ` ${css.paneMuted}` : count === undefined ? '' : ` ${css.paneUnread}`}`}
          isCurrent={isHere && current?.kind === 'channel'}
          {...(count?.isHidden && { title: t('{unread} unread', { unread: count.messages }) })}
          onClick={(event) => openChannel(event, channelId)}
        >
          <ChannelIcon channel={channel} />
          <span className={css.paneLinkName}>{name}</span>
          {is_muted && <span className="visually-hidden">{t(', muted')}</span>}
          <CountPill count={count} />
        </NarrowLink>
        {hasTools && (
          <span className={css.paneTools}>
            <button
              type="button"
              className={`${rowMenuCss.paneTool} ${css.paneToggle}`}
              aria-label={t('Topics of {name}', { name })}
              aria-expanded={isOpen}
              onClick={() => choose(!isOpen)}
            >
              <ChevronRight className="icon flips" aria-hidden="true" />
            </button>
            <button
              type="button"
              className={`${rowMenuCss.paneTool} ${css.paneToolPointer}`}
              aria-label={t('New topic in {name}', { name })}
              onClick={(event) => {
                // A click outside the compose box would close it if it is empty.
                event.stopPropagation()
                startTopic(channelId)
              }}
            >
              <Plus className="icon" aria-hidden="true" />
            </button>
            <RowMenuButton target={narrow} name={name} />
          </span>
        )}
      </div>
      {isOpen && <TopicLinks channelId={channelId} current={current} />}
    </li>
  )
})
