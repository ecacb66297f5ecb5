const ORIGIN = /^https?:\/\/([^/?#]*)/i

/** What a request asks for; the host where the request line names one. */
export type Target = { path: string; query: string; host: string | undefined }

/**
 * Splits a request target at its query. In the path repeated slashes are collapsed, and escapes of what needs none are
 * undone, as such a path is the same; the absolute form that proxies send names a host.
 */
export function splitTarget(target: string): Target {
  let [rest, host]: [string, string | undefined] = [target, undefined]
  if (target.charCodeAt(0) !== SLASH) {
    const [origin, named] = ORIGIN.exec(target) ?? []
    if (origin !== undefined) [rest, host] = [target.slice(origin.length), named]
  }
  const mark = rest.indexOf('?')
  const path = mark === -1 ? rest : rest.slice(0, mark)
  const query = mark === -1 ? '' : rest.slice(mark + 1)
  return { path: path === '' ? '/' : normalPath(path), query, host }
}

function normalPath(path: string): string {
  const joined = path.includes('//') ? path.replace(/\/{2,}/g, '/') : path
  return joined.includes('%') ? joined.replace(/%[0-9a-f]{2}/gi, withoutNeed) : joined
}

/** RFC 3986: what these stand for is the same unescaped. */
function withoutNeed(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return /[\w.~-]/.test(character) ? character : escaped
}

const SLASH = 0x2f
