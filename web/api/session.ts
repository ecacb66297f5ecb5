import { createAtom } from '@tanstack/store'

/** Returns the token that proves that a call comes from this page and not from another site. */
export function csrfToken(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? ''
}

/** Returns the id of this page's user, as the server has written it into the page; null if the user is unknown. */
export function pageUserId(): number | null {
  const content = document.querySelector<HTMLMetaElement>('meta[name="user-id"]')?.content
  return content ? Number(content) : null
}

/** Returns a text that changes with the settings of the server, as the server has written it into the page. */
export const settingsVersion = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="settings-version"]')?.content ?? ''

/** Resolves when no logout is in progress in this browser. */
const logOut = createAtom<Promise<void>>(Promise.resolve())

/** Makes `signInAgain` wait until the logout has ended. A successful logout leaves the page itself. */
export function awaitLogOut(ended: Promise<void>): void {
  logOut.set(ended)
}

const keptMessages = createAtom<{ check: () => boolean }>({ check: () => false })

/** Sets the function that returns true while this browser keeps a message that is not sent. */
export function checkKeptMessages(check: () => boolean): void {
  keptMessages.set({ check })
}

/**
 * Opens the login page, which says that the session has ended and returns to this page afterwards. Never resolves,
 * because the page is unloaded.
 */
export async function signInAgain(): Promise<never> {
  await logOut.get()
  const here = location.pathname + location.search
  location.assign(`/login/?next=${encodeURIComponent(here)}&logged_out=${keptMessages.get().check() ? 'kept' : '1'}`)
  return new Promise(() => {})
}

/** Ends the session of this browser. Rejects if the server cannot be reached. */
export async function endSession(): Promise<void> {
  await fetch('/logout/', {
    method: 'POST',
    body: new URLSearchParams({ csrf_token: csrfToken() }),
    redirect: 'manual',
  })
}
