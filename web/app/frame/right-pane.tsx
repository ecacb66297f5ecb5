import { useLocation } from '@tanstack/react-router'
import X from 'lucide-react/icons/x'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { changeLayout, useLayout } from '../../store/browser/layout.ts'
import { loadPart } from '../../store/load-part.ts'
import { drawer } from '../../store/page/drawer.ts'
import { requestedFilter } from '../../store/page/requested-filter.ts'
import { t } from '../../text/t.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { peopleLandmark } from '../../ui/layout/landmarks.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { WITH_RIGHT_PANE } from '../../ui/layout/widths.ts'
import { hasPeople } from '../../views/chat/visible-panes.ts'

const PeopleHere = lazy(() => loadPart(() => import('../../views/chat/header/people-here.tsx')))
const PeopleDrawer = lazy(() => loadPart(() => import('../../views/chat/header/people-drawer.tsx')))

/**
 * The people of a conversation. Wide windows show them beside the conversation unless the user has hidden them. Narrow
 * windows show them in a drawer.
 */
export function RightPane(): ReactNode {
  const { href, pathname, search } = useLocation()
  const has = hasPeople(pathname, search as Record<string, unknown>)
  const isWide = useMedia(WITH_RIGHT_PANE)
  const { showsPeople } = useLayout()
  const isDrawerOpen = drawer.use() === 'people'
  const isFilterWanted = requestedFilter.use() === 'people'
  useEffect(() => drawer.set(null), [href])
  useEffect(() => {
    if (!isFilterWanted || !has) return
    if (isWide) changeLayout({ showsPeople: true })
    else drawer.set('people')
  }, [isFilterWanted, has, isWide])
  if (!has) return null
  if (isWide && showsPeople)
    return (
      <aside ref={peopleLandmark} id="people" className="people-side" aria-label={t('People')} data-pane>
        <header className="people-side-head">
          <h2>{t('People')}</h2>
          <IconButton label={t('Close')} icon={X} onPress={() => changeLayout({ showsPeople: false })} />
        </header>
        <Suspense fallback={<Loading label={t('Loading people')} lines={4} />}>
          <PeopleHere />
        </Suspense>
      </aside>
    )
  if (isWide || !isDrawerOpen) return null
  return (
    <Suspense>
      <PeopleDrawer
        onClose={() => {
          drawer.set(null)
          requestedFilter.set(null)
        }}
      />
    </Suspense>
  )
}
