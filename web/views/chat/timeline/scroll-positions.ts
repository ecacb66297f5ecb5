/** The position of a message: the distance of its top from the top of the window in pixels. */
export type MessagePosition = { readonly id: number; readonly top: number }

/** The position of a timeline: that of a message, or the end. */
export type ScrollPosition = MessagePosition | 'end'

const STORAGE_KEY = 'parley.scroll'

/** The maximum number of history entries whose positions survive a reload. */
const MAX_KEPT = 50

const positions = new Map<string, ScrollPosition>(readStored())
/** The positions that were stored before the page was reloaded. */
const restored = new Map(positions)
globalThis.addEventListener?.('pagehide', store)

/** Returns the scroll position of a history entry. */
export const findScrollPosition = (step: string): ScrollPosition | null => positions.get(step) ?? null

export function saveScrollPosition(step: string, position: ScrollPosition): void {
  // Entries stay in the order of their last use.
  positions.delete(step)
  positions.set(step, position)
}

/** Saves the position at which a history entry opens for the first time. */
export function openAtScrollPosition(step: string, position: MessagePosition): void {
  if (!positions.has(step)) positions.set(step, position)
}

export const forgetScrollPosition = (step: string): void => void positions.delete(step)

/** Returns the id of the message at which a timeline was before the page was reloaded; null if it opens as usual. */
export function restoredMessageId(step: string): number | null {
  const position = restored.get(step)
  return position === undefined || position === 'end' ? null : position.id
}

function readStored(): [string, ScrollPosition][] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(entry: unknown): entry is [string, ScrollPosition] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false
  const position = entry[1] as ScrollPosition | null
  return position === 'end' || (typeof position?.id === 'number' && typeof position.top === 'number')
}

function store(): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MAX_KEPT)))
  } catch {
    // Without storage, timelines open at their first unread message after a reload.
  }
}
