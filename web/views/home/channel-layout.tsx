import { Link } from '@tanstack/react-router'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { ChannelMark } from './channel-mark.tsx'
import { sortedChannels } from './channels.ts'
import '../../ui/pane-link.css'
import './channel-layout.css'

/** A page of channels: the list of one's own beside what one reads. */
export function ChannelLayout({ children }: { children: ReactNode }): ReactNode {
  const channels = sortedChannels(useOrganization().subscriptions)
  return (
    <div className="channel-layout">
      <nav className="channel-list" aria-label="Channels" data-pane>
        <Link to="/" className="pane-link" activeOptions={{ exact: true, includeSearch: false }}>
          <LayoutGrid className="icon" aria-hidden="true" />
          All channels
        </Link>
        <h2 className="channel-list-title">Your channels</h2>
        <ul>
          {channels.map((channel) => (
            <li key={channel.stream_id}>
              <Link to="/channels/$channelId" params={{ channelId: String(channel.stream_id) }} className="pane-link">
                <ChannelMark channel={channel} />
                <span className="channel-link-name">{channel.name}</span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="channel-page">{children}</div>
    </div>
  )
}
