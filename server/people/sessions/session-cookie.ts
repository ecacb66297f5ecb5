import { type Session, sessionLifetime } from './session.ts'

type Installation = { readonly EXTERNAL_URL: string }

const isSecure = ({ EXTERNAL_URL }: Installation) => EXTERNAL_URL.startsWith('https:')

/**
 * Returns the name of the session cookie. Over HTTPS, the `__Host-` prefix makes browsers accept the cookie only from
 * this host. Over plain HTTP, browsers would reject the prefix.
 */
export function sessionCookieName(settings: Installation): string {
  return isSecure(settings) ? '__Host-parley_session' : 'parley_session'
}

/** Returns the Set-Cookie header with a session's token. */
export function sessionCookie(settings: Installation, token: string, session: Pick<Session, 'isKept'>): string {
  return cookie(settings, token, session.isKept ? `; Max-Age=${sessionLifetime(session)}` : '')
}

/** Returns the Set-Cookie header that deletes the session cookie. */
export function expiredSessionCookie(settings: Installation): string {
  return cookie(settings, '', '; Max-Age=0')
}

/**
 * Returns the Set-Cookie header with a session's CSRF token, for clients that read it from a cookie and send it back.
 */
export function csrfCookie(settings: Installation, csrfToken: string): string {
  return `csrftoken=${csrfToken}; Path=/; SameSite=Lax${isSecure(settings) ? '; Secure' : ''}`
}

const cookie = (settings: Installation, value: string, age: string) =>
  `${sessionCookieName(settings)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure(settings) ? '; Secure' : ''}${age}`

const TOKEN = /^[\w-]{43}$/

/** Returns the session token in a Cookie header; null if there is none. */
export function readSessionToken(settings: Installation, header: string | undefined): string | null {
  const prefix = `${sessionCookieName(settings)}=`
  for (const pair of header?.split(';') ?? []) {
    const text = pair.trim()
    if (text.startsWith(prefix) && TOKEN.test(text.slice(prefix.length))) return text.slice(prefix.length)
  }
  return null
}
