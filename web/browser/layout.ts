import { createAtom, useSelector } from '@tanstack/react-store'

/** The user's arrangement of the page in this browser. */
type Layout = {
  /** True if the people of a conversation are shown beside it on wide windows. */
  readonly showsPeople: boolean
  /** True if the sidebar beside the page shows only icons. */
  readonly collapsesSidebar: boolean
  /** The width of the sidebar in pixels. */
  readonly sidebarWidth: number
  /** True if rows have less space between them. */
  readonly isCompact: boolean
  /** Sections of the sidebar that the user has folded or unfolded, by name. */
  readonly folded: Readonly<Record<string, boolean>>
  /** The filter that the user has chosen for each list of conversations, by the name of the list. */
  readonly filters: Readonly<Record<string, string | number>>
}

const KEY = 'parley.layout'

export const DEFAULT_SIDEBAR_WIDTH = 268
const FIRST: Layout = {
  showsPeople: false,
  collapsesSidebar: false,
  sidebarWidth: DEFAULT_SIDEBAR_WIDTH,
  isCompact: false,
  folded: {},
  filters: {},
}

const store = createAtom<Layout>(read())

export const useLayout = (): Layout => useSelector(store)

/** Changes the layout, and keeps it for the next visit. */
export function changeLayout(change: Partial<Layout>): void {
  store.set({ ...store.get(), ...change })
  try {
    localStorage.setItem(KEY, JSON.stringify(store.get()))
  } catch {
    // Without storage, the layout lasts as long as the page.
  }
}

export const currentLayout = store.get

/** Folds or unfolds a section. */
export const setFolded = (id: string, isFolded: boolean): void =>
  changeLayout({ folded: { ...store.get().folded, [id]: isFolded } })

/** Applies the density of rows. The style sheets use it. */
export function applyDensity(isCompact: boolean): void {
  if (isCompact) document.documentElement.dataset['density'] = 'compact'
  else delete document.documentElement.dataset['density']
}

/**
 * Lets messages use the full width of the window, or limits them to the width of a readable line. The style sheets use
 * it.
 */
export function applyMessageWidth(isFull: boolean): void {
  if (isFull) document.documentElement.dataset['width'] = 'full'
  else delete document.documentElement.dataset['width']
}

/** Applies the user's choice of the details in rows of people. The style sheets use it. */
export function applyPeopleStyle(style: number): void {
  const name = { 1: 'compact', 2: 'status' }[style]
  if (name === undefined) delete document.documentElement.dataset['people']
  else document.documentElement.dataset['people'] = name
}

function read(): Layout {
  try {
    const kept: Partial<Layout> = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    return {
      showsPeople: kept.showsPeople === true,
      collapsesSidebar: kept.collapsesSidebar === true,
      sidebarWidth: Number.isFinite(kept.sidebarWidth) ? Number(kept.sidebarWidth) : DEFAULT_SIDEBAR_WIDTH,
      isCompact: kept.isCompact === true,
      folded: typeof kept.folded === 'object' ? { ...kept.folded } : {},
      filters: typeof kept.filters === 'object' ? { ...kept.filters } : {},
    }
  } catch {
    return FIRST
  }
}
