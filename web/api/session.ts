/** What proves that a call comes from this page, and not from one of somebody else's. */
export function csrfToken(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? ''
}

/** Resolves when no log-out is under way in this browser. */
let logOut: Promise<void> = Promise.resolve()

/** Keeps `signInAgain` from leaving the page until a log-out has failed: a log-out ends the session, and leaves by itself. */
export function awaitLogOut(ended: Promise<void>): void {
  logOut = ended
}

/** Leads to where one signs in, and from there back to this page. Never resolves: the page is left. */
export async function signInAgain(): Promise<never> {
  await logOut
  const here = location.pathname + location.search
  location.assign(`/login/?next=${encodeURIComponent(here)}`)
  return new Promise(() => {})
}

/** Ends the session on this device. Rejects when the server cannot be reached. */
export async function endSession(): Promise<void> {
  await fetch('/logout/', {
    method: 'POST',
    body: new URLSearchParams({ csrf_token: csrfToken() }),
    redirect: 'manual',
  })
}
