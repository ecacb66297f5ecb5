import { Link } from '@tanstack/react-router'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import { type ReactNode, useRef, useState } from 'react'
import '../../../ui/layout/pane-link.css'
import { useCurrentNarrow } from '../current-narrow.ts'
import { ChannelLinks } from './channel-links.tsx'
import './conversation-pane.css'
import { t } from '../../../text/t.ts'
import { DirectLinks } from './direct-links.tsx'
import { moveInPane } from './move-in-pane.ts'
import { PaneFilter } from './pane-filter.tsx'
import { ViewLinks } from './view-links.tsx'

/** The ways to everything that one can read: views, direct messages, channels and their topics; or those of the last two that one looks for. */
export function ConversationPane(): ReactNode {
  const current = useCurrentNarrow()
  const pane = useRef<HTMLDivElement>(null)
  const [target, want] = useState('')
  const isFiltered = target.trim() !== ''
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrows are another way beside Tab to go from link to link
    <div className="pane" ref={pane} onKeyDown={(event) => pane.current && moveInPane(pane.current, event)}>
      <PaneFilter text={target} onText={want} />
      {!isFiltered && <ViewLinks current={current} />}
      <DirectLinks current={current} wanted={target} />
      <ChannelLinks current={current} wanted={target} />
      {!isFiltered && (
        <Link to="/channels" className="pane-link">
          <LayoutGrid className="icon" aria-hidden="true" />
          {t('All channels')}
        </Link>
      )}
    </div>
  )
}
