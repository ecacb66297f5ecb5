import MessagesSquare from 'lucide-react/icons/messages-square'
import { type ReactNode, useState } from 'react'
import type { Message } from '../../../store/messages/message.ts'
import { type Narrow, peopleOf } from '../../../store/messages/narrow.ts'
import { isResolved, topicTitle } from '../../../store/messages/topic-title.ts'
import { useOwnId, useSubscription } from '../../../store/organization.ts'
import { useConversationName } from '../../../store/people/people.ts'
import { t } from '../../../text/t.ts'
import { contentToReact } from '../../../ui/message-html/content-to-react.ts'
import { decodeEntities } from '../../../ui/message-html/decode-entities.ts'
import { parseHtml } from '../../../ui/message-html/parse-html.ts'
import { dayLabel } from '../../../ui/time/days.ts'
import { ChannelIcon } from '../../channel/channel-icon.tsx'
import { TopicMenu } from '../conversation-menus/topic-menu.tsx'
import { NarrowLink } from '../narrow-link.tsx'
import { ResolvedMark, TopicName } from '../topic-name.tsx'

/**
 * The bar above the messages of a conversation in a view that shows several conversations. It has links, a menu and the
 * day.
 */
export function RecipientBar({ narrow, message }: { narrow: Narrow; message: Message }): ReactNode {
  const { stream_id: channelId, subject, timestamp } = message
  const channel = useSubscription(channelId ?? 0)
  // A menu for each of hundreds of bars would take longer to render than the messages.
  const [hasMenu, setHasMenu] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only adds the menu before it can be used.
    <div
      className="timeline-bar-line"
      onPointerEnter={() => setHasMenu(true)}
      onFocus={() => setHasMenu(true)}
      {...(channel !== undefined && { 'data-colored': '', style: { '--channel': channel.color } as object })}
    >
      {channelId === undefined ? (
        <DirectTitle message={message} />
      ) : (
        <TopicTitle narrow={narrow} message={message} channelId={channelId} />
      )}
      {hasMenu && channel !== undefined && <TopicMenu channel={channel} topic={subject} />}
      <span className="timeline-bar-day">{dayLabel(timestamp)}</span>
    </div>
  )
}

function DirectTitle({ message }: { message: Message }): ReactNode {
  const nameOf = useConversationName()
  const people = peopleOf(message, useOwnId())
  return (
    <h2 className="timeline-bar-title">
      <MessagesSquare className="icon" aria-hidden="true" />
      <NarrowLink narrow={{ kind: 'direct', people }} near={message.id}>
        {t('Direct messages with {names}', { names: nameOf(people) })}
      </NarrowLink>
    </h2>
  )
}

function TopicTitle(props: { narrow: Narrow; message: Message; channelId: number }): ReactNode {
  const { narrow, message, channelId } = props
  const { subject, display_recipient } = message
  const channel = useSubscription(channelId)
  return (
    <h2 className="timeline-bar-title">
      {channel !== undefined && <ChannelIcon channel={channel} />}
      {narrow.kind !== 'channel' && (
        <>
          <NarrowLink narrow={{ kind: 'channel', channelId }} near={message.id}>
            {String(display_recipient)}
          </NarrowLink>
          <span aria-hidden="true">›</span>
        </>
      )}
      <NarrowLink narrow={{ kind: 'topic', channelId, topic: subject }} near={message.id}>
        {message.match_subject === undefined || subject === '' ? (
          <TopicName topic={subject} />
        ) : (
          <MatchedTopic html={message.match_subject} isResolved={isResolved(subject)} />
        )}
      </NarrowLink>
    </h2>
  )
}

/** The name of a topic in the results of a search. `html` marks the words that match. */
const MatchedTopic = ({ html, isResolved }: { html: string; isResolved: boolean }): ReactNode => (
  <>
    {isResolved && <ResolvedMark />} {contentToReact(parseHtml(topicTitle(html), decodeEntities), {})}
  </>
)
