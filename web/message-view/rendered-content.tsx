import { useNavigate } from '@tanstack/react-router'
import Clock from 'lucide-react/icons/clock'
import Globe from 'lucide-react/icons/globe'
import Lock from 'lucide-react/icons/lock'
import Play from 'lucide-react/icons/play'
import { type MouseEvent, type ReactNode, useState } from 'react'
import type { ChannelLinkProps, Code, ContentParts, MentionProps } from '../message-html/content-parts.ts'
import { MessageContent } from '../message-html/message-content.tsx'
import { hashLocation } from '../navigation/hash-links.ts'
import { GroupCard, PersonCard } from '../people/cards.tsx'
import { groupName } from '../picking/group.ts'
import { membersOf } from '../store/membership.ts'
import {
  currentOrganization,
  useOrganization,
  useOrganizationPart,
  useOwnId,
  usePerson,
} from '../store/organization.ts'
import { distinctName } from '../store/people.ts'
import { t } from '../text/t.ts'
import { formatMoment, formatMomentFully } from '../ui/moments.ts'
import * as css from './mention.module.css'
import { toPlaygroundAddress } from './playground-address.ts'

/** A link to a channel or topic; private and web-public channels have an icon. */
function ChannelLink({ channelId, href, children }: ChannelLinkProps): ReactNode {
  const { subscriptions, unsubscribed, never_subscribed } = useOrganization(
    'subscriptions',
    'unsubscribed',
    'never_subscribed',
  )
  const isThis = ({ stream_id }: { stream_id: number }) => stream_id === channelId
  const channel = subscriptions.find(isThis) ?? unsubscribed.find(isThis) ?? never_subscribed.find(isThis)
  const Icon = channel?.invite_only ? Lock : channel?.is_web_public ? Globe : null
  return (
    <a className={css.channelLink} href={href}>
      {Icon && <Icon className="icon" aria-hidden="true" />}
      {children}
    </a>
  )
}

/** Links that open code in the playgrounds for its language. */
function CodeLinks({ language, text }: Code): ReactNode {
  const { realm_playgrounds } = useOrganization('realm_playgrounds')
  const requested = language.toLowerCase()
  return realm_playgrounds
    .filter((one) => one.pygments_language.toLowerCase() === requested)
    .map(({ id, name, url_template }) => (
      <a
        key={id}
        className="content-tool"
        href={toPlaygroundAddress(url_template, text)}
        target="_blank"
        rel="noopener noreferrer"
        title={t('Open in {name}', { name })}
        aria-label={t('Open in {name}', { name })}
      >
        <Play className="icon" aria-hidden="true" />
      </a>
    ))
}

/** A mention with the current name, which tells users with the same name apart. It opens the profile of the user or the card of the group. */
function Mention(props: MentionProps): ReactNode {
  if (props.kind === 'user') return <UserMention {...props} />
  if (props.kind === 'group') return <GroupMention {...props} />
  return <Label {...props} isOwn={!props.isSilent} />
}

function UserMention(props: MentionProps): ReactNode {
  const { id } = props
  const isOwn = useOwnId() === id
  const person = usePerson(id)
  const name = useOrganizationPart(({ realm_users }) => person && distinctName(person, realm_users))
  return (
    <Label {...props} name={name} isOwn={!props.isSilent && isOwn}>
      {person && ((trigger, onClose) => <PersonCard userId={id} trigger={trigger} onClose={onClose} />)}
    </Label>
  )
}

function GroupMention(props: MentionProps): ReactNode {
  const { id } = props
  const { user_id, realm_user_groups } = useOrganization('user_id', 'realm_user_groups')
  const group = realm_user_groups.find((one) => one.id === id)
  const isOwn = !props.isSilent && membersOf(realm_user_groups, [id]).has(user_id)
  return (
    <Label {...props} name={group && groupName(group)} isOwn={isOwn}>
      {group && ((trigger, onClose) => <GroupCard groupId={id} trigger={trigger} onClose={onClose} />)}
    </Label>
  )
}

/** The name as a button that opens `children`, or as text if there are none. */
function Label(
  props: Pick<MentionProps, 'text' | 'isSilent'> & {
    name?: string | undefined
    isOwn: boolean
    children?: ((trigger: Element, onClose: () => void) => ReactNode) | undefined
  },
): ReactNode {
  const { text, isSilent, name, isOwn, children } = props
  const [trigger, setTrigger] = useState<Element | null>(null)
  const label = {
    className: isSilent ? `${css.mention} ${css.mentionSilent}` : css.mention,
    'data-own': isOwn ? '' : undefined,
    children: name === undefined ? text : text.startsWith('@') ? `@${name}` : name,
  }
  if (children === undefined) return <span {...label} />
  return (
    <>
      <button type="button" {...label} onClick={({ currentTarget }) => setTrigger(currentTarget)} />
      {trigger && children(trigger, () => setTrigger(null))}
    </>
  )
}

/** A time in a message, shown in the reader's time zone and format. */
function Moment({ iso }: { iso: string }): ReactNode {
  const { twenty_four_hour_time } = useOrganization('user_settings').user_settings
  const at = Date.parse(iso)
  return (
    <time className={css.moment} dateTime={iso} title={formatMomentFully(at, twenty_four_hour_time)}>
      <Clock className="icon" aria-hidden="true" />
      {formatMoment(at, Date.now(), twenty_four_hour_time)}
    </time>
  )
}

export const CONTENT_PARTS: ContentParts = { ChannelLink, CodeLinks, Mention, Moment }

/**
 * A message, or other content with the same syntax. Parts such as mentions and channel links show the current data of
 * the organization.
 */
export function RenderedContent(props: {
  html: string
  words?: readonly string[]
  messageId?: number
  folds?: boolean
}): ReactNode {
  const navigate = useNavigate()

  /** Opens links to the client's own pages with the router, because the browser would load the client again. */
  function onClick(event: MouseEvent) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a[href*="#"]') : null
    const address = link instanceof HTMLAnchorElement ? new URL(link.href) : null
    if (address === null || address.origin !== location.origin) return
    const found = hashLocation(address.hash, currentOrganization()?.user_id ?? 0)
    if (found === null) return
    event.preventDefault()
    void navigate({ to: found.to, search: found.search })
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the links inside are interactive
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys click the links inside
    <div onClick={onClick}>
      <MessageContent {...props} parts={CONTENT_PARTS} />
    </div>
  )
}
