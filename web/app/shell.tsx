import { Outlet, useLocation, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { checkKeptMessages } from '../api/session.ts'
import { startChecklist } from '../store/browser/checklist.ts'
import { startNotificationOffer } from '../store/browser/notification-offer.ts'
import { guardPersonalData } from '../store/browser/personal-data.ts'
import { compareVersion } from '../store/browser/seen-version.ts'
import { cacheForOffline } from '../store/browser/service-worker.ts'
import { cacheView } from '../store/cache/cache-view.ts'
import { useConnection } from '../store/connection.ts'
import { startDraftSync } from '../store/drafts/draft-sync.ts'
import { startLive } from '../store/live/poll-loop.ts'
import { loadPart } from '../store/load-part.ts'
import { useAnnouncement } from '../store/messages/announcements.ts'
import { useIconCount } from '../store/messages/icon-count.ts'
import { currentOrganization, findOwnAccount, useOrganizationPart, useOwnId } from '../store/organization.ts'
import { nextOutgoing } from '../store/outgoing/outgoing.ts'
import { startSending } from '../store/outgoing/send-outgoing.ts'
import { consumeComposeFocus } from '../store/page/compose-request.ts'
import { preventStrayDrops } from '../store/page/dropped-files.ts'
import { reportPresence } from '../store/people/presence.ts'
import { Tooltips } from '../ui/buttons/tooltips.tsx'
import { Loading } from '../ui/feedback/loading.tsx'
import { ToastRegion } from '../ui/feedback/toast-region.tsx'
import { useMedia } from '../ui/layout/use-media.ts'
import { PHONE } from '../ui/layout/widths.ts'
import { beforeTitle } from '../ui/layout/window-title.tsx'
import { loadAllParts } from '../ui/lazy-part.tsx'
import { loadMessageParts } from '../views/message/dialogs/parts.tsx'
import { ConnectionBanner } from './banners/connection-banner.tsx'
import { TimeZoneHint } from './banners/time-zone-hint.tsx'
import { ErrorScreen } from './error-screen.tsx'
import { BottomBar } from './frame/bottom-bar.tsx'
import { RightPane } from './frame/right-pane.tsx'
import { SidebarColumn } from './frame/sidebar-column.tsx'
import { HashLinks } from './hash-links.tsx'
import { InviteSearch, loadInviteDialog } from './invite-search.tsx'
import { listenForPaneKeys } from './shortcuts/pane-keys.ts'
import { useAppearance } from './use-appearance.ts'
import { useMovedTopics } from './use-moved-topics.ts'
import { useSettledMessages } from './use-settled-messages.ts'
import './shell.css'
import './print.css'
import { t } from '../text/t.ts'
import { NotificationOffer } from './notifications/notification-offer.tsx'
import { useNotifications } from './notifications/use-notifications.ts'
import { Shortcuts } from './shortcuts/shortcuts.tsx'
import { SkipLinks } from './skip-links.tsx'

/** The frame of every page. It connects to the server, and shows the page as soon as the organization is loaded. */
export function Shell(): ReactNode {
  const connection = useConnection()
  const hasBegun = useRef(false)
  useEffect(startLive, [])
  if (connection.phase === 'live') hasBegun.current = true

  // If the first request was refused, the page shows nothing from the cache.
  if (connection.phase === 'failed' && !hasBegun.current) return <ErrorScreen error={connection.error} />
  if (hasBegun.current || currentOrganization() !== undefined) return <Frame />
  return (
    <div className="shell-start">
      <ConnectionBanner />
      <Loading label={t('Loading Parley')} lines={4} />
    </div>
  )
}

function Frame(): ReactNode {
  const user_id = useOwnId()
  const joinedAt = useOrganizationPart((organization) => findOwnAccount(organization)?.date_joined ?? '')
  useAppearance()
  useEffect(() => guardPersonalData(user_id), [user_id])
  useEffect(startDraftSync, [user_id])
  useEffect(() => startChecklist(user_id, joinedAt), [user_id, joinedAt])
  useEffect(() => startNotificationOffer(user_id), [user_id])
  useEffect(() => compareVersion(import.meta.env['PARLEY_VERSION']), [])
  const main = useRef<HTMLElement>(null)
  useFocusOnArrival(main)
  useEffect(listenForPaneKeys, [])
  useEffect(reportPresence, [])
  useEffect(() => startSending(user_id), [user_id])
  useEffect(() => checkKeptMessages(keepsMessage), [])
  useEffect(() => cacheView(user_id), [user_id])
  useEffect(preventStrayDrops, [])
  useRestOfTheClient(user_id)
  useNotifications()
  useMovedTopics()
  const isPhone = useMedia(PHONE)
  useSettledMessages()
  useSwipes(main, isPhone)

  return (
    <>
      <CountInTitle />
      <SkipLinks />
      <div className="frame">
        <div className="frame-banners">
          <ConnectionBanner />
          <TimeZoneHint />
        </div>
        <SidebarColumn />
        <main id="main" ref={main} className="shell-main" tabIndex={-1}>
          <NotificationOffer />
          <Outlet />
        </main>
        <RightPane />
        {isPhone && <BottomBar />}
      </div>
      <Announcer />
      <ToastRegion />
      <InviteSearch />
      <HashLinks />
      <Shortcuts />
      <PageTooltips />
    </>
  )
}

/** Returns true while a message waits to be sent or is in the compose box. */
function keepsMessage(): boolean {
  const box = document.querySelector<HTMLTextAreaElement>('.composer textarea')
  return nextOutgoing() !== undefined || (box !== null && box.value.trim() !== '')
}

const PageTooltips = (): ReactNode => <Tooltips page={useLocation().pathname} />

/** Makes a swipe go back on phones. */
function useSwipes(main: { current: HTMLElement | null }, isPhone: boolean): void {
  useEffect(() => {
    const page = main.current
    if (!isPhone || page === null) return
    const end = new AbortController()
    // If the code cannot be loaded, the back button still works.
    const loading = loadPart(() => import('./frame/swipe-back.ts')).catch(() => null)
    void loading.then((part) => {
      if (part === null || end.signal.aborted) return
      end.signal.addEventListener('abort', part.listenForSwipes(page))
    })
    return () => end.abort()
  }, [main, isPhone])
}

/** The minimum time between two changes of the title, in milliseconds. Each change is expensive for browsers. */
const TITLE_PAUSE = 500

/** Puts the unread count before the titles of pages, and on the icon of the installed client. */
function CountInTitle(): ReactNode {
  const unread = useIconCount()
  const changedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const show = () => {
      changedAt.current = performance.now()
      beforeTitle.set(unread === 0 ? '' : `(${unread}) `)
      setBadge(unread)
    }
    const timer = setTimeout(show, changedAt.current + TITLE_PAUSE - performance.now())
    return () => clearTimeout(timer)
  }, [unread])
  return null
}

