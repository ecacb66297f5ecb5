const ORIGIN = /^https?:\/\/([^/?#]*)/i

/** The target of a request, with the host if the request line names one. */
export type RequestTarget = { path: string; query: string; host: string | undefined }

/**
 * Splits a request target into path and query. In the path, repeated slashes are collapsed and unnecessary escapes are
 * decoded. The absolute form, which proxies send, names a host.
 */
export function splitTarget(target: string): RequestTarget {
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
  return joined.includes('%') ? joined.replace(/%[0-9a-f]{2}/gi, decodeUnreserved) : joined
}

/** Decodes an escape of an unreserved character, which means the same without it (RFC 3986). */
function decodeUnreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return /[\w.~-]/.test(character) ? character : escaped
}

const SLASH = 0x2f
