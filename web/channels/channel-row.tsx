import { Link } from '@tanstack/react-router'
import Archive from 'lucide-react/icons/archive'
import Check from 'lucide-react/icons/check'
import Globe from 'lucide-react/icons/globe'
import Hash from 'lucide-react/icons/hash'
import History from 'lucide-react/icons/history'
import Lock from 'lucide-react/icons/lock'
import Settings from 'lucide-react/icons/settings'
import { memo, type ReactNode, useState } from 'react'
import * as conversationNameCss from '../navigation/conversation-name.module.css'
import { type Channel, useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import type { Card } from '../ui/field.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { mayRead } from './channel.ts'
import { ChannelAbout } from './channel-about.tsx'
import * as css from './channels.module.css'
import { JoinLeave } from './join-leave.tsx'
import type { ListedChannel } from './listing.ts'
import { PRIVACIES, type Privacy } from './settings/privacy.ts'

const ChannelPreview = lazyPart(async () => (await import('./channel-preview.tsx')).ChannelPreview)

/** A channel in the list, with its actions. */
export const ChannelRow = memo(function ChannelRow(props: {
  known: ListedChannel
  /** The number of subscribers; undefined until it is known. */
  people: number | undefined
  onAct: (id: number) => void
}): ReactNode {
  const { known, people, onAct } = props
  const { channel, subscription } = known
  const organization = useOrganization()
  const { realm_default_streams } = organization
  const [isPreviewed, preview] = useState(false)
  const isReadable = mayRead(organization, channel, subscription !== null)
  const params = { channelId: String(channel.stream_id) }
  return (
    <li className={css.browserRow}>
      <div className={css.browserText}>
        <h2 className={css.browserName}>
          <PrivacyIcon channel={channel} {...(subscription !== null && { color: subscription.color })} />
          {isReadable ? (
            <Link to="/channels/$channelId" params={params}>
              {channel.name}
            </Link>
          ) : (
            channel.name
          )}
          {channel.is_archived && <Badge icon={<Archive className="icon" aria-hidden="true" />}>{t('Archived')}</Badge>}
          {realm_default_streams.includes(channel.stream_id) && <Badge kind="accent">{t('Default')}</Badge>}
          {subscription !== null && (
            <span className={css.browserJoined}>
              <Check className="icon" aria-hidden="true" />
              {t('Subscribed')}
            </span>
          )}
        </h2>
        <ChannelAbout channel={channel} className={css.browserAbout} />
        <p className={`soft small ${css.browserFacts}`}>
          {[
            people === undefined ? '' : t('{people, plural, one {# person} other {# people}}', { people }),
            traffic(channel.stream_weekly_traffic),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
      <div className="row">
        {isReadable && (
          <Button aria-label={t('Preview {name}', { name: channel.name })} kind="quiet" onPress={() => preview(true)}>
            {t('Preview')}
          </Button>
        )}
        <JoinLeave
          known={known}
          {...(subscription !== null && { kind: 'quiet' as const })}
          onAct={() => onAct(channel.stream_id)}
        />
        <Link
          to="/channels/$channelId/settings/$section"
          params={{ ...params, section: 'general' }}
          className="button button-quiet button-round"
          aria-label={t('Settings for {name}', { name: channel.name })}
        >
          <Settings className="icon" aria-hidden="true" />
        </Link>
      </div>
      {isPreviewed && <ChannelPreview known={known} onClose={() => preview(false)} />}
    </li>
  )
})

/** An icon for the privacy of a channel, in the user's color for the channel if there is one. */
export function PrivacyIcon(props: {
  channel: Pick<Channel, 'invite_only' | 'is_web_public'>
  color?: string
}): ReactNode {
  const { channel, color } = props
  const look =
    color === undefined
      ? { className: 'icon' }
      : {
          className: `icon ${conversationNameCss.channelIcon}`,
          'data-colored': '',
          style: { '--channel': color } as object,
        }
  if (channel.invite_only) return <Lock {...look} role="img" aria-label={t('Private:')} aria-hidden={undefined} />
  if (channel.is_web_public) return <Globe {...look} role="img" aria-label={t('Web-public:')} aria-hidden={undefined} />
  return <Hash {...look} aria-hidden="true" />
}

/** Returns the weekly traffic as text; empty if the channel is too new to have data. */
function traffic(perWeek: number | null): string {
  if (perWeek === null) return ''
  return t('{perWeek, plural, =0 {No recent messages} one {# message a week} other {# messages a week}}', { perWeek })
}

const ICONS = { web: Globe, public: Hash, 'private-shared': History, 'private-protected': Lock }

export const privacyCards = (offered: readonly Privacy[]): Card[] =>
  offered.map((id) => {
    const Icon = ICONS[id]
    return { id, ...PRIVACIES[id], icon: <Icon className="icon" aria-hidden="true" /> }
  })
