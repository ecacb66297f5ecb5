/** What proves that a call comes from this page, and not from one of somebody else's. */
export function csrfToken(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? ''
}

/** Leads to where one signs in, and from there back to this page. Never resolves: the page is left. */
export function signInAgain(): Promise<never> {
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
