/** The state of the tour in this browser. Null before the tour, and without storage. */
export type TourState = 'begun' | 'done' | null

// The registration form sets this flag: server/http/pages/assets/pages.js.
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
    // Without storage, the state is lost with the page.
  }
}

/** Returns true once after the user has come from the registration form. */
export function consumeJoined(): boolean {
  try {
    const has = sessionStorage.getItem(JOINED) !== null
    sessionStorage.removeItem(JOINED)
    return has
  } catch {
    return false
  }
}
