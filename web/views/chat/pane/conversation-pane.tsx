import { Link } from '@tanstack/react-router'
import AtSign from 'lucide-react/icons/at-sign'
import InboxIcon from 'lucide-react/icons/inbox'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import MessagesSquare from 'lucide-react/icons/messages-square'
import Search from 'lucide-react/icons/search'
import Star from 'lucide-react/icons/star'
import { type ReactNode, useRef } from 'react'
import { useUnreadCounts } from '../../../store/unread-messages.ts'
import '../../../ui/pane-link.css'
import { useCurrentNarrow } from '../current-narrow.ts'
import { NarrowLink } from '../narrow-link.tsx'
import { ChannelLinks } from './channel-links.tsx'
import './conversation-pane.css'
import { CountPill } from './count-pill.tsx'
import { DirectLinks } from './direct-links.tsx'
import { moveInPane } from './move-in-pane.ts'

/** The ways to everything that one can read: views, direct messages, channels and their topics. */
export function ConversationPane(): ReactNode {
  const counts = useUnreadCounts()
  const current = useCurrentNarrow()
  const pane = useRef<HTMLDivElement>(null)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrows are another way beside Tab to go from link to link
    <div className="pane" ref={pane} onKeyDown={(event) => pane.current && moveInPane(pane.current, event)}>
      <ul>
        <li>
          <Link to="/inbox" className="pane-link" activeOptions={{ includeSearch: false }}>
            <InboxIcon className="icon" aria-hidden="true" />
            Inbox
            <CountPill count={counts.all} />
          </Link>
        </li>
        <li>
          <NarrowLink narrow={COMBINED} className="pane-link" isCurrent={current?.kind === 'combined'}>
            <MessagesSquare className="icon" aria-hidden="true" />
            Combined
          </NarrowLink>
        </li>
        <li>
          <NarrowLink narrow={MENTIONS} className="pane-link" isCurrent={current?.kind === 'mentions'}>
            <AtSign className="icon" aria-hidden="true" />
            Mentions
            <CountPill count={{ messages: counts.mentions, mentions: 0 }} />
          </NarrowLink>
        </li>
        <li>
          <NarrowLink narrow={STARRED} className="pane-link" isCurrent={current?.kind === 'starred'}>
            <Star className="icon" aria-hidden="true" />
            Starred
          </NarrowLink>
        </li>
        <li>
          <Link to="/search" className="pane-link" activeOptions={{ includeSearch: false }}>
            <Search className="icon" aria-hidden="true" />
            Search
          </Link>
        </li>
      </ul>
      <DirectLinks counts={counts} current={current} />
      <ChannelLinks counts={counts} current={current} />
      <Link to="/" className="pane-link" activeOptions={{ exact: true, includeSearch: false }}>
        <LayoutGrid className="icon" aria-hidden="true" />
        All channels
      </Link>
    </div>
  )
}

const COMBINED = { kind: 'combined' } as const
const MENTIONS = { kind: 'mentions' } as const
const STARRED = { kind: 'starred' } as const
