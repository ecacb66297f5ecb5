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

/** How many channels are shown with their latest messages before one asks for all. */
const SHOWN = 12

/** The start page: who one is here, and what was said last in one's channels. */
export function Overview(): ReactNode {
  const organization = useOrganization()
  const [showsAll, showAll] = useState(false)
  const { realm_name, full_name, is_guest, subscriptions } = organization
  const role = findOwnAccount(organization)?.role ?? 400
  const channels = sortedChannels(subscriptions)
  const shown = showsAll ? channels : channels.slice(0, SHOWN)

  return (
    <ChatLayout>
      <PageHead title={`Hello, ${full_name}`} within={realm_name}>
        <div className="row">
          <Badge kind="accent">{roleName(role)}</Badge>
          <span className="soft">of {realm_name}</span>
        </div>
      </PageHead>
      {channels.length === 0 ? (
        <Empty icon={<Hash />} title="You are in no channel yet">
          <p>
            {is_guest
              ? 'Whoever invited you can add you to channels.'
              : 'Join what concerns you; whoever invited you can add you to channels, too.'}{' '}
            Messages appear here as soon as you are in one.
          </p>
          {!is_guest && (
            <Link to="/channels" search={{ show: 'available' }} className="button button-primary">
              See the channels
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
              <Button onPress={() => showAll(true)}>Show all {channels.length} channels</Button>
            )}
          </div>
          <ChannelComposer channels={channels} />
        </div>
      )}
    </ChatLayout>
  )
}
