import { createStore } from '../../ui/create-store.ts'

/**
 * The state of the checklist for new users in this browser. Null if the user has never seen it, or if the browser
 * stores nothing.
 */
type ChecklistState = 'shown' | 'dismissed' | null

// The registration form and the setup set this flag: server/http/pages/assets/pages.js.
const JOINED = 'parley.joined'

const keyOf = (userId: number) => `parley.checklist.${userId}`

const state = createStore<ChecklistState>(null)

/** Returns the state that `startChecklist` has read. */
export const useChecklist = state.use

/** Reads the state of the user. Users who have just joined start with the checklist shown. */
export function startChecklist(userId: number): void {
  const known = read(userId)
  if (known === null && consumeJoined()) setChecklist(userId, 'shown')
  else state.set(known)
}

export function setChecklist(userId: number, next: 'shown' | 'dismissed'): void {
  state.set(next)
  try {
    localStorage.setItem(keyOf(userId), next)
  } catch {
    // Without storage, the state lasts as long as the page.
  }
}

function read(userId: number): ChecklistState {
  try {
    const known = localStorage.getItem(keyOf(userId))
    return known === 'shown' || known === 'dismissed' ? known : null
  } catch {
    return null
  }
}

/** Returns true once after the user has come from the registration form or the setup. */
function consumeJoined(): boolean {
  try {
    const has = sessionStorage.getItem(JOINED) !== null
    sessionStorage.removeItem(JOINED)
    return has
  } catch {
    return false
  }
}
