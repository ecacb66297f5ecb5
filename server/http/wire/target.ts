const ORIGIN = /^https?:\/\/([^/?#]*)/i

/** What a request asks for; the host where the request line names one. */
export type Target = { path: string; query: string; host: string | undefined }

/** Splits a request target at its query, and collapses repeated slashes; the absolute form that proxies send names a host. */
export function splitTarget(target: string): Target {
  let [rest, host]: [string, string | undefined] = [target, undefined]
  if (target.charCodeAt(0) !== SLASH) {
    const [origin, named] = ORIGIN.exec(target) ?? []
    if (origin !== undefined) [rest, host] = [target.slice(origin.length), named]
  }
  const mark = rest.indexOf('?')
  const path = mark === -1 ? rest : rest.slice(0, mark)
  const query = mark === -1 ? '' : rest.slice(mark + 1)
  return { path: path.includes('//') ? path.replace(/\/{2,}/g, '/') : path || '/', query, host }
}

const SLASH = 0x2f
