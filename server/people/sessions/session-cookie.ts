import { type Session, sessionLifetime } from './session.ts'

type Installation = { readonly EXTERNAL_URL: string }

const isSecure = ({ EXTERNAL_URL }: Installation) => EXTERNAL_URL.startsWith('https:')

/** Over https browsers take a `__Host-` cookie from this very host alone; over plain http they take none. */
export function sessionCookieName(settings: Installation): string {
  return isSecure(settings) ? '__Host-parley_session' : 'parley_session'
}

/** The Set-Cookie header that hands a session's token to the browser. */
export function sessionCookie(settings: Installation, token: string, session: Pick<Session, 'isKept'>): string {
  return cookie(settings, token, session.isKept ? `; Max-Age=${sessionLifetime(session)}` : '')
}

/** The Set-Cookie header that makes the browser forget its session. */
export function expiredSessionCookie(settings: Installation): string {
  return cookie(settings, '', '; Max-Age=0')
}

/** The Set-Cookie header that hands a session's CSRF token to programs that look for it in a cookie, to send it back. */
export function csrfCookie(settings: Installation, csrfToken: string): string {
  return `csrftoken=${csrfToken}; Path=/; SameSite=Lax${isSecure(settings) ? '; Secure' : ''}`
}

const cookie = (settings: Installation, value: string, age: string) =>
  `${sessionCookieName(settings)}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure(settings) ? '; Secure' : ''}${age}`

const TOKEN = /^[\w-]{43}$/

/** The session's token in a Cookie header; null when there is none. */
export function readSessionToken(settings: Installation, header: string | undefined): string | null {
  const prefix = `${sessionCookieName(settings)}=`
  for (const pair of header?.split(';') ?? []) {
    const text = pair.trim()
    if (text.startsWith(prefix) && TOKEN.test(text.slice(prefix.length))) return text.slice(prefix.length)
  }
  return null
}
