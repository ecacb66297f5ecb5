import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import Check from 'lucide-react/icons/check'
import CircleCheck from 'lucide-react/icons/circle-check'
import List from 'lucide-react/icons/list'
import Search from 'lucide-react/icons/search'
import X from 'lucide-react/icons/x'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isResolved } from '#rules/topics.ts'
import { useSetProperty } from '../../channels/set-property.ts'
import { topicError } from '../../composer/errors.ts'
import { withResolved } from '../../messages/narrow.ts'
import { namedOperand, type SearchFilter, type SearchOperator, searchText } from '../../messages/search-query.ts'
import { channelTopics, isTitleTaken } from '../../messages/topics.ts'
import * as conversationNameCss from '../../navigation/conversation-name.module.css'
import { TopicName } from '../../navigation/conversation-name.tsx'
import { toLocation } from '../../navigation/narrow-location.ts'
import * as pageCss from '../../navigation/page.module.css'
import { type Channel, type Subscription, useOrganization } from '../../store/organization.ts'
import { usePeople } from '../../store/people.ts'
import { shortcutLabel } from '../../store/shortcuts.ts'
import { t } from '../../text/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { PHONE, useMedia } from '../../ui/use-media.ts'
import { titleTaken, useTopicActions } from '../topic-menu.tsx'

const filterOf = (operator: SearchOperator, operand: string): SearchFilter => ({
  operator,
  operand,
  negated: false,
})

/** The button that opens the search with these filters. */
function SearchHere({ label, filters }: { label: string; filters: readonly SearchFilter[] }): ReactNode {
  const navigate = useNavigate()
  const query = searchText({ filters, words: '' })
  return <IconButton label={label} icon={Search} onPress={() => void navigate(toLocation({ kind: 'search', query }))} />
}

/** The button that searches a direct message conversation, in the header of the conversation. */
export function SearchDirect({ people }: { people: readonly number[] }): ReactNode {
  const find = usePeople()
  const operand = people.map((id) => namedOperand(id, find(id)?.full_name ?? '')).join(',')
  return <SearchHere label={t('Search these direct messages')} filters={[filterOf('dm', operand)]} />
}

/** The follow, resolve and search buttons in the header of a topic. */
export function TopicButtons({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const { follow, resolve, isFollowed } = useTopicActions({ channel, topic })
  return (
    <>
      <span className={pageCss.wideOnly}>
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
 * The name of a topic in its header. Pressing it renames the topic in place, or moves it if the user may only do that.
 * On phones it is plain text, because the channel link above it is too close.
 */
export function TopicTitle({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const { move, rename, dialogs } = useTopicActions({ channel, topic })
  const isPhone = useMedia(PHONE)
  const [isRenaming, setRenaming] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  if (isPhone || (move === null && rename === null)) return <TopicName topic={topic} />

  function close() {
    flushSync(() => setRenaming(false))
    button.current?.focus()
  }

  if (isRenaming && rename !== null)
    return <TopicNameField channel={channel} topic={topic} onRename={rename} onClose={close} />
  return (
    <>
      <button
        ref={button}
        type="button"
        className={pageCss.chatHeaderEdit}
        title={rename === null ? t('Move topic') : t('Rename topic')}
        onClick={() => (rename === null ? move?.run() : setRenaming(true))}
      >
        <TopicName topic={topic} />
      </button>
      {dialogs}
    </>
  )
}

/** The field in which a topic is renamed. It does not merge the topic with another one, which could not be undone. */
function TopicNameField(props: {
  channel: Subscription
  topic: string
  onRename: (title: string) => void
  onClose: () => void
}): ReactNode {
  const { channel, topic, onRename, onClose } = props
  const { realm_mandatory_topics } = useOrganization('realm_mandatory_topics')
  const before = withResolved(topic, false)
  const [title, setTitle] = useState(before)
  const [error, setError] = useState<string | null>(null)
  // `isTitleTaken` reads the topics.
  useQuery(channelTopics(channel.stream_id))
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])

  function save() {
    const wanted = title.trim()
    if (wanted === before) return onClose()
    const found =
      topicError(wanted, realm_mandatory_topics || isResolved(topic)) ??
      (isTitleTaken(channel.stream_id, topic, wanted) ? titleTaken() : null)
    setError(found)
    if (found !== null) return field.current?.focus()
    onClose()
    onRename(wanted)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Enter') save()
    else onClose()
  }

  return (
    <span className={pageCss.chatHeaderRename}>
      <input
        ref={field}
        className={pageCss.chatHeaderField}
        dir="auto"
        autoComplete="off"
        aria-label={t('Topic')}
        aria-invalid={error !== null || undefined}
        value={title}
        onChange={({ currentTarget }) => {
          setTitle(currentTarget.value)
          setError(null)
        }}
        onKeyDown={onKeyDown}
      />
      <IconButton label={t('Save')} icon={Check} onPress={save} />
      <IconButton label={t('Cancel')} icon={X} onPress={onClose} />
      <span role="alert" className="field-error">
        {error}
      </span>
    </span>
  )
}

/** Says that the topic is resolved. Users with permission get a button that takes this back. */
export function ResolvedBar({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const { resolve } = useTopicActions({ channel, topic })
  return (
    <aside className={conversationNameCss.resolvedBar} aria-label={t('Resolved topic')}>
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
      <span className={pageCss.wideOnly}>
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
