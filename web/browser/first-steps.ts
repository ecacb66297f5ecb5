import { createAtom, useSelector } from '@tanstack/react-store'

/**
 * The state of the checklist for new users in this browser. Null if the user has never seen it, or if the browser
 * stores nothing.
 */
type ChecklistState = 'shown' | 'dismissed' | null

/** The age up to which an account counts as new, in milliseconds. */
const NEW_FOR = 7 * 24 * 3600 * 1000

// The pages for joining, signing in and the setup set this flag: server/http/pages/assets/pages.js.
const JOINED = 'parley.joined'

const keyOf = (userId: number) => `parley.checklist.${userId}`

const state = createAtom<ChecklistState>(null)

/** Returns the state that `startChecklist` has read. */
export const useChecklist = (): ChecklistState => useSelector(state)

/**
 * Reads the state of the user. When users with a new account log in for the first time in this browser, the checklist is
 * shown. `joinedAt` is the time at which the account was made, in ISO 8601.
 */
export function startChecklist(userId: number, joinedAt: string): void {
  const known = read(userId)
  const isNew = Date.now() - Date.parse(joinedAt) <= NEW_FOR
  if (known === null && consumeJoined() && isNew) setChecklist(userId, 'shown')
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

/** Returns true once after the user has come from one of the pages. */
function consumeJoined(): boolean {
  try {
    const has = sessionStorage.getItem(JOINED) !== null
    sessionStorage.removeItem(JOINED)
    return has
  } catch {
    return false
  }
}

const KEY = 'parley.version'

/** True while the note about an upgrade is shown. */
export const hasNewVersion = createAtom(false)

/** Shows the note if this browser last ran another version. On the browser's first visit, no note is shown. */
export function compareVersion(version: string): void {
  try {
    const seen = localStorage.getItem(KEY)
    if (seen === null) localStorage.setItem(KEY, version)
    else hasNewVersion.set(seen !== version)
  } catch {
    // Without storage, the version that ran last is unknown.
  }
}

/** Hides the note until the next upgrade. */
export function dismissVersion(version: string): void {
  hasNewVersion.set(false)
  try {
    localStorage.setItem(KEY, version)
  } catch {
    // Without storage, the note was not shown.
  }
}
