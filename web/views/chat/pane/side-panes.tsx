import { useLocation } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { loadPart } from '../../../store/load-part.ts'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { useMedia } from '../../../ui/layout/use-media.ts'
import { visiblePanes } from '../visible-panes.ts'
import { ConversationPane } from './conversation-pane.tsx'
import './side-panes.css'
import { t } from '../../../text/t.ts'

const PeopleHere = lazy(() => loadPart(() => import('./people-here.tsx')))

/**
 * A page between the panes that belong beside it: conversations before it, where the window is no phone's, and people
 * behind it, where it is wide. They stay as they are while one goes from page to page.
 */
export function SidePanes({ children }: { children: ReactNode }): ReactNode {
  const { pathname, search } = useLocation()
  const panes = visiblePanes(pathname, search as Record<string, unknown>)
  const isWide = useMedia('(min-width: 75rem)')
  return (
    <div className="side-panes">
      {panes.conversations && (
        <nav id="conversations" className="chat-pane" aria-label={t('Conversations')} data-pane>
          <ConversationPane />
        </nav>
      )}
      {children}
      {panes.people && isWide && (
        <aside id="people" className="people-side" aria-label={t('People')} data-pane>
          <Suspense fallback={<Loading label={t('Loading people')} lines={4} />}>
            <PeopleHere />
          </Suspense>
        </aside>
      )}
    </div>
  )
}
