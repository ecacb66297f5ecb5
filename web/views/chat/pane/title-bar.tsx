import { useLocation } from '@tanstack/react-router'
import Menu from 'lucide-react/icons/menu'
import Users from 'lucide-react/icons/users'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { loadPart } from '../../../store/load-part.ts'
import { useTotalUnreadCount } from '../../../store/messages/unread-messages.ts'
import { drawer } from '../../../store/page/drawer.ts'
import { requestedFilter } from '../../../store/page/requested-filter.ts'
import { Button } from '../../../ui/buttons/button.tsx'
import { visiblePanes } from '../visible-panes.ts'
import { CountPill } from './count-pill.tsx'
import { NarrowTitle } from './narrow-title.tsx'
import './title-bar.css'
import { t } from '../../../text/t.ts'

const DRAWERS = {
  conversations: lazy(() => loadPart(() => import('./conversation-drawer.tsx'))),
  people: lazy(() => loadPart(() => import('./people-drawer.tsx'))),
}

const isBeside = (pane: string) => document.querySelector(pane)?.checkVisibility() === true

/** The bar above the messages on narrow windows, with the title and buttons for the panes. */
export function TitleBar(): ReactNode {
  const { href, pathname, search } = useLocation()
  const { people } = visiblePanes(pathname, search as Record<string, unknown>)
  const opened = drawer.use()
  const close = () => {
    drawer.set(null)
    requestedFilter.set(null)
  }
  useEffect(() => drawer.set(null), [href])
  const target = requestedFilter.use()
  useEffect(() => {
    if (target === 'channels' && !isBeside('.chat-pane')) drawer.set('conversations')
    if (target === 'people' && people && !isBeside('.people-side')) drawer.set('people')
  }, [target, people])
  const Drawer = opened && DRAWERS[opened]
  return (
    <div className={people ? 'title-bar' : 'title-bar title-bar-short'}>
      <span className="title-bar-conversations" data-opens="conversations">
        <Button icon={<Menu className="icon" aria-hidden="true" />} onPress={() => drawer.set('conversations')}>
          {t('Conversations')}
          <CountPill count={useTotalUnreadCount()} />
        </Button>
      </span>
      <span className="title-bar-name" aria-hidden="true">
        <NarrowTitle />
      </span>
      {people && (
        <span data-opens="people">
          <Button icon={<Users className="icon" aria-hidden="true" />} onPress={() => drawer.set('people')}>
            {t('People')}
          </Button>
        </span>
      )}
      {Drawer && (
        <Suspense>
          <Drawer onClose={close} />
        </Suspense>
      )}
    </div>
  )
}
