import { Outlet, useLocation, useRouter } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { checkKeptMessages } from '../api/session.ts'
import { applyContrast, applyTextSize, applyTheme } from '../browser/appearance.ts'
import { consumeComposeFocus } from '../browser/compose-requests.ts'
import { preventStrayDrops } from '../browser/dropped-files.ts'
import { compareVersion, startChecklist } from '../browser/first-steps.ts'
import { applyDensity, applyMessageWidth, applyPeopleStyle, useLayout } from '../browser/layout.ts'
import { guardPersonalData } from '../browser/personal-data.ts'
import { cacheForOffline } from '../browser/service-worker.ts'
import { loadMessageParts } from '../conversation/message-parts.tsx'
import { useEditsOfDeletedMessages } from '../conversation/unsaved-edit.tsx'
import { cacheView } from '../live/cache-view.ts'
import { startLive } from '../live/poll-loop.ts'
import { animationPolicy, applyEmojiStyle } from '../message-html/display-settings.ts'
import { startDraftSync } from '../messages/draft-sync.ts'
import { useAnnouncement } from '../messages/message-announcements.ts'
import { nextOutgoing } from '../messages/outgoing.ts'
import { startSending } from '../messages/send-outgoing.ts'
import { useIconCount } from '../messages/unread.ts'
import { useConnection } from '../store/connection.ts'
import { currentOrganization, findOwnAccount, useOrganizationPart, useOwnId } from '../store/organization.ts'
import { reportPresence } from '../store/presence.ts'
import { t } from '../text/t.ts'
import { focusIn, type Landmark, landmarks, listenForPaneKeys } from '../ui/landmarks.ts'
import { loadAllParts } from '../ui/lazy-part.tsx'
import { loadPart } from '../ui/load-part.ts'
import { setHourCycle } from '../ui/moments.ts'
import { Loading } from '../ui/page-states.tsx'
import { beforeTitle } from '../ui/titles.tsx'
import { ToastRegion } from '../ui/toast-region.tsx'
import { Tooltips } from '../ui/tooltips.tsx'
import { PHONE, useMedia } from '../ui/use-media.ts'
import { ConnectionBanner, OrganizationHints, TimeZoneHint } from './banners.tsx'
import { BottomBar } from './bottom-bar.tsx'
import { ErrorScreen } from './error-screen.tsx'
import { InviteSearch, loadInviteDialog } from './invite-search.tsx'
import { NotificationOffer, startNotificationOffer } from './notifications/notification-offer.tsx'
import { useNotifications } from './notifications/use-notifications.ts'
import { HashLinks } from './redirects.tsx'
import { RightPane } from './right-pane.tsx'
import * as css from './shell.module.css'
import { Shortcuts } from './shortcuts/shortcuts.tsx'
import { SidebarColumn } from './sidebar-column.tsx'
import * as skipLinksCss from './skip-links.module.css'
import { useMovedTopics } from './use-moved-topics.ts'
import { useSettledMessages } from './use-settled-messages.ts'

const PARTS: readonly [name: Landmark | 'main', label: string, part: string][] = [
  ['main', t('Skip to content'), 'main'],
  ['writing', t('Skip to compose box'), '.composer textarea'],
  ['conversations', t('Skip to conversations'), '#conversations'],
  ['people', t('Skip to people'), '#people'],
]

/** Links that skip to the parts of the page. Tab reaches them first. */
function SkipLinks(): ReactNode {
  const skip = (event: MouseEvent, selector: string) => {
    event.preventDefault()
    const part = document.querySelector<HTMLElement>(selector)
    if (part?.matches('main, textarea')) part.focus()
    else if (part) focusIn(part)
  }
  const present = useSelector(landmarks)
  return PARTS.filter(([name]) => name === 'main' || present.has(name)).map(([name, label, part]) => (
    <a key={name} className={skipLinksCss.skipLink} href={`#${name}`} onClick={(event) => skip(event, part)}>
      {label}
    </a>
  ))
}

/** Applies the user's appearance settings, including changes on other devices. */
function useAppearance(): void {
  const settings = useOrganizationPart(({ user_settings }) => user_settings)
  const { isCompact } = useLayout()
  const {
    color_scheme: theme,
    high_contrast_mode: isHigh,
    web_font_size_px: size,
    web_line_height_percent: lines,
    twenty_four_hour_time: is24Hours,
    fluid_layout_width: isFull,
    user_list_style: people,
    web_animate_image_previews: animation,
    emojiset: emoji,
  } = settings
  useEffect(() => applyTheme(theme), [theme])
  useEffect(() => applyContrast(isHigh), [isHigh])
  useEffect(() => applyDensity(isCompact), [isCompact])
  useEffect(() => applyTextSize(size, lines), [size, lines])
  useEffect(() => setHourCycle(is24Hours), [is24Hours])
  useEffect(() => applyMessageWidth(isFull), [isFull])
  useEffect(() => applyPeopleStyle(people), [people])
  useEffect(() => animationPolicy.set(animation), [animation])
  useEffect(() => applyEmojiStyle(emoji), [emoji])
}

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
    <div className={css.shellStart}>
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
  useEditsOfDeletedMessages()
  const isPhone = useMedia(PHONE)
  useSettledMessages()
  useSwipes(main, isPhone)

  return (
    <>
      <CountInTitle />
      <SkipLinks />
      <div className={css.frame}>
        <div className={css.frameBanners}>
          <ConnectionBanner />
          <OrganizationHints />
          <TimeZoneHint />
        </div>
        <SidebarColumn />
        <main id="main" ref={main} className={css.shellMain} tabIndex={-1}>
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
    const loading = loadPart(() => import('./swipe-back.ts')).catch(() => null)
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

/**
 * Moves the focus to the page after navigation, so that screen readers start at its beginning. The page appears before
 * the navigation ends: a field of it that the user has entered in between keeps the focus.
 */
function useFocusOnArrival(main: { current: HTMLElement | null }): void {
  const router = useRouter()
  useEffect(() => {
    let atDeparture: Element | null = null
    const hasEnteredField = () => {
      const { activeElement } = document
      return activeElement !== atDeparture && activeElement?.matches('main :is(input, textarea)')
    }
    const stopNotingDeparture = router.subscribe('onBeforeNavigate', () => {
      atDeparture = document.activeElement
    })
    const stopMovingFocus = router.subscribe('onResolved', ({ fromLocation, toLocation, pathChanged }) => {
      const isElsewhere = pathChanged || partsOf(fromLocation) !== partsOf(toLocation)
      const isPlaced = consumeComposeFocus() || document.activeElement?.closest('main search, [data-linked]') != null
      if (fromLocation !== undefined && isElsewhere && !isPlaced && !hasEnteredField())
        main.current?.focus({ preventScroll: true })
    })
    return () => {
      stopNotingDeparture()
      stopMovingFocus()
    }
  }, [router, main])
}

function Announcer(): ReactNode {
  const text = useAnnouncement()
  return (
    <div className="visually-hidden" role="status">
      {text}
    </div>
  )
}
