import { useLocation } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import X from 'lucide-react/icons/x'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { changeLayout, useLayout } from '../browser/layout.ts'
import { drawer, requestedFilter } from '../browser/overlays.ts'
import { hasPeople } from '../navigation/narrow-location.ts'
import { t } from '../text/t.ts'
import { IconButton } from '../ui/button.tsx'
import { peopleLandmark } from '../ui/landmarks.ts'
import { loadPart } from '../ui/load-part.ts'
import { Loading } from '../ui/page-states.tsx'
import { useMedia, WITH_RIGHT_PANE } from '../ui/use-media.ts'
import * as css from './shell.module.css'

const PeopleHere = lazy(() => loadPart(() => import('../directory/people-here.tsx')))
const PeopleDrawer = lazy(() => loadPart(() => import('../directory/people-drawer.tsx')))

/**
 * The people of a conversation. Wide windows show them beside the conversation unless the user has hidden them. Narrow
 * windows show them in a drawer.
 */
export function RightPane(): ReactNode {
  const { href, pathname, search } = useLocation()
  const has = hasPeople(pathname, search as Record<string, unknown>)
  const isWide = useMedia(WITH_RIGHT_PANE)
  const { showsPeople } = useLayout()
  const isDrawerOpen = useSelector(drawer) === 'people'
  const isFilterWanted = useSelector(requestedFilter) === 'people'
  useEffect(() => drawer.set(null), [href])
  useEffect(() => {
    if (!isFilterWanted || !has) return
    if (isWide) changeLayout({ showsPeople: true })
    else drawer.set('people')
  }, [isFilterWanted, has, isWide])
  if (!has) return null
  if (isWide && showsPeople)
    return (
      <aside ref={peopleLandmark} id="people" className={css.peopleSide} aria-label={t('People')} data-pane>
        <header className={css.peopleSideHead}>
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