/** Shows the count on the icon of the installed client. Does nothing in browsers without badges. */
const setBadge = (count: number): void => void (navigator as Partial<Navigator>).setAppBadge?.(count).catch(() => {})

/** The delay before the other pages are loaded, in milliseconds. */
const HEAD_START = 4000

/**
 * Loads all pages in advance, so that they open immediately, even offline or after a server upgrade. Also caches them,
 * so that the client can start without a connection.
 */
function useRestOfTheClient(userId: number): void {
  const router = useRouter()
  useEffect(() => {
    const load = () => {
      const screens = Object.values(router.routesById).map((route) => router.loadRouteChunk(route))
      Promise.all([...screens, loadInviteDialog(), loadMessageParts(), loadAllParts()])
        .then(() => cacheForOffline(userId))
        // A page that fails here is loaded when it is opened.
        .catch(() => {})
    }
    // By default, browsers list only 250 of the resources that a page has loaded.
    performance.setResourceTimingBufferSize(1000)
    const timer = setTimeout(load, HEAD_START)
    return () => clearTimeout(timer)
  }, [router, userId])
}

/** Returns the parts of an address that distinguish pages with the same path. */
function partsOf(location?: { search: object }): string {
  const { topic, group } = (location?.search ?? {}) as { topic?: string; group?: number }
  return JSON.stringify([topic, group])
}

/** Moves the focus to the page after navigation, so that screen readers start at its beginning. */
function useFocusOnArrival(main: { current: HTMLElement | null }): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onResolved', ({ fromLocation, toLocation, pathChanged }) => {
        const isElsewhere = pathChanged || partsOf(fromLocation) !== partsOf(toLocation)
        const isPlaced = consumeComposeFocus() || document.activeElement?.closest('main search, [data-linked]') != null
        if (fromLocation !== undefined && isElsewhere && !isPlaced) main.current?.focus({ preventScroll: true })
      }),
    [router, main],
  )
}

function Announcer(): ReactNode {
  const text = useAnnouncement()
  return (
    <div className="visually-hidden" role="status">
      {text}
    </div>
  )
}
