/** What a link may lead to; anything else could run a program or a script. */
const SCHEME = /^[a-z]+:/i
const ALLOWED = /^(?:(?:https?|ftp):\/\/|(?:mailto|bitcoin):)/i

/** The address as a link may carry it, or `null` when its scheme is not allowed. One without a scheme counts as a web address. */
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

/** A query or a fragment that holds nothing is left out. */
function withoutEmptyEnds(url: string): string {
  return url.replace(/#$/, '').replace(/^([^#?]*)\?(?=#|$)/, '$1')
}

/** Links into the organization itself become relative, so that clients recognize them. */
export function relativeUrl(url: string, realmUrl: string): string {
  const prefix = `${realmUrl}/`
  const within = realmUrl !== '' && (url.startsWith(`${prefix}#`) || url.startsWith(`${prefix}user_uploads/`))
  return within ? url.slice(prefix.length) : url
}
