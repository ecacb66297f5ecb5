/** How whoever calls an endpoint proves who they are: programs by an API key, browsers by a session. */
export type AuthMethod = 'key' | 'session'

const PREFIXES: readonly (readonly [AuthMethod, string])[] = [
  ['key', '/api/v1'],
  ['session', '/json'],
]

/** Every route of an endpoint, which begins with a method. */
export const routesUnder = (method: string, path: string): string[] =>
  PREFIXES.map(([, prefix]) => `${method} ${prefix}${path}`)

/** What a request calls and by which proof; null for a path outside the API. */
export function readApiPath(path: string): { proof: AuthMethod; path: string } | null {
  for (const [proof, prefix] of PREFIXES)
    if (path.startsWith(prefix) && (proof === 'key' || path.charAt(prefix.length) === '/'))
      return { proof, path: path.slice(prefix.length) }
  return null
}
