/** A message with the distance of its top from the top of the window in pixels, or the end of the timeline. */
export type ScrollPlace = { readonly id: number; readonly top: number } | 'end'

const STORAGE_KEY = 'parley.scroll'

/** The number of history entries whose positions survive a reload. */
const MAX_KEPT = 50

const places = new Map<string, ScrollPlace>(readStored())
/** The entries whose messages are not loaded yet, because the page was reloaded. */
const restored = new Map(places)
globalThis.addEventListener?.('pagehide', store)

/** Returns the scroll position of a history entry. */
export const findScrollPlace = (step: string): ScrollPlace | null => places.get(step) ?? null

export function saveScrollPlace(step: string, place: ScrollPlace): void {
  // The entries that were used last are at the end.
  places.delete(step)
  places.set(step, place)
}

export const forgetScrollPlace = (step: string): void => void places.delete(step)

/** Returns the message at which a timeline was before the page was reloaded; null if it opens as usual. */
export function restoredMessageId(step: string): number | null {
  const place = restored.get(step)
  return place === undefined || place === 'end' ? null : place.id
}

function readStored(): [string, ScrollPlace][] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isEntry) : []
  } catch {
    return []
  }
}

function isEntry(entry: unknown): entry is [string, ScrollPlace] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false
  const place = entry[1] as ScrollPlace | null
  return place === 'end' || (typeof place?.id === 'number' && typeof place.top === 'number')
}

function store(): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...places].slice(-MAX_KEPT)))
  } catch {
    // Without storage, timelines open at their first unread message after a reload.
  }
}
