import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { currentLayout } from '../../browser/layout.ts'
import { drawer, requestedFilter } from '../../browser/overlays.ts'
import { type UnreadKind, useNextUnread } from '../../conversation/unread-actions.ts'
import { conversationAt, siblingNarrowAt } from '../../messages/narrow.ts'
import { toLocation, useCurrentNarrow } from '../../navigation/narrow-location.ts'
import { collapseSidebar } from '../../sidebar/sidebar.tsx'
import { toAppError } from '../../store/app-error.ts'
import { currentOrganization, useOwnId } from '../../store/organization.ts'
import type { PageKey } from '../../store/shortcuts.ts'
import { loadPart } from '../../ui/load-part.ts'
import { showToast } from '../../ui/toasts.ts'
import { PHONE, WITH_SIDEBAR } from '../../ui/use-media.ts'
import { homePath } from '../redirects.tsx'
import { focusedMessage, jumpToFirst, jumpToLatest, moveToRow, replyToSelected, scrollByPage } from './reading-keys.ts'

type MoreActions = typeof import('./more-actions.ts')['MORE_ACTIONS']

/** The fixed keys with an action of their own, as browsers name them. */
type FixedKey =
  | 'ArrowDown'
  | 'ArrowLeft'
  | 'ArrowUp'
  | 'Ctrl+['
  | 'End'
  | 'Enter'
  | 'Escape'
  | 'Home'
  | 'PageDown'
  | 'PageUp'
  | ' '
  | 'Shift+ '

/**
 * The actions of shortcuts. A shortcut that the user can change is named by its default key, and any other by its fixed
 * key.
 */
export type ShortcutActions = Readonly<Record<PageKey | FixedKey, () => void>>

/** Returns the actions of the shortcuts; `showList` shows the list of shortcuts. */
export function useShortcutActions(showList: () => void): ShortcutActions {
  const navigate = useNavigate()
  const nextUnread = useNextUnread()
  const narrow = useCurrentNarrow()
  const user_id = useOwnId()
  return useMemo(() => {
    const goTo = (to: string) => void navigate({ to })
    const goHome = () => goTo(homePath(currentOrganization()?.user_settings.web_home_view ?? 'inbox'))
    const goToNext = (kind: UnreadKind) => {
      const next = nextUnread(kind)
      if (next !== null) void navigate(toLocation(next))
    }
    const goToPlace = (find: typeof conversationAt) => {
      const found = find(narrow, focusedMessage(), user_id)
      if (found !== null) void navigate(toLocation(found.narrow, found.near))
    }
    const run = (name: keyof MoreActions) => () =>
      loadPart(() => import('./more-actions.ts')).then(
        ({ MORE_ACTIONS }) => {
          const organization = currentOrganization()
          if (organization !== undefined) void MORE_ACTIONS[name]({ narrow, organization, navigate })
        },
        (error: unknown) => showToast(toAppError(error).message, { kind: 'error' }),
      )
    return {
      '?': showList,
      '/': () => focusSearch() || goTo('/search'),
      j: () => moveToRow(1),
      ArrowDown: () => moveToRow(1),
      k: () => moveToRow(-1),
      ArrowUp: () => moveToRow(-1),
      J: () => scrollByPage(1),
      PageDown: () => scrollByPage(1),
      ' ': () => scrollByPage(1),
      K: () => scrollByPage(-1),
      PageUp: () => scrollByPage(-1),
      'Shift+ ': () => scrollByPage(-1),
      G: jumpToLatest,
      End: jumpToLatest,
      Home: jumpToFirst,
      Escape: () => {
        if (currentOrganization()?.user_settings.web_escape_navigates_to_home_view) goHome()
      },
      'Ctrl+[': goHome,
      r: replyToSelected,
      Enter: replyToSelected,
      R: run('replyToSender'),
      '@': run('mentionSender'),
      c: run('newMessage'),
      ArrowLeft: run('editLast'),
      v: run('viewPicture'),
      M: run('muteTopic'),
      F: run('followTopic'),
      n: () => goToNext('topic'),
      N: () => goToNext('followed'),
      P: () => goTo('/direct-messages'),
      y: run('showTopics'),
      p: () => goToNext('direct'),
      x: () => goTo('/dm'),
      s: () => goToPlace(siblingNarrowAt),
      z: () => goToPlace(conversationAt),
      A: run('previousChannel'),
      D: run('nextChannel'),
      a: () => goTo('/combined'),
      '*': () => goTo('/starred'),
      ',': () => goTo('/settings/profile'),
      I: () => goTo('/inbox'),
      t: () => goTo('/recent'),
      d: () => (location.pathname === '/drafts' ? history.back() : goTo('/drafts')),
      q: () => filterPane('channels', () => matchMedia(PHONE).matches && goTo('/chats')),
      w: () => filterPane('people', () => goTo('/people')),
      '[': toggleSidebar,
      ']': () => press('[data-opens="people"] button'),
      g: () => press('.organization-button'),
      '\\': run('switchTheme'),
    }
  }, [navigate, nextUnread, narrow, user_id, showList])
}

const press = (selector: string) => document.querySelector<HTMLElement>(selector)?.click()

/**
 * Collapses or expands the sidebar beside the page. Opens it as a drawer if the window is too narrow. Does nothing on
 * phones.
 */
function toggleSidebar(): void {
  if (matchMedia(WITH_SIDEBAR).matches) collapseSidebar(!currentLayout().collapsesSidebar)
  else if (!matchMedia(PHONE).matches) drawer.set('conversations')
}

/** Focuses the search field of the page. Returns false if there is none. */
function focusSearch(): boolean {
  const field = document.querySelector<HTMLElement>('.search-input')
  field?.focus()
  return field !== null
}

/** Selectors of each pane with a filter, and of the button that opens the pane if the page has no room for it. */
const FILTERS = {
  channels: '#conversations, [data-opens="conversations"]',
  people: '.people-side, .people-page, [data-opens="people"]',
} as const

/** Focuses the filter of a pane. Calls `elsewhere` if neither the pane nor its button is visible. */
function filterPane(kind: keyof typeof FILTERS, elsewhere: () => void): void {
  const isHere = [...document.querySelectorAll(FILTERS[kind])].some((part) => part.checkVisibility())
  requestedFilter.set(kind)
  if (!isHere) elsewhere()
}
