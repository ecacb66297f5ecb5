/** Whether somebody is being shown around here; 'done' lasts. Null before, and where nothing can be kept. */
export type TourState = 'begun' | 'done' | null

// The form behind an invitation leaves it: server/http/pages/assets/pages.js.
const JOINED = 'parley.joined'

const keyOf = (userId: number) => `parley.tour.${userId}`

export function readTour(userId: number): TourState {
  try {
    const state = localStorage.getItem(keyOf(userId))
    return state === 'begun' || state === 'done' ? state : null
  } catch {
    return null
  }
}

export function writeTour(userId: number, state: 'begun' | 'done'): void {
  try {
    localStorage.setItem(keyOf(userId), state)
  } catch {
    // Without storage it ends with the page.
  }
}

/** Whether one comes from the form behind an invitation; true once. */
export function consumeJoined(): boolean {
  try {
    const has = sessionStorage.getItem(JOINED) !== null
    sessionStorage.removeItem(JOINED)
    return has
  } catch {
    return false
  }
}
