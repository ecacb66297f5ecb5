const SCHEME = /^[a-z]+:/i
/** The schemes that links may use. Other schemes could run a program or a script. */
const ALLOWED = /^(?:(?:https?|ftp):\/\/|(?:mailto|bitcoin):)/i

/**
 * Returns the address for a link, or `null` if its scheme is not allowed. An address without a scheme counts as a web
 * address.
 */
export function safeUrl(typed: string): string | null {
  const url = typed.trim().replaceAll(' ', '%20')
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(url)) return null
  if (/^\/(?![/\\])[^@]*$|^\/(?![/\\])[^@?#]*[?#]|^#./.test(url)) return withoutEmptyEnds(url)
  if (ALLOWED.test(url)) return withoutEmptyEnds(url.replace(SCHEME, (scheme) => scheme.toLowerCase()))
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) return null
  if (url === '') return null
  if (url.startsWith('//')) return `http:${url}`
  return withoutEmptyEnds(/^[^?#]*@/.test(url) ? `mailto:${url}` : `http://${url}`)
}

/** Removes empty queries and fragments. */
function withoutEmptyEnds(url: string): string {
  return url.replace(/#$/, '').replace(/^([^#?]*)\?(?=#|$)/, '$1')
}

/**
 * Makes addresses of views and uploaded files of the organization relative, because clients recognize them in that
 * form.
 */
export function relativeUrl(url: string, realmUrls: readonly string[]): string {
  const realmUrl = realmUrls.find((each) => url.startsWith(`${each}/#`) || url.startsWith(`${each}/user_uploads/`))
  return realmUrl === undefined ? url : url.slice(realmUrl.length + 1)
}
