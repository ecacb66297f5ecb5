import { Link } from '@tanstack/react-router'
import Hash from 'lucide-react/icons/hash'
import { type ReactNode, useState } from 'react'
import { findOwnAccount, useOrganization } from '../../store/organization.ts'
import { roleName } from '../../store/people/role.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { PageHead } from '../../ui/layout/page.tsx'
import { Badge } from '../../ui/text/badge.tsx'
import { ChannelCard } from '../channel/channel-card.tsx'
import { sortedChannels } from '../channel/channels.ts'
import { ChannelComposer } from '../composer/channel-composer.tsx'
import { ChatLayout } from './chat-layout.tsx'
import './overview.css'
import { t } from '../../text/t.ts'

/** The number of channels that are shown at first. */
const SHOWN = 12

/** The start page, with the latest messages of the user's channels. */
export function Overview(): ReactNode {
  const organization = useOrganization()
  const [showsAll, showAll] = useState(false)
  const { realm_name, full_name, is_guest, subscriptions } = organization
  const role = findOwnAccount(organization)?.role ?? 400
  const channels = sortedChannels(subscriptions)
  const shown = showsAll ? channels : channels.slice(0, SHOWN)

  return (
    <ChatLayout>
      <PageHead title={t('Hello, {name}', { name: full_name })} within={realm_name}>
        <div className="row">
          <Badge kind="accent">{roleName(role)}</Badge>
          <span className="soft">{t('of {organization}', { organization: realm_name })}</span>
        </div>
      </PageHead>
      {channels.length === 0 ? (
        <Empty icon={<Hash />} title={t('No channels yet')}>
          <p>
            {is_guest
              ? t('The person who invited you can add you to channels. Their messages will appear here.')
              : t('Join a channel to see its messages here.')}
          </p>
          {!is_guest && (
            <Link to="/channels" search={{ show: 'available' }} className="button button-primary">
              {t('Browse channels')}
            </Link>
          )}
        </Empty>
      ) : (
        <div className="overview">
          <div className="overview-channels">
            {shown.map((channel) => (
              <ChannelCard key={channel.stream_id} channel={channel} />
            ))}
            {shown.length < channels.length && (
              <Button onPress={() => showAll(true)}>
                {t('Show all {count} channels', { count: channels.length })}
              </Button>
            )}
          </div>
          <ChannelComposer channels={channels} />
        </div>
      )}
    </ChatLayout>
  )
}
